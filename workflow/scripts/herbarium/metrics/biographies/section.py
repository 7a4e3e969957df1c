"""The section of the configuration on occupations predicted from biographies."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import (
    ByKind,
    Correction,
    Level,
    Measured,
    Name,
    Need,
    Section,
    Value,
    Wanted,
    WordList,
    read_by,
)
from herbarium.metrics.biographies.planted_texts import LARGEST
from herbarium.models.by_kind import CLASSIFIERS
from herbarium.models.data import SPLIT_COLUMN, TEST, TEST_SHARE, TRAIN, Data
from herbarium.models.recipes import NO_WEIGHTS
from herbarium.training import swapping
from herbarium.training.section import FineTuning, TrainingSets


class BiographyData(Data):
    """Exactly one of `SOURCES` gives the source of the biographies."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {**Data.OWNED, "texts": ("planted",)}

    planted: float | None = Field(
        None,
        ge=0,
        le=LARGEST,
        description="Generate biographies whose gaps rise this much with the share of women "
        "(docs/metrics/biographies.md).",
    )
    texts: int = Field(4000, ge=800, le=1_000_000, description="Number of planted biographies.")


class BiographyTask(Section):
    data: BiographyData
    text: str = Field("hard_text", description="Column of the texts.")
    occupation: str = Field("profession", description="Column of the occupations.")
    occupations: list[str] = Field([], description="Names of the numbers in it, from 0; empty: it has names.")
    gender: str = Field("gender", description="Column of the genders.")
    female: list[Value] = Field(["1"], min_length=1, description="Values for women.")
    male: list[Value] = Field(["0"], min_length=1, description="Values for men; other rows are left out.")
    name: str | None = Field(None, description="Column of the person's name, each part of which is scrubbed.")
    language: str | None = Field(
        None, description="Column of languages; probes are trained on each, and tested on every one."
    )
    column: str | None = Field(None, description=SPLIT_COLUMN)
    train: list[Value] = Field([], description=TRAIN)
    test: list[Value] = Field([], description=TEST)
    test_share: float = Field(0.3, gt=0, lt=1, description=TEST_SHARE)
    max_texts: int = Field(20_000, ge=40, le=10_000_000, description="Largest number of biographies, sampled.")
    max_words: int = Field(110, ge=1, le=1_000_000, description="Words that a biography is cut to.")
    gendered: Annotated[Path, read_by(swapping.read_pairs)] = Field(
        Path("resources/swaps/english_gender.csv"),
        description="CSV of gendered words to scrub: `male`, `female`, `part`.",
    )
    titles: WordList = Field(
        Path("resources/biographies/english_titles.txt"), description="Further words to scrub, one per line."
    )
    vectors: list[Name] = Field([], description="Sources of vectors to measure.")
    models: Measured = Field([])

    @model_validator(mode="after")
    def _fits_its_data(self) -> "BiographyTask":
        columns = (
            "text",
            "occupation",
            "occupations",
            "gender",
            "female",
            "male",
            "name",
            "language",
            "column",
            "train",
            "test",
        )
        for key in columns if self.data.planted is not None else ():
            if getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"'{key}' is not for planted biographies, which have their own")
        if bool(self.train) != bool(self.test):
            raise ValueError("'train' and 'test' belong together")
        if self.column and not self.train:
            raise ValueError("'column' needs 'train' and 'test'")
        if self.train and self.data.hub is None and self.column is None:
            raise ValueError("a table has no splits of its own: 'train' and 'test' need a 'column'")
        for one, other in (("train", "test"), ("female", "male")):
            if both := set(getattr(self, one)) & set(getattr(self, other)):
                raise ValueError(f"'{min(both)}' is in '{one}' and in '{other}'")
        return self

    @model_validator(mode="after")
    def _names_what_is_measured(self) -> "BiographyTask":
        if not self.vectors and not self.models:
            raise ValueError("nothing is measured: name 'vectors', or 'models' to fine-tune")
        if both := set(self.vectors) & set(self.models):
            raise ValueError(
                f"'{min(both)}' is both a source of vectors and a model; in the results both would have one name"
            )
        if self.models and self.language:
            raise ValueError(
                "'models' are fine-tuned on texts of one language: leave 'language' empty, and give each language its "
                "own task"
            )
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """As plain data, the keys that the texts depend on."""
        return self.model_dump(mode="json", exclude={"vectors", "models", "gendered", "titles"})


class Biographies(Section):
    by_kind: ClassVar[ByKind] = CLASSIFIERS
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    tasks: dict[Name, BiographyTask] = Field({})
    sets: TrainingSets = 3
    min_texts: int = Field(
        10, ge=2, le=100_000, description="Occupations with fewer training or test texts of either gender are left out."
    )
    c: float = Field(1.0, gt=0, le=1e9, description="Inverse regularisation strength of the probes (scikit-learn's C).")
    iterations: int = Field(1000, ge=1, le=1_000_000, description="Largest number of iterations of a fit.")
    training: FineTuning = FineTuning()
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def probed(self) -> list[tuple[str, str]]:
        """(source of vectors, name of the task) of all trained probes."""
        return [(source, name) for name, entry in self.tasks.items() for source in entry.vectors]

    @property
    def finetuned(self) -> list[tuple[str, str]]:
        """(model, name of the task) of all fine-tuned models."""
        return [(model, name) for name, entry in self.tasks.items() for model in entry.models]

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(source of vectors or fine-tuned model, name of the task) of everything measured."""
        return [(source, name) for name, entry in self.tasks.items() for source in (*entry.vectors, *entry.models)]

    def needs(self) -> Iterator[Need]:
        for model, name in self.finetuned:
            yield Need(f"biographies.tasks.{name}.models", model, self.by_kind, "a classifier", NO_WEIGHTS, False)

    def vectors_wanted(self) -> Iterator[Wanted]:
        for source, name in self.probed:
            yield Wanted(f"biographies.tasks.{name}.vectors", source)

    def named(self) -> dict[str, Iterable[str]]:
        return {"biographies.tasks": self.tasks}

    @model_validator(mode="after")
    def _enough_for_each_set(self) -> "Biographies":
        if self.min_texts < self.sets:
            raise ValueError(
                f"min_texts: {self.min_texts} biographies of a gender cannot be divided into {self.sets} training sets"
            )
        return self
