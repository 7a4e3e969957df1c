"""What the models of a study come from, and which of them differ only in their training.

models: those of a study by name, as `completion.completed` returns them.
"""

from collections.abc import Mapping

from herbarium.models.recipes import Derived
from herbarium.models.section import Model


def line(models: Mapping[str, Model], name: str) -> list[str]:
    """A model, the one that it is derived from, and so on; just the name if it is not one of the study's models."""
    names = [name]
    while (known := models.get(names[-1])) is not None and known.derived is not None:
        names.append(known.derived.base)
    return names


def origin(models: Mapping[str, Model], name: str) -> str:
    """The model at the beginning of the chain that a model is derived from; itself if it is not derived."""
    return line(models, name)[-1]


def is_made_from(models: Mapping[str, Model], first: str, second: str) -> bool:
    """Whether the second model is derived from the first, directly or through others."""
    return first in line(models, second)[1:]


def is_trained(models: Mapping[str, Model], name: str) -> bool:
    """Whether a model was trained by the study with a seed of its own, or comes from one that was."""
    derived = (models[ancestor].derived for ancestor in line(models, name))
    return any(ancestor is not None and ancestor.by.is_random for ancestor in derived)


def is_tiny(models: Mapping[str, Model], name: str) -> bool:
    """Whether a model is from the testbed, or derived from one that is: small enough for one core.

    False for a name that is not one of the study's models.
    """
    known = models.get(origin(models, name))
    return known is not None and known.planted is not None


def neutralised(models: Mapping[str, Model]) -> dict[str, str]:
    """Model without weights of its own -> the model whose scores, of texts and of their swaps, it averages."""
    derived = {name: model.derived for name, model in models.items() if model.derived}
    return {name: change.base for name, change in derived.items() if not change.by.has_weights}


def further(name: str, derived: Derived) -> dict[str, Derived]:
    """The models that come with a derived one, by name: {name}-{epoch:02} after each epoch but the last, and
    {name}-seed{n} from each further seed of its training."""
    stages = {f"{name}-{n:02}": {"by": stage} for n, stage in enumerate(derived.by.stages(), start=1)}
    seeds = range(derived.seed + 1, derived.seed + derived.seeds)
    others = {f"{name}-seed{seed}": {"seed": seed, "seeds": 1} for seed in seeds}
    return {other_model: derived.model_copy(update=changes) for other_model, changes in (stages | others).items()}


def families(models: Mapping[str, Model], which: str) -> dict[str, dict[str, str]]:
    """Model whose checkpoints are `which`, "steps" or "seeds" -> its models, and the checkpoint that each is."""
    members: dict[str, dict[str, str]] = {}
    for name, model in models.items():
        if model.member is not None and model.checkpoints_are == which:
            members.setdefault(model.member.family, {})[name] = model.member.checkpoint
    return members


def trainings(models: Mapping[str, Model]) -> dict[str, list[str]]:
    """Derived model, by its name in the configuration -> it and its further trainings."""
    brought = {name: further(name, model.derived) for name, model in models.items() if model.derived}
    named = [name for name in brought if not any(name in others for others in brought.values())]
    return {
        name: [name, *(other for other, stage in brought[name].items() if stage.by == models[name].derived.by)]
        for name in named
    }


def repeated(models: Mapping[str, Model]) -> dict[str, list[str]]:
    """What was trained several times with one recipe -> its models, which differ in their seed."""
    repeats = trainings(models) | {name: list(seeds) for name, seeds in families(models, "seeds").items()}
    return {name: names for name, names in repeats.items() if len(names) > 1}
