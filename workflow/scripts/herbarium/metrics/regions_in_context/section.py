"""The section of the configuration on regions in the vectors of words in context."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from herbarium.core.resources import read_template
from herbarium.core.section import Name, Section, Wanted, WordList, read_by
from herbarium.metrics.regions_in_context import stimuli

_TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")
Template = Annotated[Path, read_by(partial(read_template, wanted=set(stimuli.SLOTS)))]


class RegionsInContextSet(Section):
    templates: dict[Name, Template] = Field(
        {"published": Path("resources/herb/templates/published.txt")},
        min_length=1,
        description="Name: file with one template, with [region] and [description]. Of several, regions are told in "
        "each from what was learned of the others.",
    )
    descriptions: list[WordList] = Field(
        [Path(f"resources/herb/descriptions/{topic}.txt") for topic in _TOPICS],
        min_length=1,
        description="Lists of descriptions, one a line; a word in two lists counts once.",
    )
    word: str | None = Field(
        None, description="Word of the templates whose vector is looked at; empty: that of the description."
    )
    stereotypes: Literal[stimuli.PLANTED] | Annotated[Path, read_by(stimuli.read_stereotypes)] | None = Field(
        None,
        description="CSV of `region`, as the hierarchy calls it, and `description`: what stereotypes have to do with "
        "each other, of which only these regions are then measured; or `planted`: what texts of the testbed have; "
        "empty: there are none, and what needs them is left out.",
    )
    vectors: list[Name] = Field(
        min_length=1, description="Sources of vectors to measure, by their names: of models, in layers."
    )


class RegionsInContext(Section):
    sets: dict[Name, RegionsInContextSet] = Field({}, description="Sets of sentences, by their names.")
    max_regions: int = Field(20, ge=5, le=1000, description="At most so many countries of a set, drawn at random.")
    folds: int = Field(5, ge=2, le=100, description="Folds of cross-validation.")
    level: float = Field(0.95, gt=0, lt=1, description="Coverage of the intervals.")

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(source of vectors, name of the set) of all that is measured."""
        return [(source, name) for name, entry in self.sets.items() for source in entry.vectors]

    def vectors_wanted(self) -> Iterator[Wanted]:
        for name, entry in self.sets.items():
            for source in entry.vectors:
                yield Wanted(f"regions_in_context.sets.{name}.vectors", source, in_sentences=True)

    def named(self) -> dict[str, Iterable[str]]:
        return {"regions_in_context.sets": self.sets}
