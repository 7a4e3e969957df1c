"""Which models are compared: one before a change and after it, or after one change and another."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from herbarium.core.errors import require_known
from herbarium.models.section import Model, families, further

# Two names of the configuration, and the models before and after: if there are several trainings, each is compared.
Compared = tuple[str, str, str, str]


def own(models: Mapping[str, Model]) -> dict[str, list[str]]:
    """Derived model, by its name in the configuration -> it and its further trainings. models: `section.completed`."""
    brought = {name: further(name, model.derived) for name, model in models.items() if model.derived}
    named = [name for name in brought if not any(name in others for others in brought.values())]
    return {
        name: [name, *(other for other, of in brought[name].items() if of.by == models[name].derived.by)]
        for name in named
    }


def default(models: Mapping[str, Model]) -> list[list[str]]:
    """Each derived model with the one that it comes from; then all pairs that come from one."""
    names = list(own(models))
    base = {name: models[name].derived.base for name in names}
    others = [[a, b] for place, a in enumerate(names) for b in names[place + 1 :] if base[a] == base[b]]
    return [[base[name], name] for name in names] + others


def along_training(models: Mapping[str, Model], among: Collection[str]) -> list[list[str]]:
    """Each checkpoint of a training with the next, among some models."""
    trainings = families(models, "steps").values()
    return [list(pair) for of in trainings for pair in pairwise(name for name in of if name in among)]


def compared(
    comparisons: Sequence[Sequence[str]], models: Mapping[str, Model], among: Collection[str]
) -> list[Compared]:
    """The comparisons among some models. Trainings of both sides are compared seed by seed; all with the other side if
    that has only one."""
    trainings = own(models)
    found = []
    for first, second in comparisons:
        before, after = (trainings.get(name, [name]) for name in (first, second))
        n = max(len(before), len(after)) if 1 in (len(before), len(after)) else min(len(before), len(after))
        found += [(first, second, before[k % len(before)], after[k % len(after)]) for k in range(n)]
    return [of for of in found if set(of[2:]) <= set(among)]


def require(comparisons: Sequence[Sequence[str]], models: Mapping[str, Model]) -> None:
    """Raise ValueError for a comparison that is not of two models of the study, or is listed twice."""
    for number, pair in enumerate(comparisons, start=1):
        if len(set(pair)) != 2 or len(pair) != 2:
            raise ValueError(f"comparisons: entry {number} does not name two models, `[before, after]`")
        for name in pair:
            require_known("comparisons", name, models, "models")
        if list(pair) in [list(of) for of in comparisons[: number - 1]]:
            raise ValueError(f"comparisons: [{', '.join(pair)}] is listed twice")
