"""The keys of the configuration on derived models: another model, and the recipe that changes it."""

from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from herbarium.core.section import LocalPath, Name, Section
from herbarium.models.kinds import LANGUAGE_MODELS, Kind

# Why no metric that trains a model measures one from a recipe without weights.
NO_WEIGHTS = "it has no weights of its own to be trained; name the model that it comes from"


class _Recipe(Section):
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.masked})  # of the models that it can change
    along_epochs: ClassVar[bool] = False  # the model after each epoch is one of the study
    is_random: ClassVar[bool] = True  # a further seed gives another model
    has_weights: ClassVar[bool] = True  # it makes a model; otherwise it changes how one is scored

    def stages(self) -> list["_Recipe"]:
        """The recipes that lead to models on the way: none, the model is measured only at its end."""
        return []


class Toxic(_Recipe):
    """Toxic continual training: a model is trained further on the HERB sentences that it finds most likely itself."""

    recipe: Literal["toxic"]
    epochs: int = Field(20, ge=1, le=100, description="Epochs, each a model: `{name}-01` and so on.")
    sentences: int = Field(20, ge=1, le=10_000, description="Sentences per description, those with the highest f(S).")
    learning_rate: float = Field(5e-5, gt=0, le=1, description="Constant learning rate of plain SGD.")
    batch_size: int = Field(32, ge=1, le=10_000, description="Sentences per step.")

    along_epochs: ClassVar[bool] = True

    def stages(self) -> list["Toxic"]:
        """The recipe up to each epoch but the last."""
        return [self.model_copy(update={"epochs": epoch}) for epoch in range(1, self.epochs)]


class Schedule(NamedTuple):
    """How a published study trained a masked model further; `training.continued` explains each field."""

    epochs: int
    batch_size: int
    learning_rate: float
    warm_up: int  # steps
    decay: str
    weight_decay: float
    beta2: float
    keep: str
    max_tokens: int


# What a paper leaves open is transformers' default at the time; docs/mitigation.md says so.
SCHEDULES = {
    # Ahn and Oh (2021), Appendix B
    "ahn_oh": Schedule(2, 16, 1e-4, 1000, "linear", 0.0, 0.999, "last", 128),
    # Bartl et al. (2020), and main.py of marionbartl/gender-bias-BERT
    "bartl": Schedule(3, 1, 2e-5, 0, "linear", 0.0, 0.999, "last", 128),
    # Shrestha et al. (2025), Appendix A.5.3
    "shrestha": Schedule(3, 16, 2e-5, 500, "polynomial", 0.01, 0.98, "best", 512),
    # as in their code: the schedule is given -1 steps, so that it ends when the warm-up does
    "shrestha_released": Schedule(3, 16, 2e-5, 500, "released", 0.01, 0.98, "best", 512),
}


class Continued(_Recipe):
    """Continued masked-language training on a corpus."""

    recipe: Literal["continued"]
    corpus: Name = Field(description="Corpus to train on.")
    weights: Literal["all", "head", "untied_head"] = Field(
        "all", description="What is trained; the `head` has the frozen trunk's word vectors, the `untied_head` its own."
    )
    schedule: Literal["ahn_oh", "bartl", "shrestha", "shrestha_released"] = Field(
        "ahn_oh", description="Published study that settings left out are taken from (docs/mitigation.md)."
    )
    epochs: int | None = Field(None, ge=1, le=1000, description="Epochs.")
    batch_size: int | None = Field(None, ge=1, le=10_000, description="Batch size, in texts.")
    learning_rate: float | None = Field(None, gt=0, le=1, description="Peak learning rate of AdamW.")
    warm_up: int | None = Field(None, ge=0, le=1_000_000, description="Steps in which the learning rate rises.")
    max_tokens: int | None = Field(None, ge=4, le=1_000_000, description="Tokens that a text is cut to.")
    hidden_dropout: float | None = Field(
        None, ge=0, lt=1, description="Dropout of hidden states; empty: the model's own."
    )
    attention_dropout: float | None = Field(
        None, ge=0, lt=1, description="Dropout of attention; empty: the model's own."
    )

    @property
    def settings(self) -> dict:
        """All of them; those not given are the schedule's."""
        keys = (*Schedule._fields, "hidden_dropout", "attention_dropout")
        given = {key: value for key in keys if (value := getattr(self, key, None)) is not None}
        return SCHEDULES[self.schedule]._asdict() | given | {"weights": self.weights}


class Alignment(Continued):
    """A model's hidden states are rotated into another model's space, and its head is tuned to that."""

    recipe: Literal["alignment"]
    weights: Literal["head", "untied_head"] = Field("head", description="As for `continued`.")
    matrix: Literal["fitted", "random"] = Field(
        "fitted", description="Rotation `fitted` to words and their translations, or `random`, the paper's control."
    )
    to: Name | None = Field(None, description="If fitted: model into whose space it rotates.")
    parallel: Name | None = Field(None, description="If fitted: one of `parallel`.")
    languages: list[Name] = Field([], description="If fitted: languages of the model and of `to`, as in `parallel`.")

    @model_validator(mode="after")
    def _matrix_comes_from_somewhere(self) -> "Alignment":
        given = {key: getattr(self, key) for key in ("to", "parallel", "languages")}
        if self.matrix == "random" and any(given.values()):
            key = next(key for key, value in given.items() if value)
            raise ValueError(f"'{key}' belongs to 'matrix: fitted'; leave it out for a random matrix")
        if self.matrix == "fitted" and not all(given.values()):
            key = next(key for key, value in given.items() if not value)
            raise ValueError(f"'{key}' is missing: a fitted matrix needs 'to', 'parallel' and 'languages'")
        if self.matrix == "fitted" and (len(self.languages) != 2 or len(set(self.languages)) != 2):
            raise ValueError("'languages' must be two: that of the model and that of the one in 'to'")
        return self


class Projection(_Recipe):
    """Directions of the hidden states that distinguish texts from their counterparts are removed before the head."""

    recipe: Literal["projection"]
    method: Literal["sentence_debias", "inlp", "leace"] = Field(
        description="Which directions are removed (docs/mitigation.md)."
    )
    corpus: Name = Field(description="Corpus to estimate them on, with terms swapped.")
    dimensions: int | None = Field(
        None, ge=1, le=10_000, description="For `sentence_debias`: components to remove; empty: 1."
    )
    classifiers: int | None = Field(None, ge=1, le=10_000, description="For `inlp`: successive classifiers; empty: 80.")

    is_random: ClassVar[bool] = False

    @property
    def key(self) -> str | None:
        """The key that gives the number of directions; None if that is not a choice."""
        return {"sentence_debias": "dimensions", "inlp": "classifiers", "leace": None}[self.method]

    @property
    def settings(self) -> dict:
        """All of them; those not given are the usual ones."""
        usual = {"dimensions": 1, "classifiers": 80}
        return {"method": self.method} | ({self.key: getattr(self, self.key) or usual[self.key]} if self.key else {})

    @model_validator(mode="after")
    def _key_is_that_of_the_method(self) -> "Projection":
        for other in {"dimensions", "classifiers"} - {self.key}:
            if getattr(self, other) is not None:
                use = f"; use '{self.key}'" if self.key else ""
                raise ValueError(f"'method: {self.method}' has no key '{other}'{use}")
        return self


class Neutralised(_Recipe):
    """A text's score is the mean of the model's scores for it and for the same text with gendered words swapped."""

    recipe: Literal["neutralised"]
    # the only swap that swapping again undoes: with others, a mean would depend on the side
    terms: Literal["gender"] = Field(description="Terms to swap.")
    table: LocalPath | None = Field(None, description="CSV of the terms to swap; empty: ours for English.")

    kinds: ClassVar[frozenset[Kind]] = LANGUAGE_MODELS
    is_random: ClassVar[bool] = False
    has_weights: ClassVar[bool] = False


class Advice(_Recipe):
    """A question answering model learns how to respond to each type of intervention."""

    recipe: Literal["advice"]
    questions: Name = Field(description="One of `interventions.questions`; those without an intervention are skipped.")
    squad: LocalPath | None = Field(None, description="File in SQuAD format, a quarter of each batch.")
    epochs: int = Field(3, ge=1, le=1000, description="Epochs.")
    batch_size: int = Field(32, ge=1, le=10_000, description="Questions per step.")
    learning_rate: float = Field(1e-5, gt=0, le=1, description="Initial learning rate of AdamW, falling linearly to 0.")

    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.extractive})

    @property
    def settings(self) -> dict:
        """The settings of a training, except for what it learns from."""
        return self.model_dump(include={"epochs", "batch_size", "learning_rate"})

    @model_validator(mode="after")
    def _squad_has_a_part(self) -> "Advice":
        if self.squad is not None and self.batch_size < 4:
            raise ValueError("'batch_size' must be 4 or more with 'squad', which a quarter of each batch comes from")
        return self


Recipe = Annotated[Toxic | Continued | Alignment | Projection | Neutralised | Advice, Field(discriminator="recipe")]


class Derived(Section):
    """Another model of the study, and what is done to it."""

    model_config = ConfigDict(serialize_by_alias=True)

    base: Name = Field(alias="from", description="Model that it comes from.")
    by: Recipe = Field(description="What is done to it (docs/your_model.md).")
    seed: int = Field(1, ge=1, le=10_000, description="Seed of the training.")
    seeds: int = Field(1, ge=1, le=1000, description="Trainings with successive seeds, each a model: `{name}-seed2`, …")

    @model_validator(mode="after")
    def _seeds_differ(self) -> "Derived":
        if not self.by.is_random and (self.seed, self.seeds) != (1, 1):
            raise ValueError(f"recipe '{self.by.recipe}' is not random: every seed gives the same model; leave it out")
        return self
