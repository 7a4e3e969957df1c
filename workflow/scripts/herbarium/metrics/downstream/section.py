"""The section of the configuration on downstream tasks."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.errors import require_known
from herbarium.core.resources import slots
from herbarium.core.section import (
    COMMIT,
    HUB,
    Correction,
    LocalPath,
    Name,
    Need,
    Places,
    QuickBootstrap,
    Section,
    Value,
    WordList,
)
from herbarium.decisions.section import Constrained
from herbarium.models.comparisons import Compared
from herbarium.models.data import Data
from herbarium.models.kinds import TUNABLE
from herbarium.models.recipes import NO_WEIGHTS
from herbarium.regions.mentions import LEVELS
from herbarium.training.section import FineTuning

WORDS = [
    Path(f"resources/herb/descriptions/{topic}.txt")
    for topic in ("occupation", "intelligence", "appearance", "strength", "morality")
]


class TaskData(Data):
    """Exactly one of `SOURCES` gives the source of the texts."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {**Data.OWNED, "texts": ("planted",)}

    planted: float | None = Field(
        None,
        ge=0,
        le=10,
        description="Strength with which the label depends on the region: the workflow writes the texts itself (see "
        "`downstream/planted_text.py`), with their own columns, labels and split.",
    )
    texts: int = Field(2400, ge=80, le=1_000_000, multiple_of=8, description="Number of planted texts.")


class Split(Section):
    """Either the split of the data (`train`, `test` and its `column`), or one made by `test_share`."""

    column: str | None = Field(
        None, description="Column that says which split a row is in; empty: the splits of the hub data set."
    )
    train: list[Value] | None = Field(
        None, min_length=1, description="Values of the column, or splits of the hub data set, to train on."
    )
    test: list[Value] | None = Field(None, min_length=1, description="The same to test on; other rows are left out.")
    test_share: float | None = Field(
        None, gt=0, lt=1, description="Share of the rows to test on, for data without a split, stratified by label."
    )
    balanced: bool = Field(
        False,
        description="With `test_share`: the same number of rows for each label, by sampling the more frequent one.",
    )

    @model_validator(mode="after")
    def _one_form(self) -> "Split":
        named = self.column is not None or self.train is not None or self.test is not None
        if named == (self.test_share is not None):
            raise ValueError("a split is either 'train' and 'test' (with 'column' for a table) or 'test_share'")
        if named and (self.train is None or self.test is None):
            raise ValueError("'train' and 'test' belong together")
        if named and self.balanced:
            raise ValueError("'balanced' belongs to 'test_share'")
        if named and (both := set(self.train) & set(self.test)):
            raise ValueError(f"'{min(both)}' is in 'train' and in 'test'")
        return self


class Attribute(Section):
    """Groups of texts that columns of the data name: the values of one `column`, or one column a group (`columns`)."""

    column: str | None = Field(None, description="Column whose values are the groups.")
    values: list[Value] = Field(
        [], description="With `column`: the values to compare, two or more; texts with another are in no group."
    )
    columns: list[str] = Field(
        [],
        description="Instead: one column for each group, two or more, with 0 or 1, or the share of annotators who see "
        "the group in a text. A text of several of these groups, or of none, is in no group.",
    )
    at_least: float = Field(0.5, gt=0, le=1, description="With `columns`: the least number for a text in a group.")

    @property
    def names(self) -> list[str]:
        """Of its groups; the first two are group 0 and group 1."""
        return self.values or self.columns

    @property
    def read(self) -> list[str]:
        """The columns of the data that it needs."""
        return [self.column] if self.column else self.columns

    @model_validator(mode="after")
    def _one_form(self) -> "Attribute":
        if (self.column is None) == (not self.columns) or bool(self.values) != (self.column is not None):
            raise ValueError("groups are either the 'values' of a 'column', or 'columns', one for each group")
        if len(set(self.names)) != len(self.names) or len(self.names) < 2:
            raise ValueError(f"groups: {self.names} are not two or more different groups")
        return self


class Classifier(Section):
    """A published fine-tuned model; exactly one of `hub` and `path` gives its weights."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(None, pattern=HUB, description="Hub id, `organisation/name`.")
    revision: str | None = Field(
        None, pattern=COMMIT, description="Commit of the hub model, 40 hex digits; needed with `hub`."
    )
    path: LocalPath | None = Field(
        None, description="Local folder with configuration, tokenizer and safetensors weights."
    )
    positive: str = Field(description="Its name for the positive class, such as `LABEL_1`.")

    @model_validator(mode="after")
    def _one_source(self) -> "Classifier":
        if (self.hub is None) == (self.path is None):
            raise ValueError("a classifier has exactly one of 'hub' and 'path'")
        if (self.hub is None) != (self.revision is None):
            raise ValueError("'hub' and 'revision', the commit of 40 hex digits, belong together")
        return self


class Task(Section):
    data: TaskData = Field(description="Where the labelled texts come from.")
    text: str = Field("text", description="Column of the texts.")
    label: str = Field("label", description="Column of the labels.")
    id: str | None = Field(None, description="Column with the id of a row; empty: rows are numbered, by split.")
    source: str | None = Field(
        None,
        description="Regular expression on the id whose first group names the whole that texts are parts of, such as a "
        "comment. A split made by the workflow never divides the parts of one whole.",
    )
    negative: list[Value] = Field([], description="Labels of the negative class, as they are in the data.")
    positive: list[Value] = Field([], description="Labels of the positive class.")
    ignored: list[Value] = Field([], description="Labels whose rows are left out; any other label is an error.")
    split: Split | None = Field(None, description="Which rows to train on and which to test on.")
    groups: dict[Name, Attribute] = Field(
        {},
        description="Groups of texts that columns of the data name, by attribute, such as `gender`. They are compared "
        "on the texts as they are, without a region.",
    )
    prefix: str = Field(description="Sentence that puts a region before a text, with [region] once.")
    controls: list[str] = Field(
        min_length=1,
        description="What fills the same slot without a region; its effect is subtracted from the regions'.",
    )
    max_test_samples: int | None = Field(
        None, ge=2, le=10_000_000, description="Largest number of texts to test on, stratified by label; empty: all."
    )
    sets: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="Number of training sets; 1: each model learns from all training texts, and how classifiers vary "
        "is not known. Empty: `downstream.training.sets`.",
    )
    models: list[Name] = Field([], description="Models to fine-tune and measure, by name.")
    classifiers: dict[Name, Classifier] = Field(
        {}, description="Published fine-tuned models by the names the results will use; they are not trained."
    )
    constrained: dict[Name, Constrained] = Field(
        {},
        description="Predictions of models and classifiers of the task, decided again within constraints, by the names "
        "the results will use (docs/metrics/amplification.md).",
    )

    @model_validator(mode="after")
    def _constrained_are_of_the_task(self) -> "Task":
        known = (*self.models, *self.classifiers)
        for name, entry in self.constrained.items():
            require_known(f"constrained.{name}.from", entry.base, known, "models and classifiers of the task")
            if name in known:
                raise ValueError(f"constrained: '{name}' is already the name of a model or classifier of the task")
            if entry.groups not in LEVELS:
                require_known(f"constrained.{name}.groups", entry.groups, self.groups, "groups of the task")
        return self

    @model_validator(mode="after")
    def _fits_its_data(self) -> "Task":
        owned = ("text", "label", "id", "source", "negative", "positive", "ignored", "split")
        if self.data.planted is not None:
            for key in owned:
                if getattr(self, key) != type(self).model_fields[key].default:
                    raise ValueError(f"'{key}' is not for planted texts, which have their own")
            return self
        for key in ("negative", "positive", "split"):
            if not getattr(self, key):
                raise ValueError(f"'{key}' is missing")
        if self.data.hub is None and self.split.test_share is None and self.split.column is None:
            raise ValueError("a table has no splits of its own: 'split' needs a 'column', or 'test_share'")
        return self

    @model_validator(mode="after")
    def _labels_are_told_apart(self) -> "Task":
        seen: dict[str, str] = {}
        for key in ("negative", "positive", "ignored"):
            for value in getattr(self, key):
                if value in seen:
                    raise ValueError(f"the label '{value}' is in '{seen[value]}' and again in '{key}'")
                seen[value] = key
        return self

    @model_validator(mode="after")
    def _source_is_an_expression(self) -> "Task":
        if self.source is None:
            return self
        if self.id is None:
            raise ValueError("'source' is matched against the id: name its column, 'id'")
        try:
            n_groups = re.compile(self.source).groups
        except re.error as error:
            raise ValueError(f"source: '{self.source}' is not a regular expression ({error})") from error
        if n_groups == 0:
            raise ValueError(f"source: '{self.source}' has no group; put in parentheses what names the source")
        return self

    @model_validator(mode="after")
    def _prefixes_can_be_made(self) -> "Task":
        if slots(self.prefix) != ["region"]:
            raise ValueError(f"prefix: '{self.prefix}' must have [region] once, and no other slot")
        for key, texts in (("prefix", [self.prefix]), ("controls", self.controls)):
            for text in texts:
                if not text or text != text.strip():
                    raise ValueError(
                        f"{key}: '{text}' is empty, or has leading or trailing white space, which the model would read"
                    )
        if len(set(self.controls)) != len(self.controls):
            raise ValueError("controls: one is repeated")
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """As plain data, the keys that the examples depend on, not those of their measurement."""
        others = {"sets", "models", "classifiers", "constrained"} | (
            {"prefix", "controls"} if self.data.planted is None else set()
        )
        others |= set() if self.groups else {"groups"}
        return self.model_dump(mode="json", exclude=others)


class PrefixRegions(Section):
    countries: Literal["all"] | list[str] = Field(
        "all", description="`all` of the study's hierarchy, or a list of ISO 3166 two-letter codes or region ids."
    )
    cities: list[str] = Field(
        [],
        description="Cities of the hierarchy by name or region id; each is used on its own, and as `city, country`.",
    )


class Training(FineTuning):
    """How the models of a task are fine-tuned."""

    renamed: ClassVar[dict[str, str]] = {"seeds": "downstream.training.sets"}

    sets: int = Field(
        3,
        ge=1,
        le=1000,
        description="Number of training sets: the training texts are divided into this many disjoint parts. Each model "
        "is fine-tuned on each of them, with its own seed.",
    )


class DownstreamTests(Section):
    correction: Correction = Field(
        "fdr_bh", description="Adjustment of the p-values of a family: one task and model, over all countries."
    )


class Downstream(Section):
    renamed: ClassVar[dict[str, str]] = {"local_groups": "local_group_bias"}

    tasks: dict[Name, Task] = Field({}, description="The tasks by the names the results will use; empty: none.")
    regions: PrefixRegions = Field(PrefixRegions(), description="Which regions are put before the texts.")
    nonsense: WordList = Field(
        Path("resources/regions/made_up_names.txt"),
        description="Made-up place names, one per line; they are controls as well.",
    )
    words: list[WordList] = Field(
        WORDS, min_length=1, description="Files of words from which planted texts are made, one per line."
    )
    training: Training = Field(Training(), description="Fine-tuning.")
    bootstrap: QuickBootstrap = Field(QuickBootstrap(), description="Intervals of the downstream measures.")
    tests: DownstreamTests = Field(DownstreamTests(), description="Tests of the downstream measures.")

    @property
    def asked(self) -> list[tuple[str, str]]:
        """(task, model) of everything that predicts: fine-tuned models, and published classifiers."""
        return [(task, name) for task, entry in self.tasks.items() for name in (*entry.models, *entry.classifiers)]

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(task, model) of everything that is measured: classifiers, and their predictions decided again."""
        return [
            (task, name)
            for task, entry in self.tasks.items()
            for name in (*entry.models, *entry.classifiers, *entry.constrained)
        ]

    def base(self, task: str, model: str) -> str:
        """The model or classifier whose predictions are decided again; itself if they are its own."""
        constrained = self.tasks[task].constrained
        return constrained[model].base if model in constrained else model

    @property
    def planted(self) -> dict[str, float | None]:
        """The strength of the texts of each task, None for those that are not planted."""
        return {task: entry.data.planted for task, entry in self.tasks.items()}

    def trained(self, task: str) -> Training:
        """How the models of a task are fine-tuned."""
        n_sets = self.tasks[task].sets
        return self.training if n_sets is None else self.training.model_copy(update={"sets": n_sets})

    def groups(self, task: str) -> dict[str, list[str]]:
        """The names of the groups of a task's texts, by attribute."""
        return {attribute: entry.names for attribute, entry in self.tasks[task].groups.items()}

    def runs(self, task: str, model: str) -> list[str]:
        """The classifiers of a model in a task: one per training set, or the published one."""
        if self.base(task, model) in self.tasks[task].classifiers:
            return ["published"]
        return [f"set-{number}" for number in range(1, self.trained(task).sets + 1)]

    def of_models(self, task: str) -> list[str]:
        """The models of a task, and their predictions decided again, by name."""
        return sorted([*self.tasks[task].models, *self._decided_again(task)])

    def compared(self, task: str, study) -> list[Compared]:
        """The comparisons among the models of a task (`study.config.Study.compared`); and each with its predictions
        decided again."""
        decided = [(base, name, base, name) for name, base in self._decided_again(task).items()]
        return [*study.compared(self.tasks[task].models), *decided]

    def _decided_again(self, task: str) -> dict[str, str]:
        """Predictions of a task's models that are decided again, by name -> the model."""
        entry = self.tasks[task]
        return {
            name: constraint.base for name, constraint in entry.constrained.items() if constraint.base in entry.models
        }

    def unused(self) -> Iterator[tuple[str, str]]:
        measured = {task for task, _ in self.measured}
        for task in [task for task in self.tasks if task not in measured]:
            yield f"downstream.tasks.{task}", "a model or classifier of the task (`models`, `classifiers`)"

    def needs(self) -> Iterator[Need]:
        for task, entry in self.tasks.items():
            for name in entry.models:
                yield Need(f"downstream.tasks.{task}.models", name, TUNABLE, "a classifier", NO_WEIGHTS, False)

    def named(self) -> dict[str, Iterable[str]]:
        return {"downstream.tasks": self.tasks}

    def places(self) -> Iterator[Places]:
        if self.tasks and self.regions.countries != "all":
            yield Places("downstream.regions.countries", self.regions.countries, by_code=True)

    def further_models(self) -> dict[str, Iterable[str]]:
        models = {f"downstream.tasks.{task}.classifiers": entry.classifiers for task, entry in self.tasks.items()}
        return models | {
            f"downstream.tasks.{task}.constrained": entry.constrained for task, entry in self.tasks.items()
        }
