"""The section of the configuration on matched guise probing."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, Level, LocalPath, Measured, Name, Need, Section
from herbarium.metrics.matched_guise import stimuli
from herbarium.models.by_kind import scored


class Guise(Section):
    pairs: LocalPath = Field(description="Pairs of texts, one per line: dialect, tab, standard.")
    pairs_per_unit: int = Field(1, ge=1, le=1_000_000, description="Successive pairs that are one sampling unit.")
    attributes: LocalPath = Field(description="Attributes of people, one per line.")
    prompts: LocalPath = Field(
        description="Prompts, one per line: [text], then [attribute]; after *a* or *an*, those that fit."
    )
    ratings: LocalPath | None = Field(
        None, description="CSV of `attribute` and `rating`; empty: only associations are measured."
    )
    models: Measured = Field(min_length=1)

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

    guises: dict[Name, Guise] = Field({})
    level: Level = 0.95
    correction: Correction = "holm"

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
