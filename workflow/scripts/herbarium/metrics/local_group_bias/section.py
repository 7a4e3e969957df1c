"""The section of the configuration on local group bias."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Family, Places, Section
from herbarium.metrics.local_group_bias.names import CORRECTION
from herbarium.models.by_kind import CLASSIFIERS


class LocalGroupBias(Section):
    """Local group bias (LOGAN): bias between two groups in clusters of texts."""

    by_kind: ClassVar[ByKind] = CLASSIFIERS

    clusters: int = Field(10, ge=2, le=1000, description="Clusters of texts.")
    strength: float = Field(5, ge=0, le=1_000_000, description="Weight of the bias against the inertia of clusters.")
    permutations: int = Field(200, ge=1, le=100_000, description="Permutations of groups, for sampling noise alone.")
    restarts: int = Field(3, ge=1, le=1000, description="Starts of each clustering; the best is kept.")
    pairs: list[list[str]] = Field([], description="Pairs of regions to compare, by region id.")
    continents: list[str] = Field([], description="Continents to compare with the rest, by region id.")

    def families(self) -> Iterator[Family]:
        if n := len(self.pairs) + len(self.continents):
            yield Family("local_group_bias.permutations", "local group bias", n, self.permutations + 1, 1, CORRECTION)

    def places(self) -> Iterator[Places]:
        yield Places("local_group_bias.pairs", [region for pair in self.pairs for region in pair])
        yield Places("local_group_bias.continents", self.continents)

    @model_validator(mode="after")
    def _pairs_are_of_two(self) -> "LocalGroupBias":
        for pair in self.pairs:
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ValueError(f"pairs: {pair} is not a pair; give two region ids, such as [country:IE, country:MX]")
        return self
