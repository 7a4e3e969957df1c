"""The section of the configuration on occupations predicted from biographies."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import Correction, Name, Need, Section, Value, Wanted, WordList, read_by
from herbarium.metrics.biographies.planted_texts import LARGEST
from herbarium.models.data import Data
from herbarium.models.kinds import TUNABLE
from herbarium.models.recipes import NO_WEIGHTS
from herbarium.training import swapping
from herbarium.training.section import FineTuning


class BiographyData(Data):
    """Exactly one of `SOURCES` gives the source of the biographies."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {**Data.OWNED, "texts": ("planted",)}

    planted: float | None = Field(
        None,
        ge=0,
        le=LARGEST,
        description="How much gaps rise with the share of women in an occupation: the workflow writes the biographies "
        "itself (docs/metrics/biographies.md), with their own columns.",
    )
    texts: int = Field(4000, ge=800, le=1_000_000, description="Number of planted biographies.")


class BiographyTask(Section):
    data: BiographyData = Field(description="Where the biographies come from.")
    text: str = Field("hard_text", description="Column of the texts.")
    occupation: str = Field("profession", description="Column of the occupations.")
    occupations: list[str] = Field(
        [], description="What the numbers in that column stand for, from 0; empty: the column has names."
    )
    gender: str = Field("gender", description="Column of the genders.")
    female: list[Value] = Field(["1"], min_length=1, description="Its values for women.")
    male: list[Value] = Field(
        ["0"], min_length=1, description="Its values for men; rows with any other value are left out."
    )
    name: str | None = Field(
        None, description="Column of a person's name, each part of which is scrubbed; empty: there is none."
    )
    language: str | None = Field(
        None,
        description="Column of languages: probes are trained and tested on each language separately, and each language "
        "is also tested with the probes of every other one; empty: all texts are taken together.",
    )
    column: str | None = Field(
        None, description="Column that says which part a row belongs to; empty: the splits of the hub data set."
    )
    train: list[Value] = Field(
        [], description="Values of the column, or splits of the hub data set, to train on; empty: by `test_share`."
    )
    test: list[Value] = Field([], description="The same to test on; other rows are left out.")
    test_share: float = Field(
        0.3, gt=0, lt=1, description="Share of each occupation and gender to test on, if `train` is empty."
    )
    max_texts: int = Field(20_000, ge=40, le=10_000_000, description="Largest number of biographies, a random sample.")
    max_words: int = Field(
        110,
        ge=1,
        le=1_000_000,
        description="Longer biographies are truncated to this many words; the released code has 110.",
    )
    gendered: Annotated[Path, read_by(swapping.read_pairs)] = Field(
        Path("resources/swaps/english_gender.csv"),
        description="CSV of gendered words to scrub, with `male`, `female` and `part`.",
    )
    titles: WordList = Field(
        Path("resources/biographies/english_titles.txt"),
        description="Further words to scrub, one per line.",
    )
    vectors: list[Name] = Field(
        [],
        description="Sources of vectors to measure, by name; for word vectors, a text has the mean of its words.",
    )
    models: list[Name] = Field(
        [], description="Models to fine-tune and measure, by name; only for texts in one language."
    )

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
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    tasks: dict[Name, BiographyTask] = Field({}, description="Tasks by the names the results will use; empty: none.")
    sets: int = Field(
        3,
        ge=1,
        le=1000,
        description="Number of training sets: the training texts are divided into this many disjoint parts. A probe is "
        "trained on each of them, and each model is fine-tuned on each, with its own seed.",
    )
    min_texts: int = Field(
        10,
        ge=2,
        le=100_000,
        description="An occupation with fewer biographies of women or of men, to train or test on, is left out.",
    )
    c: float = Field(
        1.0, gt=0, le=1e9, description="Inverse of the regularisation strength of the probes, scikit-learn's C."
    )
    iterations: int = Field(
        1000, ge=1, le=1_000_000, description="Largest number of iterations for fitting the probes."
    )
    training: FineTuning = Field(FineTuning(), description="Fine-tuning of the models of tasks.")
    level: float = Field(
        0.95, gt=0, lt=1, description="Nominal coverage of the intervals, over texts and training sets."
    )
    correction: Correction = Field(
        "holm",
        description="Adjustment of p-values: for the slopes of a source and task, over layers, forms of the texts and "
        "kinds of training; for the gaps, over the occupations of a layer.",
    )

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
            yield Need(f"biographies.tasks.{name}.models", model, TUNABLE, "a classifier", NO_WEIGHTS, False)

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
