"""The section of the configuration on mixed effects."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from herbarium.core.section import ByKind, Measured, Name, Need, Section, read_by
from herbarium.metrics.mixed_effects import stimuli
from herbarium.models.by_kind import scored

# The response with neutralised scores.
NO_DIFFERENCE = "in it every word scores like its counterpart, so that the measured difference is 0 for any model"
StimuliFolder = Annotated[Path, read_by(stimuli.read)]


class Stimuli(Section):
    lists: StimuliFolder = Field(description="Folder of templates, pairs, pronouns and targets.")
    models: Measured = Field(min_length=1)
    determiners: list[str] = Field(
        ["the", "my", "your", "our", "their"], min_length=1, description="Candidates before a gendered noun."
    )
    lowercase: bool = Field(True, description="Sentences in lower case, as published.")


class MixedEffects(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES)
    can_plant: ClassVar[bool] = True
    only_with: ClassVar[str] = "mixed_models.are_fitted"
    renamed: ClassVar[dict[str, str]] = {
        "engine": "mixed_models.engine",
        "bootstrap": "mixed_models.bootstrap",
        "tests": "mixed_models.tests",
        "probes": "mixed_effects.stimuli",
        "crows_pairs": "crows_pairs",
        "regions": "herb.groups",
    }

    stimuli: dict[Name, Stimuli] = Field({})
    sensitivity: list[Literal["pairs", "words", "slopes", "templates"]] = Field(
        [], description="Further fits (docs/metrics/mixed_effects.md)."
    )

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, set of stimuli) of everything measured."""
        return [(model, name) for name, entry in self.stimuli.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured with any stimuli, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def lists_of(self, model: str) -> dict[str, str]:
        """The folders of lists of all stimuli with which a model is measured, by name."""
        return {name: str(entry.lists) for name, entry in self.stimuli.items() if model in entry.models}

    def needs(self) -> Iterator[Need]:
        for key, entry in self.stimuli.items():
            for name in entry.models:
                place = f"mixed_effects.stimuli.{key}.models"
                yield Need(place, name, self.by_kind, "the association", NO_DIFFERENCE)

    def named(self) -> dict[str, Iterable[str]]:
        return {"mixed_effects.stimuli": self.stimuli}
