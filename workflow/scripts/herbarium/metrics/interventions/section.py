"""The section of the configuration on interventions."""

from collections.abc import Collection, Iterable, Iterator
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, Level, Measured, Name, Need, Section
from herbarium.metrics.interventions import formats, stimuli
from herbarium.metrics.interventions.formats import FORMATS, LEI, LISTS
from herbarium.models.by_kind import scored
from herbarium.models.data import Pinned, Place


class Subjects(Pinned):
    file: Place = Field(description="Subjects, one per line; or an authors' list.")
    mark: str = Field("subj", description="In an authors' list: mark of the lines to read, as in `[subj] Danish`.")


class InterventionQuestions(Pinned):
    format: Literal[*FORMATS] = Field(
        LISTS, description="A folder of `lists`, or one of the authors' `*_squad.json` (`lei`)."
    )
    table: Place = Field(description="The folder or file.")
    subjects: Subjects | None = Field(None, description="Subjects instead of the folder's.")
    max_pairs: int | None = Field(
        None, ge=1, le=1_000_000, description="Largest number of pairs of subjects, sampled; empty: all."
    )
    models: Measured = Field(min_length=1)

    @property
    def files(self) -> list[str]:
        """The source files of the questions."""
        return [str(path) for path in formats.files(self.entry)]

    @property
    def entry(self) -> dict:
        """The settings that determine the questions, as plain data."""
        return self.model_dump(mode="json", exclude={"models", "git", "revision"})

    @model_validator(mode="after")
    def _questions_can_be_read(self) -> "InterventionQuestions":
        if self.format == LEI and (self.subjects or self.max_pairs):
            key = "subjects" if self.subjects else "max_pairs"
            raise ValueError(f"'{key}' belongs to 'format: {LISTS}'; a file of the authors has its own questions")
        try:
            next(formats.read(self.entry, seed=0))
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class Interventions(Section):
    by_kind: ClassVar[ByKind] = scored(
        {kind: names for form in stimuli.FORMS for kind, names in stimuli.QUANTITIES[form].items()}
    )
    can_plant: ClassVar[bool] = True

    questions: dict[Name, InterventionQuestions] = Field({})
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, name of the questions) of everything measured."""
        return [(model, name) for name, entry in self.questions.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            yield Need(f"interventions.questions.{name}.models", model, self.by_kind, "a choice between two subjects")

    def offers(self) -> dict[str, Collection[str]]:
        return {"questions": self.questions}

    def named(self) -> dict[str, Iterable[str]]:
        return {"interventions.questions": self.questions}
