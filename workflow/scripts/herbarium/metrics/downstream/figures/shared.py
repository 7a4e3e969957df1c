"""What the figures of downstream tasks share: the numbers of a task's prefixes, and their wording."""

from collections.abc import Iterable, Mapping

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.tasks import PLACE
from herbarium.metrics.downstream.numbers import EXCESS

COUNTRY = "country"
EFFECT = "change in the log-odds of the positive class beyond that of made-up names"
_NAMES = {"group": "region", "estimate": EXCESS}
_NUMBERS = ["n", EXCESS, "ci_low", "ci_high", "p_adjusted"]


def effects(
    numbers: pd.DataFrame,
    prefixes: Mapping[str, pd.DataFrame],
    where: pd.DataFrame,
    units: Iterable[str],
) -> pd.DataFrame:
    """The effects of prefixes beyond made-up names, in the order of `where`, then of units and prefixes.

    numbers: tidy rows of metric "downstream". prefixes: of each task, table "task_prefixes". where: of
    `drawing.tasks.places`. units: of the prefixes.

    Returns one row per task, model and prefix, null without a number: PLACE, `unit, region` (the prefix's group)`,
    name, continent, iso2, n, excess, ci_low, ci_high, p_adjusted`.
    """
    chosen = (numbers["metric"] == "downstream") & (numbers["definition"] == "paper") & (numbers["variant"] == EXCESS)
    chosen_rows = numbers[chosen].rename(columns=_NAMES).set_index(["model", "unit", "region"])[_NUMBERS]
    parts = []
    for task, model, planted in where.itertuples(index=False):
        of_task = prefixes[task].rename(columns=_NAMES)[["unit", "region", "name", "continent", "iso2"]]
        rows = pd.concat([of_task[of_task["unit"] == unit] for unit in units])
        key = [(model, unit, f"{task}/{region}") for unit, region in zip(rows["unit"], rows["region"], strict=True)]
        values = chosen_rows.reindex(pd.MultiIndex.from_tuples(key, names=chosen_rows.index.names)).set_axis(rows.index)
        parts.append(rows.join(values).assign(task=task, model=model, planted=planted))
    columns = [*PLACE, "unit", "region", "name", "continent", "iso2", *_NUMBERS]
    return pd.concat([pd.DataFrame(columns=columns), *parts], ignore_index=True).astype(
        {"planted": "float64", "n": "Int64", **dict.fromkeys(_NUMBERS[1:], "float64")}
    )


def is_found(table: pd.DataFrame) -> pd.Series:
    """Whether it differs from made-up names: an adjusted p below `style.ALPHA`."""
    return table["p_adjusted"] < style.ALPHA


def signed(value: float) -> str:
    """A change."""
    return style.text(value, "+.3f")


def extremes(rows: pd.DataFrame, form=signed) -> str:
    """From the least to the greatest excess, with names. rows: with `name` and `excess`, at least one of them known."""
    low, high = rows.loc[rows[EXCESS].idxmin()], rows.loc[rows[EXCESS].idxmax()]
    if len(rows) == 1:
        return f"{form(low[EXCESS])} ({low['name']})"
    return f"{form(low[EXCESS])} ({low['name']}) to {form(high[EXCESS])} ({high['name']})"


def texts(rows: pd.DataFrame) -> str:
    """The number of test texts of a task's numbers."""
    counts = rows["n"].dropna().unique()
    return f"n = {'/'.join(f'{n:,}' for n in counts)} texts" if len(counts) else "no value"
