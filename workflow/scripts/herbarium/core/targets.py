"""The targets of a study, as lists of files: the same lists for every metric, and their sum for the whole study.

Paths begin with `<results>/`, the rules' name for the results folder, or with `<work>/`, for what is in between.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

from herbarium.core import steps
from herbarium.core.files import figure_at


class Source(NamedTuple):
    """What a rule reads from the hub or a repository, besides the study's models: the key of the configuration that
    names it, that entry as plain data, and the job that reads it, or the wildcards of those that do."""

    key: str
    entry: dict
    is_data: bool
    rule: str
    wildcards: dict[str, str]


@dataclass(frozen=True)
class Targets:
    """
    - sources: models and data sets from elsewhere, besides the study's models
    - shards: stimuli -> number of files that they are divided into (`<work>/stimuli/{stimuli}/{shard}.parquet`)
    - tuned_by: stimuli -> other stimuli, on a sample of which scoring is tuned for them
    - scored: (model, stimuli) to score
    - planted: model -> files with the text that it learns, for models that the workflow trains
    - grouped: (model, data) -> file of scores of units in groups, whose profiles are compared (`statistics.grouped`)
    - fits: tables of fitted mixed models, whose p-values are adjusted together
    - numbers: tidy numbers, which make the summary
    - replicates: resamples on shared seeds
    - changes: primary numbers before and after a change of the model, and their differences (`statistics.changes`)
    - published: published figures compared with ours
    - calibration: numbers for models and texts with a planted bias
    - items: the values that primary numbers are means of, for reliability
    - costs: (model, what runs) -> sample of its cost, besides scoring (`core.costs`)
    - validity: error rates by simulation, as `make validity` wrote them: paths in the project
    - figures: names of figures, each of which is a table and its picture
    - tables: tables for people
    - parts: parts of the page, in its order
    - cards: of metrics to which the workflow gives a figure and a part
    """

    sources: list[Source] = field(default_factory=list)
    shards: dict[str, int] = field(default_factory=dict)
    tuned_by: dict[str, str] = field(default_factory=dict)
    scored: list[tuple[str, str]] = field(default_factory=list)
    planted: dict[str, list[str]] = field(default_factory=dict)
    grouped: dict[tuple[str, str], str] = field(default_factory=dict)
    fits: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    replicates: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    calibration: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    costs: dict[tuple[str, str], str] = field(default_factory=dict)
    validity: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    cards: list["Card"] = field(default_factory=list)

    def add(self, other: "Targets") -> None:
        """Add another's targets to these."""
        for attribute in fields(self):
            ours, theirs = getattr(self, attribute.name), getattr(other, attribute.name)
            if attribute.name == "planted":
                for model, files in theirs.items():
                    ours[model] = [*ours.get(model, []), *files]
            elif isinstance(ours, dict):
                ours |= theirs
            else:
                ours.extend(theirs)


@dataclass(frozen=True)
class Card:
    """What a metric from outside the clone says of itself. The workflow makes the rest, unless a rule of the metric
    does: the figure `{metric}_numbers`, and the part of the page.

    - metric: its name in the tidy table. numbers: their files. models: the records of what was measured.
    - measures: one line of plain English. unit: of a number. limits: what a number cannot say, a sentence.
    - null: the value without bias; None if that is unknown. directions: what a value above it means, and one below;
      None for a magnitude.
    - over: what `n` counts. family: the p-values that are adjusted together, in words. correction: how
      (`statistics.inference.adjust`). level: of the intervals.
    """

    metric: str
    numbers: list[str]
    models: list[str]
    measures: str
    unit: str
    limits: str
    null: float | None = 0.0
    directions: tuple[str, str] | None = None
    over: str = "units"
    family: str = "all numbers of a model"
    correction: str = "holm"
    level: float = 0.95

    @property
    def title(self) -> str:
        return titled(self.metric)

    def targets(self) -> Targets:
        """Nothing if nothing is measured."""
        if not self.numbers:
            return Targets()
        files = Files(self.metric)
        return Targets(numbers=list(self.numbers), figures=files.figures(["numbers"]), parts=[files.part], cards=[self])

    def words(self) -> dict:
        """What it says, without the files: plain data."""
        told = [field.name for field in fields(self) if field.name not in ("numbers", "models")]
        return {"title": self.title} | {name: getattr(self, name) for name in told}


@dataclass(frozen=True)
class Files:
    """Where a metric has what many metrics have.

    - metric: its name
    - source: whose figures are in its `published.csv`, as resources/scope.csv calls them; empty without figures
    """

    metric: str
    source: str = ""

    @property
    def planted(self) -> str:
        """The text that a planted model learns. A pattern, with `{model}`."""
        return filled(steps.TEXT, metric=self.metric)

    @property
    def published(self) -> str:
        return f"<work>/published/{self.metric}.parquet"

    @property
    def calibration(self) -> str:
        return filled(steps.CALIBRATION, metric=self.metric)

    @property
    def part(self) -> str:
        return filled(steps.PART, metric=self.metric)

    @property
    def validity(self) -> str:
        return f"resources/{self.metric}/validity.csv"

    def figures(self, names: Iterable[str]) -> list[str]:
        """The names of its figures in the results."""
        return names_of(self.metric, names)

    def table(self, name: str) -> str:
        """A table for people."""
        return table_files(*names_of(self.metric, [name]))[0]

    def tables(self, names: Iterable[str]) -> list[str]:
        return [self.table(name) for name in names]


def first_alike(made: Mapping[str, object]) -> dict[str, str]:
    """Name -> the first name with the same value: usually itself."""
    return {name: next(other for other in made if made[other] == value) for name, value in made.items()}


def titled(metric: str) -> str:
    """What a metric without a title of its own is called."""
    return metric.replace("_", " ").capitalize()


def filled(pattern: str, **values: object) -> str:
    """A pattern with these values in place of wildcards; its other wildcards stay, and those in values."""
    return re.sub(r"{(\w+)}", lambda wildcard: str(values.get(wildcard[1], wildcard[0])), pattern)


def names_of(metric: str, names: Iterable[str]) -> list[str]:
    """The names of figures or tables in the results, which begin with their metric, unless they are of the "study"."""
    return [name if metric == "study" else f"{metric}_{name}" for name in names]


def figure_files(*names: str) -> list[str]:
    """All files of figures: the picture in each format, the table that it shows, and the table's sidecar."""
    return [file for name in names for file in figure_at(f"<results>/figures/{name}")]


def table_files(*names: str) -> list[str]:
    """The tables for people of these names."""
    return [f"<results>/tables/{name}.csv" for name in names]


def list_tables(*folders: str | Path) -> list[str]:
    """The CSV tables in folders of lists."""
    return [str(file) for folder in folders for file in sorted(Path(folder).glob("[!.]*.csv"))]
