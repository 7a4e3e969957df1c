"""The section of the configuration on Categorical Bias."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from herbarium.core.section import ByKind, Correction, Family, Level, Name, Need, Section, read_by
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.targets import MEASURES_OF_MODELS
from herbarium.models.kinds import Kind

ListFolder = Annotated[Path, read_by(stimuli.read)]


class Tests(Section):
    permutations: int = Field(
        999, ge=1, le=100_000, description="Permutations of attributes in the test against chance."
    )
    correction: Correction = "holm"


class Language(Section):
    lists: dict[Name, ListFolder] = Field(
        min_length=1, description="Folders of templates, targets and attributes; the first is primary."
    )
    models: list[Name] = Field(min_length=1, description="Models to measure; the first is the language's own.")


class CategoricalBias(Section):
    by_kind: ClassVar[ByKind] = ByKind({Kind.masked: "log P'", Kind.causal: "log P' by the likelihood of sentences"})
    can_plant: ClassVar[bool] = True

    languages: dict[Name, Language] = Field({})
    ddof: int = Field(1, ge=0, le=1, description="The variance over n targets is divided by n − ddof.")
    shown: list[str] = Field(
        ["enemy", "pirate"], description="Attributes whose distributions over targets are plotted."
    )
    level: Level = 0.95
    tests: Tests = Tests()

    @property
    def models(self) -> list[str]:
        """Every model that is measured in any language, once."""
        return list(dict.fromkeys(model for language in self.languages.values() for model in language.models))

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, language) of everything measured."""
        return stimuli.measured(self.model_dump(mode="json")["languages"])

    @property
    def leading(self) -> dict[str, str]:
        """Language -> its leading list."""
        return stimuli.leading(self.model_dump(mode="json")["languages"])

    def needs(self) -> Iterator[Need]:
        for language, entry in self.languages.items():
            for name in entry.models:
                yield Need(f"categorical_bias.languages.{language}.models", name, self.by_kind, "log P'")

    def families(self) -> Iterator[Family]:
        for name, language in self.languages.items():
            yield Family(
                "categorical_bias.tests.permutations",
                f"the covariances across forms of a model in {name}",
                2 * len(language.lists),  # of two definitions; of a causal model one
                self.tests.permutations + 1,
                1,
                self.tests.correction,
            )

    def measures_of_models(self) -> list[str]:
        return [MEASURES_OF_MODELS] if self.languages else []

    def named(self) -> dict[str, Iterable[str]]:
        return {"categorical_bias.languages": self.languages}
