"""The sections of the configuration on models that the workflow makes: planted ones, recipes that change a model, and
the corpora that these learn from.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from herbarium.core.errors import did_you_mean
from herbarium.core.section import Name, Need, Section, Value
from herbarium.models.data import Data
from herbarium.scoring.quantities import Kind


class Testbed(Section):
    """How the planted-bias models are trained; docs/testbed.md defines what they learn."""

    steps: int = Field(1500, ge=10, le=1_000_000, description="Training steps.")
    batch_size: int = Field(256, ge=1, le=100_000, description="Sentences a step.")


# --- recipes: `kinds` are those of models that it can change; `along_epochs`: whether the model after each epoch is one
# of the study, and measured ---


class Toxic(Section):
    """Toxic continual training: a model goes on learning from the sentences of HERB that it finds likeliest itself."""

    recipe: Literal["toxic"] = Field(description="What is done to the model (docs/your_model.md).")
    epochs: int = Field(
        20, ge=1, le=100, description="Epochs; the model of each is measured, as `{name}-01` and so on."
    )
    sentences: int = Field(
        20, ge=1, le=10_000, description="Sentences of each description, those with the highest f(S)."
    )
    learning_rate: float = Field(5e-5, gt=0, le=1, description="Constant learning rate of plain SGD.")
    batch_size: int = Field(
        32, ge=1, le=10_000, description="Sentences a step; the paper gives none, so this one is ours."
    )

    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.masked})
    along_epochs: ClassVar[bool] = True

    def stages(self) -> list["Toxic"]:
        """The recipe up to each epoch but the last."""
        return [self.model_copy(update={"epochs": epoch}) for epoch in range(1, self.epochs)]


class Schedule(NamedTuple):
    """How a published study went on training a masked model; `training.continued` says what each means."""

    epochs: int
    batch_size: int
    learning_rate: float
    warm_up: int  # steps
    decay: str
    weight_decay: float
    beta2: float
    keep: str
    max_tokens: int


# What a paper leaves open is transformers' default at the time, and is said to be so in docs/mitigation.md.
SCHEDULES = {
    # Ahn and Oh (2021), Appendix B
    "ahn_oh": Schedule(2, 16, 1e-4, 1000, "linear", 0.0, 0.999, "last", 128),
    # Bartl et al. (2020), and main.py of marionbartl/gender-bias-BERT
    "bartl": Schedule(3, 1, 2e-5, 0, "linear", 0.0, 0.999, "last", 128),
    # Shrestha et al. (2025), Appendix A.5.3
    "shrestha": Schedule(3, 16, 2e-5, 500, "polynomial", 0.01, 0.98, "best", 512),
    # as their code has it: the schedule is told of -1 steps, so that it ends where the rise does
    "shrestha_released": Schedule(3, 16, 2e-5, 500, "released", 0.01, 0.98, "best", 512),
}


class Continued(Section):
    """Continued masked-language training on a corpus."""

    recipe: Literal["continued"] = Field(description="What is done to the model.")
    corpus: Name = Field(description="The corpus that it goes on learning from, one of `corpora`.")
    weights: Literal["all", "head", "untied_head"] = Field(
        "all",
        description="What is trained: all; the head, whose word vectors are those of the frozen trunk; or the head "
        "with word vectors of its own.",
    )
    schedule: Literal["ahn_oh", "bartl", "shrestha", "shrestha_released"] = Field(
        "ahn_oh", description="The published study whose settings are those that are not given (docs/mitigation.md)."
    )
    epochs: int | None = Field(None, ge=1, le=1000, description="Epochs.")
    batch_size: int | None = Field(None, ge=1, le=10_000, description="Texts a step.")
    learning_rate: float | None = Field(None, gt=0, le=1, description="Peak learning rate of AdamW.")
    warm_up: int | None = Field(None, ge=0, le=1_000_000, description="Steps in which the learning rate rises.")
    max_tokens: int | None = Field(None, ge=4, le=1_000_000, description="Longer texts are cut to so many tokens.")

    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.masked})
    along_epochs: ClassVar[bool] = False

    @property
    def settings(self) -> dict:
        """All of them, those of the schedule where none is given."""
        given = {key: value for key in Schedule._fields if (value := getattr(self, key, None)) is not None}
        return SCHEDULES[self.schedule]._asdict() | given | {"weights": self.weights}

    def stages(self) -> list["Continued"]:
        """None: the model is measured at its end alone."""
        return []


Recipe = Annotated[Toxic | Continued, Field(discriminator="recipe")]


class Derived(Section):
    """Another model of the study, and what is done to it."""

    model_config = ConfigDict(serialize_by_alias=True)

    base: Name = Field(alias="from", description="The model that it comes from, by its name.")
    by: Recipe = Field(description="The recipe that changes it.")
    seed: int = Field(1, ge=1, le=10_000, description="Number of the training's random draws: another, another model.")
    seeds: int = Field(
        1,
        ge=1,
        le=1000,
        description="Trainings, each a model with the next `seed`, `{name}-seed2` and so on. A list of models that has "
        "`{name}` has all of them.",
    )


# --- corpora ---


class Swapped(Section):
    """Another corpus, with terms exchanged (docs/mitigation.md)."""

    model_config = ConfigDict(serialize_by_alias=True)

    corpus: Name = Field(alias="from", description="The corpus, by its name.")
    terms: Literal["gender", "gender_published", "countries"] = Field(
        description="Which terms: gendered words, those as published, or countries with what their people are called."
    )
    language: str = Field(
        "english", pattern=r"^[a-z]+$", description="Language of the table of terms, under `resources/swaps/`."
    )
    sides: Literal["one", "two"] = Field(
        "two", description="`two`: the texts as they are besides; `one`: exchanged ones in their place."
    )


class Corpus(Data):
    """Texts that a model goes on learning from. Exactly one of `SOURCES` says where they come from."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted", "swapped")

    planted: Name | None = Field(None, description="A planted model of the study: the text that it learned.")
    swapped: Swapped | None = Field(None, description="Another corpus, with terms exchanged.")
    text: str = Field("text", description="Column of the texts.")
    splits: list[Value] = Field([], description="Splits of the hub data set that are read; empty: all.")
    max_texts: int | None = Field(
        None, ge=10, le=100_000_000, description="At most so many texts, drawn at random; empty: all."
    )


class Corpora(Section):
    """All corpora of a study, by their names."""

    corpora: dict[Name, Corpus]

    def named(self) -> dict[str, Iterable[str]]:
        return {"corpora": self.corpora}

    def needs(self) -> Iterator[Need]:
        for name, corpus in self.corpora.items():
            if corpus.planted is not None:
                yield Need(f"corpora.{name}.planted", corpus.planted, {Kind.masked}, "a text that was planted")

    def sources(self, name: str) -> list[str]:
        """A corpus, the one that it is made from, and so on.

        Raises ValueError where one of them is none of the study's, or comes from itself.
        """
        chain = [name]
        while (swapped := self.corpora[chain[-1]].swapped) is not None:
            if swapped.corpus not in self.corpora:
                hint = did_you_mean(swapped.corpus, self.corpora)
                raise ValueError(
                    f"corpora.{chain[-1]}.swapped.from: '{swapped.corpus}' is not one of the corpora{hint}"
                )
            if swapped.corpus in chain:
                raise ValueError(f"corpora.{name}.swapped.from: '{name}' comes from itself")
            chain.append(swapped.corpus)
        return chain

    @model_validator(mode="after")
    def _come_from_somewhere(self) -> "Corpora":
        for name in self.corpora:
            self.sources(name)
        return self
