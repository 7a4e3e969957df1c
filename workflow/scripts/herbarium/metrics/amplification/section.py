"""The section of the configuration on bias amplification."""

from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field, model_validator

from herbarium.core.section import Correction, Name, Reference
from herbarium.decisions.section import Groups, Margin
from herbarium.models.data import Pinned, Place


class Ratios(Pinned):
    table: Place = Field(
        description="Published rates of activities in training, before and after, as the authors' result tables."
    )


class Amplification(Groups):
    """Bias amplification: groups further apart in predictions than in training."""

    tasks: list[Name] = Field([], description="Tasks of `downstream` to look at, by their names.")
    texts: Literal["prefixed", "named"] = Field(
        "prefixed",
        description="Of which texts predictions are taken: test texts with each country before them, or those that "
        "name a group themselves.",
    )
    margins: list[Margin] = Field(
        [0.01, 0.02, 0.1, 0.2], description="Further margins to decide within, for the figure of what they cost."
    )
    level: float = Field(0.95, gt=0, lt=1, description="Coverage of the intervals, over training sets and texts.")
    correction: Correction = Field("fdr_bh", description="Adjustment of the p-values of a model over the groups.")
    ratios: dict[Name, Ratios] = Field(
        {}, description="Published tables of rates, by their names: the published numbers are computed from them anew."
    )

    def refers(self) -> Iterator[Reference]:
        for number, task in enumerate(self.tasks):
            yield Reference(f"amplification.tasks.{number}", task, "downstream.tasks")

    def named(self) -> dict[str, Iterable[str]]:
        return {"amplification.ratios": self.ratios}

    @model_validator(mode="after")
    def _tasks_once(self) -> "Amplification":
        if len(set(self.tasks)) != len(self.tasks):
            raise ValueError("tasks: one stands there twice")
        return self
