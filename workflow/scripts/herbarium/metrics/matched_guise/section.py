"""The section of the configuration on matched guise probing."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, LocalPath, Name, Need, Section
from herbarium.metrics.matched_guise import stimuli
from herbarium.models.by_kind import scored


class Guise(Section):
    pairs: LocalPath = Field(
        description="Pairs of texts, one per line: in the dialect, a tab, and the same in the standard."
    )
    pairs_per_unit: int = Field(
        1,
        ge=1,
        le=1_000_000,
        description="Successive pairs that are one unit of inference, such as those of one verb with several pronouns.",
    )
    attributes: LocalPath = Field(description="Attributes of people, one per line: traits, occupations.")
    prompts: LocalPath = Field(
        description="Prompts, one per line, with [text] and, after it, [attribute]; *a* or *an* right before the "
        "attribute keeps a prompt for the attributes that it fits."
    )
    ratings: LocalPath | None = Field(
        None,
        description="CSV with `attribute` and `rating`, such as how favourable a trait is or the prestige of an "
        "occupation; empty: only associations are measured.",
    )
    models: list[Name] = Field(min_length=1, description="Models to measure, by name: masked or causal.")

    @property
    def files(self) -> list[str]:
        """The files of the lists."""
        return [str(path) for path in (self.pairs, self.attributes, self.prompts, self.ratings) if path]

    @property
    def lists(self) -> dict[str, str | None]:
        """The arguments of `stimuli.read`, as plain data."""
        return self.model_dump(mode="json", include={"pairs", "attributes", "prompts", "ratings"})

    @model_validator(mode="after")
    def _lists_can_be_read(self) -> "Guise":
        try:
            stimuli.read(**self.lists)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class MatchedGuise(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES)
    can_plant: ClassVar[bool] = True

    guises: dict[Name, Guise] = Field({}, description="Pairs with the attributes that they are probed for, by name.")
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals.")
    correction: Correction = Field("holm", description="Adjustment of the p-values of a model over the attributes.")

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, name of the guises) of everything measured."""
        return [(model, name) for name, entry in self.guises.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            yield Need(f"matched_guise.guises.{name}.models", model, self.by_kind, "the probability of an attribute")

    def named(self) -> dict[str, Iterable[str]]:
        return {"matched_guise.guises": self.guises}
