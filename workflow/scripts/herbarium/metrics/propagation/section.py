"""The section of the configuration on propagation."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from herbarium.core.section import ByKind, Correction, Name, QuickBootstrap, Reference, Section
from herbarium.models.by_kind import CLASSIFIERS


class PropagationTests(Section):
    correction: Correction = "fdr_bh"


class Propagation(Section):
    by_kind: ClassVar[ByKind] = CLASSIFIERS
    takes: ClassVar[tuple[str, ...]] = ("downstream.tasks",)

    tasks: list[Name] | None = Field(
        None, description="Tasks of `downstream` to correlate with intrinsic measures; empty: all."
    )
    bootstrap: QuickBootstrap = QuickBootstrap()
    tests: PropagationTests = PropagationTests()

    def refers(self) -> Iterator[Reference]:
        for number, task in enumerate(self.tasks or []):
            yield Reference(f"propagation.tasks.{number}", task, "downstream.tasks")
