"""The section of the configuration on mixed effects."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from herbarium.core.section import Name, Need, Section, read_by
from herbarium.metrics.mixed_effects import stimuli

# What neutralised scores leave of the response.
NO_DIFFERENCE = (
    "in it every word scores as its counterpart does, so that the difference to be measured is 0 whatever the model"
)
StimuliFolder = Annotated[Path, read_by(stimuli.read)]


class Stimuli(Section):
    lists: StimuliFolder = Field(
        description="Folder with templates.csv, pairs.csv, pronouns.csv and targets.csv; those of the paper are in "
        "resources/mixed_effects/."
    )
    models: list[Name] = Field(min_length=1, description="Masked and causal models to measure, by their names.")
    determiners: list[str] = Field(
        ["the", "my", "your", "our", "their"],
        min_length=1,
        description="Candidates before a gendered noun; for each noun, the sentence with the lowest pseudo-perplexity "
        "is kept.",
    )
    lowercase: bool = Field(
        True, description="Sentences in lower case, as published; otherwise they begin with a capital."
    )


class MixedEffects(Section):
    stimuli: dict[Name, Stimuli] = Field({}, description="Sets of stimuli by the names the results will use.")
    sensitivity: list[Literal["pairs", "words", "slopes", "templates"]] = Field(
        [],
        description="Further fits: with a random intercept for the gendered pair (`pairs`), for the gendered word "
        "(`words`), for both and random slopes of gender over templates and targets (`slopes`, the maximal model); "
        "without each template in turn (`templates`).",
    )

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, set of stimuli) of all that is measured."""
        return [(model, name) for name, entry in self.stimuli.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured with any stimuli, each once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def lists_of(self, model: str) -> dict[str, str]:
        """The folders of lists of all stimuli that a model is measured with, by the names of these."""
        return {name: str(entry.lists) for name, entry in self.stimuli.items() if model in entry.models}

    def needs(self) -> Iterator[Need]:
        for key, entry in self.stimuli.items():
            for name in entry.models:
                place = f"mixed_effects.stimuli.{key}.models"
                yield Need(place, name, set(stimuli.QUANTITIES), "the association", NO_DIFFERENCE)

    def named(self) -> dict[str, Iterable[str]]:
        return {"mixed_effects.stimuli": self.stimuli}
