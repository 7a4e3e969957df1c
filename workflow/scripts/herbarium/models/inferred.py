"""The kind of a model if the study's configuration leaves it out: what the class it was saved from predicts.

Only its `config.json` is read, as the study is planned before any weights need to exist.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from herbarium.core.errors import HerbariumError, check_all
from herbarium.models import folders, hub, loading, records
from herbarium.models.kinds import PLANTED, Kind
from herbarium.models.section import Model

_KINDS = f"{', '.join(list(Kind)[:-1])} or {list(Kind)[-1]}"


def completed(models: Mapping[str, Model], lock: Path) -> dict[str, Model]:
    """The models, each with its kind; derived ones are unchanged, as they inherit theirs.

    lock: the lock file, which has the commits of hub models. Raises HerbariumError, listing all of them, for models
    whose kind cannot be found.
    """
    complete = dict(models)

    def infer(name: str, model: Model) -> None:
        kind = _inferred(name, model, lock)
        try:
            model.require_settings_of(kind)
        except ValueError as error:
            raise HerbariumError(f"models.{name}: {error}.") from error
        complete[name] = model.model_copy(update={"kind": kind})

    unknown = {name: model for name, model in models.items() if model.kind is None and model.derived is None}
    check_all(partial(infer, name, model) for name, model in unknown.items() if model.planted is None)
    for name, model in unknown.items():
        if model.planted is not None:
            other = complete.get(model.tokenizer)
            kind = other.kind if other and other.kind in PLANTED else Kind.masked
            complete[name] = model.model_copy(update={"kind": kind})
    return complete


def _inferred(name: str, model: Model, lock: Path) -> Kind:
    if model.gguf is not None:  # others are refused
        return Kind.causal
    if model.member is None and model.checkpoints is not None:  # all of one kind; each is checked when it is recorded
        first = model.checkpoints[0]
        return _inferred(f"{name}-{first}", model.at(name, first), lock)
    if model.path is not None:
        entry = model.model_dump()
        loading.check_folder(model.path, name, loading.source_file(entry), loading.has_weights(entry))
        return of_config(folders.read_json(model.path / folders.CONFIG), f"models.{name}")
    entry = model.model_dump()
    return of_hub(model.hub, loading.pinned(entry, lock) or loading.branch(entry), f"models.{name}")


def of_hub(name: str, commit: str | None, says: str) -> Kind:
    """The kind of a hub model at a commit or branch (None: the latest). says: how an error begins.

    Raises HerbariumError if its configuration is not available, or does not name a kind.
    """
    try:
        file = hub.small_file(name, commit, folders.CONFIG)
    except HerbariumError as error:
        loading.require_listed(says, name, commit)
        raise HerbariumError(
            f"{says}: what '{name}' predicts is in its {folders.CONFIG}, which is not in the local cache: {error} "
            f"Connect to the network once, or give `kind`: {_KINDS}."
        ) from error
    return of_config(folders.read_json(file), says)


def of_config(config: dict, says: str) -> Kind:
    """The kind of a model by the class that it was saved from, as its configuration names it: that of its head, or an
    encoder if it is of a family of masked models and has none.

    config: the content of `config.json`. says: how an error begins. Raises HerbariumError if the class has no head
    of a known kind, has several, or is not named.
    """
    architectures = config.get("architectures")
    named = [name for name in architectures if isinstance(name, str)] if isinstance(architectures, list) else []
    loading.require_no_discriminator(named, says)
    family = records.family_of(config)
    kinds = records.kinds_named(named, config, family)
    if {Kind.masked, Kind.causal} <= kinds:  # XLM has one class for both
        kinds.remove(Kind.masked if loading.sees_only_before(config) else Kind.causal)
    if len(kinds) == 1:
        return kinds.pop()
    classes = ", ".join(named)
    if kinds:
        raise HerbariumError(f"{says}: {classes} can be {' or '.join(sorted(kinds))}; say which with `kind`.")
    if family and family.is_whole_without_head(config) and all(name.endswith("Model") for name in named):
        return family.kind
    if family and family.kind is Kind.masked and named and all(name.endswith("Model") for name in named):
        return Kind.encoder
    if not named:
        raise HerbariumError(
            f"{says}: its {folders.CONFIG} does not name the class that it was saved from ('architectures'). Say what "
            f"it predicts with `kind`: {_KINDS}."
        )
    lacking = f"the head of {family.kind.in_words} ({family.heads[family.kind]})" if family else "such a head"
    raise HerbariumError(
        f"{says}: it was saved as {classes}, which predicts no words: {lacking} is missing, and would be random. Use "
        f"a model that was saved with it; if these weights do have it, say so with `kind`: {_KINDS}."
    )
