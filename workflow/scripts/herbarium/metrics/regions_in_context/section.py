"""The section of the configuration on regions in the vectors of words in context."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from herbarium.core.resources import read_template
from herbarium.core.section import ByKind, Name, Section, Wanted, WordList, read_by
from herbarium.metrics.regions_in_context import stimuli
from herbarium.models.by_kind import VECTORS
from herbarium.models.kinds import Kind

_TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")
Template = Annotated[Path, read_by(partial(read_template, wanted=set(stimuli.SLOTS)))]


class RegionsInContextSet(Section):
    templates: dict[Name, Template] = Field(
        {"published": Path("resources/herb/templates/published.txt")},
        min_length=1,
        description="Name: file with one template, with [region] and [description]. If there are several, regions are "
        "predicted in each from what was learned on the others.",
    )
    descriptions: list[WordList] = Field(
        [Path(f"resources/herb/descriptions/{topic}.txt") for topic in _TOPICS],
        min_length=1,
        description="Lists of descriptions, one per line; a word in two lists counts once.",
    )
    word: str | None = Field(
        None, description="Word of the templates whose vector is measured; empty: the description."
    )
    stereotypes: Literal[stimuli.PLANTED] | Annotated[Path, read_by(stimuli.read_stereotypes)] | None = Field(
        None,
        description="CSV of `region`, as named in the hierarchy, and `description`: which regions and descriptions "
        "stereotypes associate; only these regions are then measured. Or `planted`: those in the texts of the "
        "testbed. Empty: none, and numbers that need them are left out.",
    )
    vectors: list[Name] = Field(min_length=1, description="Sources of vectors to measure, by name: layers of models.")


class RegionsInContext(Section):
    by_kind: ClassVar[ByKind] = ByKind(
        {**VECTORS.computed, Kind.causal: "vectors of its layers, of words that come after the region"}
    )
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    sets: dict[Name, RegionsInContextSet] = Field({}, description="Sets of sentences, by their names.")
    max_regions: int = Field(20, ge=5, le=1000, description="Largest number of countries of a set, a random sample.")
    folds: int = Field(5, ge=2, le=100, description="Folds of cross-validation.")
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals.")

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
