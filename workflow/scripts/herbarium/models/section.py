"""The section of the configuration on models."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from herbarium.core.errors import did_you_mean
from herbarium.core.section import COMMIT, HUB, LocalPath, Name, Section
from herbarium.scoring.quantities import Kind

SOURCES = ("hub", "path", "planted", "derived")
# What a derived model takes over from the model that it comes from.
_INHERITED = ("kind", "dtype", "lowercase")


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


class Derived(Section):
    """Another model of the study, and what is done to it."""

    model_config = ConfigDict(serialize_by_alias=True)

    base: Name = Field(alias="from", description="The model that it comes from, by its name.")
    by: Toxic = Field(description="The recipe that changes it.")


class Model(Section):
    """Exactly one of `SOURCES` says where the weights come from."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(None, pattern=HUB, description="Hub id, `organisation/name`.")
    revision: str | None = Field(
        None,
        pattern=COMMIT,
        description="Commit of the hub model, 40 hex digits; else the lock file must have it (`snakemake pin_models`).",
    )
    path: LocalPath | None = Field(
        None, description="Local folder with configuration, tokenizer and safetensors weights."
    )
    planted: float | None = Field(
        None,
        ge=0,
        le=10,
        description="Strength of the planted bias: the workflow trains the model itself (see `testbed`).",
    )
    tokenizer: Name | None = Field(
        None,
        description="Of a planted model: the model of the study whose tokenizer it shares; empty: a word is a token.",
    )
    planted_in: list[Name] | None = Field(
        None,
        description="Of a planted model: the metrics in whose text the bias stands; others have none. Empty: in all.",
    )
    training_seed: int | None = Field(
        None,
        ge=0,
        le=2**32 - 1,
        description="Of a planted model: the seed of its training, to see how far that alone moves a number. Empty: "
        "the study's.",
    )
    derived: Derived | None = Field(
        None, description="Another model, changed by a recipe; it has no other key, and `kind`, `dtype` of that one."
    )
    kind: Kind | None = Field(
        None, description="*Required*, but of a derived model. What it predicts: `masked`, `causal` or `seq2seq`."
    )
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = Field(
        "float32",
        description="Number format of the forward pass, if `precision` accepts it; `auto`: the first accepted of those "
        "that are faster on this device, else `float32`. Scores are float64 once they leave the model.",
    )
    lowercase: bool = Field(False, description="Lower-case every sentence before tokenization.")
    convert_bin: bool = Field(
        False,
        description="Accept weights in `pytorch_model.bin` only: read once, tensors alone, kept as safetensors.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        if sum(getattr(self, source) is not None for source in SOURCES) != 1:
            raise ValueError(f"a model has exactly one of {', '.join(map(repr, SOURCES[:-1]))} and {SOURCES[-1]!r}")
        if self.derived is not None:
            if others := sorted(self.model_fields_set - {"derived"}):
                raise ValueError(f"'{others[0]}' is that of the model in 'derived.from'; leave it out")
            return self
        if self.kind is None:
            raise ValueError("'kind' is missing: 'masked', 'causal' or 'seq2seq'")
        if self.revision is not None and self.hub is None:
            raise ValueError("'revision' belongs to 'hub'")
        if self.tokenizer is not None and self.planted is None:
            raise ValueError("'tokenizer' belongs to 'planted'; any other model has its own")
        for key in ("planted_in", "training_seed"):
            if getattr(self, key) is not None and self.planted is None:
                raise ValueError(f"'{key}' belongs to 'planted'")
        if self.planted is not None and self.kind is not Kind.masked:
            raise ValueError("a planted model is 'kind: masked'")
        return self


def earlier(name: str, epochs: int) -> list[str]:
    """What a derived model is called after each epoch but the last."""
    return [f"{name}-{epoch:02}" for epoch in range(1, epochs)]


def completed(models: Mapping[str, Model]) -> dict[str, Model]:
    """The models of a study, derived ones with what they inherit, and before them those of their earlier epochs.

    The model {name}-{epoch:02} (`earlier`) is what the recipe gives with so many epochs; that of the last one is called
    {name}.

    Raises ValueError for a derived model that comes from none of the study's, from itself, or from one of a kind that
    its recipe cannot change; for a second one of a recipe from one model; for a name that is taken; for a planted one
    that would share the tokenizer of none of the study's, or of one that has no tokenizer of its own.
    """
    found: dict[str, Model] = {}
    for name, model in models.items():
        if model.tokenizer is not None:
            _require_tokenizer(name, model.tokenizer, models)
        if model.derived is None:
            found[name] = model
            continue
        source = _source(name, models)
        by = model.derived.by
        if source.kind not in by.kinds:
            needed = " or ".join(sorted(by.kinds))
            raise ValueError(
                f"{name}: '{model.derived.base}' is {source.kind}; recipe '{by.recipe}' needs a {needed} model"
            )
        inherited = {key: getattr(source, key) for key in _INHERITED}
        for epoch, of_epoch in enumerate(earlier(name, by.epochs), start=1):
            before = model.derived.model_copy(update={"by": by.model_copy(update={"epochs": epoch})})
            if of_epoch in models:
                raise ValueError(f"'{of_epoch}' is what '{name}' is called after epoch {epoch}; use another name")
            found[of_epoch] = model.model_copy(update={**inherited, "derived": before})
        found[name] = model.model_copy(update=inherited)
    _require_one_of_each(models)
    return found


def _source(name: str, models: Mapping[str, Model]) -> Model:
    """The model at the beginning of the chain that a derived one comes from."""
    chain = [name]
    while (derived := models[chain[-1]].derived) is not None:
        if derived.base not in models:
            hint = did_you_mean(derived.base, models)
            raise ValueError(f"{chain[-1]}.derived.from: '{derived.base}' is not one of the models{hint}")
        if derived.base in chain:
            circle = " from ".join(f"'{of}'" for of in [*chain[chain.index(derived.base) :], derived.base])
            raise ValueError(f"{circle}: a derived model cannot come from itself")
        chain.append(derived.base)
    return models[chain[-1]]


def _require_tokenizer(name: str, other: str, models: Mapping[str, Model]) -> None:
    if other not in models:
        raise ValueError(f"{name}.tokenizer: '{other}' is not one of the models{did_you_mean(other, models)}")
    if models[other].hub is None and models[other].path is None:
        raise ValueError(f"{name}.tokenizer: '{other}' comes from no folder and no hub; name one that does")


def _require_one_of_each(models: Mapping[str, Model]) -> None:
    """ValueError for two models of a recipe from one base: what is measured along the epochs has the name of that."""
    seen: dict[tuple[str, str], str] = {}
    for name, model in models.items():
        if model.derived is not None:
            key = (model.derived.base, model.derived.by.recipe)
            if (other := seen.setdefault(key, name)) != name:
                raise ValueError(
                    f"'{other}' and '{name}' both come from '{key[0]}' by recipe '{key[1]}'; only one can: its numbers "
                    f"along the epochs have the name of '{key[0]}'"
                )
