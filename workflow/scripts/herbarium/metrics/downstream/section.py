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
    ByKind,
    Correction,
    LocalPath,
    Measured,
    Name,
    Need,
    Places,
    QuickBootstrap,
    Section,
    Value,
    WordList,
)
from herbarium.decisions.section import Constrained
from herbarium.models.by_kind import CLASSIFIERS
from herbarium.models.comparisons import Compared
from herbarium.models.data import SPLIT_COLUMN, TEST, TEST_SHARE, TRAIN, Data
from herbarium.models.recipes import NO_WEIGHTS
from herbarium.regions.mentions import LEVELS
from herbarium.training.section import FineTuning, TrainingSets

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
        description="Generate texts whose labels depend on the region this strongly (docs/metrics/downstream.md).",
    )
    texts: int = Field(
        2400, ge=80, le=1_000_000, multiple_of=8, description="Number of planted texts, a multiple of 8."
    )


class Split(Section):
    """Either the split of the data (`train`, `test` and its `column`), or one made by `test_share`."""

    column: str | None = Field(None, description=SPLIT_COLUMN)
    train: list[Value] | None = Field(None, min_length=1, description=TRAIN)
    test: list[Value] | None = Field(None, min_length=1, description=TEST)
    test_share: float | None = Field(None, gt=0, lt=1, description=TEST_SHARE)
    balanced: bool = Field(False, description="As many rows of each label, by sampling the more frequent one.")

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
    values: list[Value] = Field([], description="With `column`: two or more values to compare.")
    columns: list[str] = Field(
        [],
        description="Instead: two or more columns, one per group, of 0 and 1 or shares of annotators who see the "
        "group.",
    )
    at_least: float = Field(0.5, gt=0, le=1, description="With `columns`: least number for a text in a group.")

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
    revision: str | None = Field(None, pattern=COMMIT, description="Its commit, 40 hex digits; needed with `hub`.")
    path: LocalPath | None = Field(None, description="Folder with configuration, tokenizer and safetensors weights.")
    positive: str = Field(description="Its name for the positive class, such as `LABEL_1`.")

    @model_validator(mode="after")
    def _one_source(self) -> "Classifier":
        if (self.hub is None) == (self.path is None):
            raise ValueError("a classifier has exactly one of 'hub' and 'path'")
        if (self.hub is None) != (self.revision is None):
            raise ValueError("'hub' and 'revision', the commit of 40 hex digits, belong together")
        return self


class Task(Section):
    data: TaskData
    text: str = Field("text", description="Column of the texts.")
    label: str = Field("label", description="Column of the labels.")
    id: str | None = Field(None, description="Column of a row's id.")
    source: str | None = Field(
        None,
        description="Regular expression on the id: a split by `test_share` keeps texts with the same first group "
        "together.",
    )
    negative: list[Value] = Field([], description="Labels of the negative class, as in the data.")
    positive: list[Value] = Field([], description="Labels of the positive class.")
    ignored: list[Value] = Field([], description="Labels whose rows are left out; any other is an error.")
    split: Split | None = None
    groups: dict[Name, Attribute] = Field(
        {}, description="Groups of texts by columns of the data, such as `gender`, compared on texts without a region."
    )
    prefix: str = Field(description="Sentence that puts a region before a text, with [region] once.")
    controls: list[str] = Field(min_length=1, description="What fills [region] in controls.")
    max_test_samples: int | None = Field(
        None, ge=2, le=10_000_000, description="Largest number of test texts, stratified by label; empty: all."
    )
    sets: int | None = Field(None, ge=1, le=1000, description="Number for this task; empty: `training.sets`.")
    models: Measured = Field([])
    classifiers: dict[Name, Classifier] = Field({}, description="Published classifiers, which are not trained.")
    constrained: dict[Name, Constrained] = Field(
        {}, description="Predictions decided again within constraints (docs/metrics/amplification.md)."
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
        "all", description="Countries put before texts, by ISO 3166 code or region id."
    )
    cities: list[str] = Field(
        [], description="Cities put before texts, alone and as `city, country`, by name or region id."
    )


class Training(FineTuning):
    """How the models of a task are fine-tuned."""

    renamed: ClassVar[dict[str, str]] = {"seeds": "downstream.training.sets"}

    sets: TrainingSets = 3


class DownstreamTests(Section):
    correction: Correction = "fdr_bh"


class Downstream(Section):
    by_kind: ClassVar[ByKind] = CLASSIFIERS
    renamed: ClassVar[dict[str, str]] = {"local_groups": "local_group_bias"}

    tasks: dict[Name, Task] = Field({})
    regions: PrefixRegions = PrefixRegions()
    nonsense: WordList = Field(
        Path("resources/regions/made_up_names.txt"),
        description="Made-up place names, one per line, as further controls.",
    )
    words: list[WordList] = Field(WORDS, min_length=1, description="Word lists that planted texts are made from.")
    training: Training = Training()
    bootstrap: QuickBootstrap = QuickBootstrap()
    tests: DownstreamTests = DownstreamTests()

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
                yield Need(f"downstream.tasks.{task}.models", name, self.by_kind, "a classifier", NO_WEIGHTS, False)

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
