"""Which models are compared: one before a change and after it, or after one change and another."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise

from herbarium.core.errors import require_known
from herbarium.models.genealogy import families, trainings
from herbarium.models.section import Model

MOST = 4  # models of which all pairs are compared: with more, the family of tests leaves little power
# Two names of the configuration, and the models before and after: if there are several trainings, each is compared.
Compared = tuple[str, str, str, str]


def default(models: Mapping[str, Model]) -> list[list[str]]:
    """Each derived model with the one that it comes from; then all pairs that come from one; then all pairs of models
    of one kind that are neither planted nor derived nor checkpoints, if there are at most MOST such models."""
    names = list(trainings(models))
    base = {name: models[name].derived.base for name in names}
    others = [[a, b] for a, b in combinations(names, 2) if base[a] == base[b]]
    given = [name for name, model in models.items() if model.planted is None and not (model.derived or model.member)]
    if len(given) <= MOST:  # scores of two kinds are not on one scale
        others += [[a, b] for a, b in combinations(given, 2) if models[a].kind == models[b].kind]
    return [[base[name], name] for name in names] + others


def along_training(models: Mapping[str, Model], among: Collection[str]) -> list[list[str]]:
    """Each checkpoint of a training with the next, among some models."""
    steps = families(models, "steps").values()
    return [list(pair) for training in steps for pair in pairwise(name for name in training if name in among)]


def compared(
    comparisons: Sequence[Sequence[str]], models: Mapping[str, Model], among: Collection[str]
) -> list[Compared]:
    """The comparisons among some models. Trainings of both sides are compared seed by seed; all with the other side if
    that has only one."""
    trained = trainings(models)
    pairs = []
    for first, second in comparisons:
        before, after = (trained.get(name, [name]) for name in (first, second))
        n = max(len(before), len(after)) if 1 in (len(before), len(after)) else min(len(before), len(after))
        pairs += [(first, second, before[k % len(before)], after[k % len(after)]) for k in range(n)]
    return [comparison for comparison in pairs if set(comparison[2:]) <= set(among)]


def require(comparisons: Sequence[Sequence[str]], models: Mapping[str, Model]) -> None:
    """Raise ValueError for a comparison that is not of two models of the study, or is listed twice."""
    for number, pair in enumerate(comparisons, start=1):
        if len(set(pair)) != 2 or len(pair) != 2:
            raise ValueError(f"comparisons: entry {number} does not name two models, `[before, after]`")
        for name in pair:
            require_known("comparisons", name, models, "models")
        if list(pair) in [list(comparison) for comparison in comparisons[: number - 1]]:
            raise ValueError(f"comparisons: [{', '.join(pair)}] is listed twice")
