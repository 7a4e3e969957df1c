"""The models of a study as they are measured: with checkpoints, epochs and seeds, each with all of its settings."""

from collections.abc import Mapping
from typing import Any

from herbarium.core.errors import require_known
from herbarium.models.genealogy import further
from herbarium.models.kinds import a_model
from herbarium.models.recipes import Derived
from herbarium.models.section import Model

# What a derived model inherits from the model that it comes from.
_INHERITED = ("kind", "dtype", "lowercase", "start", "chat_template", "served")
_LONGEST = 64  # characters of a name


def expanded(models: Mapping[str, Model]) -> dict[str, Model]:
    """The models, with their checkpoints instead of those that have some. Raises ValueError for a name that is taken or
    too long."""
    complete: dict[str, Model] = {}
    for name, model in models.items():
        if model.checkpoints is None:
            complete[name] = model
        for checkpoint in model.checkpoints or ():
            checkpoint_name = f"{name}-{checkpoint}"
            if checkpoint_name in models or checkpoint_name in complete:
                raise ValueError(
                    f"{name}.checkpoints: '{checkpoint_name}' is the name of another model; use another one"
                )
            if len(checkpoint_name) > _LONGEST:
                raise ValueError(
                    f"{name}.checkpoints: '{checkpoint_name}' is longer than {_LONGEST} characters; shorten '{name}'"
                )
            complete[checkpoint_name] = model.at(name, checkpoint)
    return complete


def completed(models: Mapping[str, Model]) -> dict[str, Model]:
    """The models of a study: checkpoints (`expanded`), derived ones with what they inherit, and before them the models
    that come with them (`further`).

    Raises ValueError for a derived model that does not come from one of the study's models, comes from itself, from one
    without weights of its own, or from one of a kind that its recipe cannot change; for a second one from the same
    model by a recipe that is measured epoch by epoch; for a name that is taken; for a planted model that would share
    the tokenizer of a model that is not in the study, or has no tokenizer of its own.
    """
    models, complete = expanded(models), {}
    for name, model in models.items():
        if model.planted is not None and model.tokenizer is not None:
            _require_tokenizer(name, model.tokenizer, models)
        if model.derived is None:
            complete[name] = model
            continue
        source = _source(name, models)
        by = model.derived.by
        if (before := models[model.derived.base].derived) is not None and not before.by.has_weights:
            raise ValueError(
                f"{name}.derived.from: '{model.derived.base}' is {before.by.recipe}: it has no weights of its own that "
                f"a recipe could change; name '{before.base}', which it comes from"
            )
        if source.kind not in by.kinds:
            raise ValueError(
                f"{name}: '{model.derived.base}' is {source.kind}; recipe '{by.recipe}' needs {a_model(by.kinds)}"
            )
        inherited = {key: getattr(source, key) for key in _INHERITED}
        for other, derived in further(name, model.derived).items():
            if other in models:
                raise ValueError(f"'{other}' is the name of a model that comes with '{name}'; use another name")
            complete[other] = model.model_copy(update={**inherited, "derived": derived})
        complete[name] = model.model_copy(update=inherited)
    _require_one_along_epochs(models)
    return complete


def given(models: Mapping[str, Model]) -> dict[str, Any]:
    """The models as plain data that gives the same models when it is read again. models: from `completed`."""
    derived = {name: model.derived for name, model in models.items() if model.derived}
    brought = {other for name, entry in derived.items() for other in further(name, entry)}
    asked: dict[str, Model] = {}
    for name, model in models.items():
        if model.member is not None:
            asked[model.member.family] = model.member.given
        elif name not in brought:
            asked[name] = model
    return {
        name: model.model_dump(mode="json", include={"derived"} if model.derived else None)
        for name, model in asked.items()
    }


def with_all_seeds(values: dict[str, Any]) -> dict[str, Any]:
    """A configuration whose lists of models name, for a model with several seeds or checkpoints, all of them.

    values: the configuration as it was read; returned as it is if its models cannot be read, which is reported key by
    key later.
    """
    try:
        entries = {name: entry["derived"] for name, entry in values["models"].items() if entry.get("derived")}
        seeds = {name: [name, *further(name, Derived.model_validate(entry))] for name, entry in entries.items()}
        for name, entry in values["models"].items():
            if entry.get("checkpoints"):
                seeds[name] = [f"{name}-{checkpoint}" for checkpoint in entry["checkpoints"]]
    except (TypeError, AttributeError, KeyError, ValueError):
        return values

    def with_seeds(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {inner: with_seeds(item, inner) for inner, item in value.items()}
        if key == "models" and isinstance(value, list) and all(isinstance(name, str) for name in value):
            return list(dict.fromkeys(one for name in value for one in seeds.get(name, [name])))
        return value

    return values | {key: with_seeds(value, key) for key, value in values.items() if key != "models"}


def _source(name: str, models: Mapping[str, Model]) -> Model:
    """The model at the beginning of the chain that a derived one comes from."""
    chain = [name]
    while (derived := models[chain[-1]].derived) is not None:
        require_known(f"{chain[-1]}.derived.from", derived.base, models, "models")
        if derived.base in chain:
            circle = " from ".join(f"'{model}'" for model in [*chain[chain.index(derived.base) :], derived.base])
            raise ValueError(f"{circle}: a derived model cannot come from itself")
        chain.append(derived.base)
    return models[chain[-1]]


def _require_tokenizer(name: str, other: str, models: Mapping[str, Model]) -> None:
    require_known(f"{name}.tokenizer", other, models, "models")
    if models[other].hub is None and models[other].path is None:
        raise ValueError(f"{name}.tokenizer: '{other}' does not come from a folder or the hub; name one that does")


def _require_one_along_epochs(models: Mapping[str, Model]) -> None:
    """ValueError for two models from one base by a recipe that is measured epoch by epoch: what is measured along the
    epochs carries the name of the base."""
    seen: dict[tuple[str, str], str] = {}
    for name, model in models.items():
        if model.derived is None or not model.derived.by.along_epochs:
            continue
        key = (model.derived.base, model.derived.by.recipe)
        other = seen.setdefault(key, name)
        if other != name or model.derived.seeds > 1:
            what = f"'{other}' and '{name}' both come" if other != name else f"'{name}' would come more than once"
            raise ValueError(
                f"{what} from '{key[0]}' by recipe '{key[1]}'; only one can: its numbers along the epochs carry "
                f"the name '{key[0]}'"
            )
