"""The section of the configuration on named-entity recognition."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Level, LocalPath, Measured, Name, Need, Section, Value
from herbarium.models.by_kind import ITS_BASE, trained
from herbarium.models.data import TEST, TEST_SHARE, TRAIN, HubData
from herbarium.models.kinds import Kind
from herbarium.models.recipes import NO_WEIGHTS
from herbarium.training.section import TrainingSets


class TaggedData(HubData):
    """Exactly one of `SOURCES` gives the source of the tagged sentences."""

    SOURCES: ClassVar[tuple[str, ...]] = (*HubData.SOURCES, "planted")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {**HubData.OWNED, "sentences": ("planted",)}

    path: LocalPath | None = Field(None, description="CoNLL file, or a folder of them.")
    planted: Literal[True] | None = Field(None, description="Generate the sentences, with their split.")
    sentences: int = Field(1200, ge=80, le=1_000_000, description="Number of planted sentences.")


class TaggingTask(Section):
    data: TaggedData
    tokens: str = Field("tokens", description="Hub data: column of the tokens.")
    tags: str = Field("ner_tags", description="Hub data: column of the tags, IOB2 or numbers.")
    names: list[str] = Field([], description="Tags of these numbers, from 0.")
    train: list[Value] = Field([], description=TRAIN)
    test: list[Value] = Field([], description=TEST)
    test_share: float = Field(0.2, gt=0, lt=1, description=TEST_SHARE)
    models: Measured = Field(min_length=1)

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

    frozen: bool = Field(False, description="Train only the token classifier.")
    sets: TrainingSets = 3
    epochs: int = Field(3, ge=1, le=10_000, description="Epochs.")
    learning_rate: float = Field(5e-5, gt=0, le=1, description="Peak learning rate.")
    batch_size: int = Field(32, ge=1, le=10_000, description="Texts per step.")
    max_tokens: int = Field(
        512, ge=8, le=1_000_000, description="Tokens that a text is cut to, if the model takes as many."
    )


class Tagging(Section):
    by_kind: ClassVar[ByKind] = trained(
        "a tagger trained from it",
        {Kind.masked, Kind.causal, Kind.encoder},
        {Kind.seq2seq: "`downstream`, for what a change of a model costs", Kind.extractive: ITS_BASE},
    )

    tasks: dict[Name, TaggingTask] = Field({})
    training: TaggerTraining = TaggerTraining()
    level: Level = 0.95

    def needs(self) -> Iterator[Need]:
        for task, entry in self.tasks.items():
            for name in entry.models:
                yield Need(f"tagging.tasks.{task}.models", name, self.by_kind, "a tagger", NO_WEIGHTS, False)

    def named(self) -> dict[str, Iterable[str]]:
        return {"tagging.tasks": self.tasks}
