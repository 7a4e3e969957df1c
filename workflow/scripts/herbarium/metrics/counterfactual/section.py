"""The section of the configuration on counterfactual sentences."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from herbarium.core.section import ByKind, Level, Measured, Need, Section, read_by
from herbarium.models.kinds import Kind
from herbarium.training.section import table_of
from herbarium.training.swapping import read_pairs

Terms = Annotated[Path, read_by(read_pairs)]
_NO_CHANGE = "its score of a sentence is the mean before and after the swap, so that a swap changes nothing"


class Counterfactual(Section):
    by_kind: ClassVar[ByKind] = ByKind(
        dict.fromkeys((Kind.masked, Kind.causal), "the scores that other metrics ask of it, with words swapped")
    )

    models: Measured = Field([])
    table: Terms | None = Field(
        None, description="CSV of gendered words: `male`, `female`, `part`; empty: ours for English."
    )
    level: Level = 0.95

    @property
    def words(self) -> Path:
        """The table of gendered words."""
        return table_of("gender", self.table)

    def needs(self) -> Iterator[Need]:
        for name in self.models:
            yield Need("counterfactual.models", name, self.by_kind, "a swap of words", _NO_CHANGE)
