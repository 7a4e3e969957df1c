"""The section of the configuration on regions in the vectors of words in context."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from herbarium.core.resources import read_template
from herbarium.core.section import ByKind, Level, Name, Section, Wanted, WordList, read_by
from herbarium.metrics.regions_in_context import stimuli
from herbarium.models.by_kind import VECTORS
from herbarium.models.kinds import Kind

_TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")
Template = Annotated[Path, read_by(partial(read_template, wanted=set(stimuli.SLOTS)))]


class RegionsInContextSet(Section):
    templates: dict[Name, Template] = Field(
        {"published": Path("resources/herb/templates/published.txt")},
        min_length=1,
        description="Files with one template each, with [region] and [description]; of several, each is predicted "
        "from the others.",
    )
    descriptions: list[WordList] = Field(
        [Path(f"resources/herb/descriptions/{topic}.txt") for topic in _TOPICS],
        min_length=1,
        description="Lists of descriptions; a word in two lists counts once.",
    )
    word: str | None = Field(
        None, description="Word of the templates whose vector is measured; empty: the description."
    )
    stereotypes: Literal[stimuli.PLANTED] | Annotated[Path, read_by(stimuli.read_stereotypes)] | None = Field(
        None,
        description="CSV of `region` and `description` that stereotypes associate; only these regions are measured. "
        "Or those of the testbed (`planted`).",
    )
    vectors: list[Name] = Field(min_length=1, description="Sources of vectors to measure.")


class RegionsInContext(Section):
    by_kind: ClassVar[ByKind] = ByKind(
        {**VECTORS.computed, Kind.causal: "vectors of its layers, of words that come after the region"}
    )
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    sets: dict[Name, RegionsInContextSet] = Field({})
    max_regions: int = Field(20, ge=5, le=1000, description="Largest number of countries of a set, sampled.")
    folds: int = Field(5, ge=2, le=100, description="Folds of cross-validation.")
    level: Level = 0.95

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(source of vectors, name of the set) of everything measured."""
        return [(source, name) for name, entry in self.sets.items() for source in entry.vectors]

    def vectors_wanted(self) -> Iterator[Wanted]:
        for name, entry in self.sets.items():
            for source in entry.vectors:
                yield Wanted(f"regions_in_context.sets.{name}.vectors", source, in_sentences=True)

    def named(self) -> dict[str, Iterable[str]]:
        return {"regions_in_context.sets": self.sets}
