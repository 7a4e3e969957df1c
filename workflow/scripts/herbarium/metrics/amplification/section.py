"""The section of the configuration on bias amplification."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Correction, Level, LocalPath, Name, Reference, Section, paths
from herbarium.decisions.section import Groups, Margin
from herbarium.models.by_kind import CLASSIFIERS
from herbarium.models.data import Pinned, Place


class Ratios(Pinned):
    table: Place = Field(description="Rates in training, before and after, in the authors' format.")


class Structured(Section):
    """Structured outputs that are decided within constraints: planted, or from the authors' potentials."""

    SHAPES: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"planted"}),
        frozenset({"potentials", "labels"}),
        frozenset({"potentials", "arguments", "words", "rates"}),
    )

    planted: int | None = Field(
        None, ge=2, le=100, description="Activities of a conditional random field that learns from planted data."
    )
    potentials: LocalPath | None = Field(
        None, description="Potentials: of MS-COCO a pickle, `.npy` or `.npz`; of imSitu a folder of `.npz`."
    )
    labels: LocalPath | None = Field(None, description="MS-COCO: training labels, in the same formats.")
    arguments: LocalPath | None = Field(None, description="imSitu: the column of `arg` for each noun in each role.")
    words: LocalPath | None = Field(None, description="imSitu: names of the nouns.")
    rates: LocalPath | None = Field(
        None, description="imSitu: `activity, rate` of the constrained activities in training."
    )

    @property
    def files(self) -> list[str]:
        """Its source files: for a folder, the files that are read."""
        of_each = (sorted(path.glob("*.npz")) if path.is_dir() else [path] for path in paths(self))
        return [str(path) for files in of_each for path in files]

    @model_validator(mode="after")
    def _one_shape(self) -> "Structured":
        given = {name for name, value in self if value is not None}
        if given not in self.SHAPES:
            raise ValueError(
                "give 'planted'; or 'potentials' and 'labels' (MS-COCO); or 'potentials', 'arguments', 'words' and "
                "'rates' (imSitu)"
            )
        return self


class Amplification(Groups):
    """Bias amplification: groups further apart in predictions than in training."""

    by_kind: ClassVar[ByKind] = CLASSIFIERS
    takes: ClassVar[tuple[str, ...]] = ("downstream.tasks",)

    tasks: list[Name] = Field([], description="Tasks of `downstream` to measure.")
    texts: Literal["prefixed", "named"] = Field(
        "prefixed",
        description="With groups of regions: test texts after each country (`prefixed`), or those that name a group "
        "(`named`).",
    )
    margins: list[Margin] = Field([0.01, 0.02, 0.1, 0.2], description="Further margins, for the figure of their costs.")
    level: Level = 0.95
    correction: Correction = "fdr_bh"
    ratios: dict[Name, Ratios] = Field({}, description="Published tables of rates to recompute.")

    structured: dict[Name, Structured] = Field(
        {}, description="Structured outputs: activities and who does them, objects and who is there."
    )

    def refers(self) -> Iterator[Reference]:
        for number, task in enumerate(self.tasks):
            yield Reference(f"amplification.tasks.{number}", task, "downstream.tasks")

    def named(self) -> dict[str, Iterable[str]]:
        return {"amplification.ratios": self.ratios, "amplification.structured": self.structured}

    @model_validator(mode="after")
    def _tasks_once(self) -> "Amplification":
        if len(set(self.tasks)) != len(self.tasks):
            raise ValueError("tasks: one is repeated")
        return self

    @model_validator(mode="after")
    def _beside_tasks(self) -> "Amplification":
        for key in ("ratios", "structured"):
            if getattr(self, key) and not self.tasks:
                raise ValueError(f"{key}: needs 'tasks', in whose part of the page it appears")
        if both := sorted(set(self.structured) & set(self.tasks)):
            raise ValueError(f"structured.{both[0]}: a task has this name")
        return self
