"""The section of the configuration on propagation."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from herbarium.core.section import ByKind, Correction, Name, QuickBootstrap, Reference, Section
from herbarium.models.by_kind import CLASSIFIERS


class PropagationTests(Section):
    correction: Correction = Field("fdr_bh", description="Adjustment of the p-values of a family.")


class Propagation(Section):
    by_kind: ClassVar[ByKind] = CLASSIFIERS
    takes: ClassVar[tuple[str, ...]] = ("downstream.tasks",)

    tasks: list[Name] | None = Field(
        None, description="Tasks of `downstream` to correlate with intrinsic measures, by name; empty: all."
    )
    bootstrap: QuickBootstrap = Field(QuickBootstrap(), description="Intervals of the correlations.")
    tests: PropagationTests = Field(PropagationTests(), description="Tests of the correlations.")

    def refers(self) -> Iterator[Reference]:
        for number, task in enumerate(self.tasks or []):
            yield Reference(f"propagation.tasks.{number}", task, "downstream.tasks")
