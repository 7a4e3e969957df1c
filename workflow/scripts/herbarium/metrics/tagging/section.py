"""The section of the configuration on named-entity recognition."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, LocalPath, Name, Need, Section, Value
from herbarium.models.by_kind import ITS_BASE, trained
from herbarium.models.data import HubData
from herbarium.models.kinds import Kind
from herbarium.models.recipes import NO_WEIGHTS


class TaggedData(HubData):
    """Exactly one of `SOURCES` gives the source of the tagged sentences."""

    SOURCES: ClassVar[tuple[str, ...]] = (*HubData.SOURCES, "planted")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {**HubData.OWNED, "sentences": ("planted",)}

    path: LocalPath | None = Field(
        None,
        description="Local CoNLL file, or a folder of them: one token per line, its tag in the last column, an empty "
        "line between sentences.",
    )
    planted: Literal[True] | None = Field(
        None,
        description="The workflow writes the sentences itself (`tagging/planted_sentences.py`), with their split.",
    )
    sentences: int = Field(1200, ge=80, le=1_000_000, description="Number of planted sentences.")


class TaggingTask(Section):
    data: TaggedData = Field(description="Where the sentences come from.")
    tokens: str = Field("tokens", description="Column of the tokens, for a hub data set.")
    tags: str = Field("ner_tags", description="Column of the tags, for a hub data set: IOB2 tags, or their numbers.")
    names: list[str] = Field([], description="The tags of the numbers, from 0: `[O, B-PER, I-PER]`.")
    train: list[Value] = Field(
        [], description="Splits of the hub data set to train on, or files in the folder; empty: by `test_share`."
    )
    test: list[Value] = Field([], description="The same to test on; other sentences are left out.")
    test_share: float = Field(
        0.2, gt=0, lt=1, description="Share of the sentences to test on, if `train` and `test` are empty."
    )
    models: list[Name] = Field(min_length=1, description="Models to train and measure, by name.")

    @model_validator(mode="after")
    def _fits_its_data(self) -> "TaggingTask":
        of_hub = ("tokens", "tags", "names")
        owned = of_hub if self.data.path else (*of_hub, "train", "test", "test_share") if self.data.planted else ()
        for key in owned:
            if getattr(self, key) != type(self).model_fields[key].default:
                what = "CoNLL files" if self.data.path else "planted sentences, which have their own"
                raise ValueError(f"'{key}' is not for {what}")
        if bool(self.train) != bool(self.test):
            raise ValueError("'train' and 'test' belong together")
        if both := set(self.train) & set(self.test):
            raise ValueError(f"'{min(both)}' is in 'train' and in 'test'")
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """As plain data, the keys that the sentences depend on."""
        return self.model_dump(mode="json", exclude={"models"})


class TaggerTraining(Section):
    """How the taggers are trained: by default as Ahn and Oh (2021, Appendix B) trained the parts that are not
    frozen."""

    frozen: bool = Field(False, description="Train the token classifier only, and leave the model under it as it is.")
    sets: int = Field(
        3,
        ge=1,
        le=1000,
        description="Number of training sets: the training sentences are divided into this many disjoint parts. A "
        "tagger is trained on each of them.",
    )
    epochs: int = Field(3, ge=1, le=10_000, description="Epochs; the paper has 100 to 300 for frozen models.")
    learning_rate: float = Field(
        5e-5, gt=0, le=1, description="Peak learning rate; the paper gives none, and this is transformers' default."
    )
    batch_size: int = Field(32, ge=1, le=10_000, description="Sentences per step.")
    max_tokens: int = Field(
        512,
        ge=8,
        le=1_000_000,
        description="Longer sentences are truncated to this many tokens, or to the limit of the model.",
    )


class Tagging(Section):
    by_kind: ClassVar[ByKind] = trained(
        "a tagger trained from it",
        {Kind.masked, Kind.causal, Kind.encoder},
        {Kind.seq2seq: "`downstream`, for what a change of a model costs", Kind.extractive: ITS_BASE},
    )

    tasks: dict[Name, TaggingTask] = Field({}, description="The tasks by the names the results will use; empty: none.")
    training: TaggerTraining = Field(TaggerTraining(), description="Training.")
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals.")

    def needs(self) -> Iterator[Need]:
        for task, entry in self.tasks.items():
            for name in entry.models:
                yield Need(f"tagging.tasks.{task}.models", name, self.by_kind, "a tagger", NO_WEIGHTS, False)

    def named(self) -> dict[str, Iterable[str]]:
        return {"tagging.tasks": self.tasks}
