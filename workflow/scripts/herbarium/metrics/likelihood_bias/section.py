"""The section of the configuration on likelihood bias."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, Level, Measured, Name, Need, Section
from herbarium.metrics.likelihood_bias import stimuli
from herbarium.models.by_kind import scored
from herbarium.models.data import Pinned, Place


class DescriptorStimuli(Pinned):
    lists: Place = Field(description="Folder in HolisticBias's format.")
    axes: list[str] | None = Field(None, min_length=1, description="Axes to measure; empty: all.")
    models: Measured = Field(min_length=1)

    @property
    def files(self) -> list[str]:
        """The source files of the sentences."""
        return [str(path) for path in stimuli.files(self.lists)]

    @model_validator(mode="after")
    def _lists_can_be_read(self) -> "DescriptorStimuli":
        try:
            stimuli.read(self.lists, self.axes)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class LikelihoodBias(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES)
    can_plant: ClassVar[bool] = True

    stimuli: dict[Name, DescriptorStimuli] = Field({})
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, set of stimuli) of everything measured."""
        return [(model, name) for name, entry in self.stimuli.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            yield Need(f"likelihood_bias.stimuli.{name}.models", model, self.by_kind, "the perplexity of a sentence")

    def named(self) -> dict[str, Iterable[str]]:
        return {"likelihood_bias.stimuli": self.stimuli}
