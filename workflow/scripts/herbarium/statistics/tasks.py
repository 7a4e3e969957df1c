"""Does a model do the task that its numbers are about? Answers that are guessed say nothing about bias."""

from collections.abc import Iterator

import pandas as pd

from herbarium.statistics.inference import sample_mean
from herbarium.statistics.sets import Sets
from herbarium.statistics.shares import share_interval
from herbarium.statistics.within_sets import Contrast

VARIANT = "_task_"  # between the variant of a contrast and the name of a task


def done(data: Sets, contrast: Contrast, level: float) -> Iterator[dict]:
    """One row per task of a contrast that sets ask for: `task`, `estimate` with `ci_low` and `ci_high` (per cent), `n`
    units, which `over` names, and `note`, why the model does not do it, None if it does: the interval is not above
    guessing.

    level: coverage. The sets have units of one kind.
    """
    whole = contrast.comparable(data)
    for task in contrast.tasks:
        asked = whole.of(task.asks(whole))
        if not len(asked.values):
            continue
        estimate, low, high = _interval(asked, contrast, task.side, level)
        numbers = {"estimate": estimate, "ci_low": low, "ci_high": high, "n": asked.n, "over": asked.over}
        note = None if low > task.guessed else _fault(task.what, estimate, low, high, task.guessed)
        yield {"task": task.name, **numbers, "note": note}


def _interval(asked: Sets, contrast: Contrast, side: str, level: float) -> tuple[float, float, float]:
    """A share with its interval over units: exact if all units have all or none, as none varies then; from 0 to 100 if
    there is only one."""
    of_sets = contrast.by_set(asked)[:, contrast.means(asked.sides).index(side)]
    of_units = pd.Series(of_sets).groupby(asked.unit).mean().to_numpy()
    estimate, n = float(of_units.mean()), len(of_units)
    if n == 1:
        return estimate, 0.0, 100.0
    if estimate in (0.0, 100.0):
        all_units = 100 * ((1 - level) / 2) ** (1 / n)  # Clopper and Pearson
        return (estimate, 0.0, 100 - all_units) if estimate == 0 else (estimate, all_units, 100.0)
    return estimate, *share_interval(sample_mean(of_units), of_sets, asked.weights, level)


def _fault(what: str, estimate: float, low: float, high: float, guessed: float) -> str:
    if guessed == 0:
        return f"{what}: never"
    return f"{what}: {estimate:.0f} % ({low:.0f} to {high:.0f}), which cannot be told from guessing, {guessed:.0f} %"
