"""What the parts of the page on tasks share: which rows they show, for which models, in what order, and how.

`labels` maps the name of a model or classifier to its label, in the order in which tables show them.
"""

import math
from collections.abc import Iterable, Mapping

import pandas as pd

from herbarium.drawing import style
from herbarium.report.numbers import Number, number, p_text, text

_PER_CENT = 100.0
_DECIMALS = 9  # of a probability: anything smaller is rounding
# A missing row.
ABSENT = {
    **dict.fromkeys(("estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "least", "n"), math.nan),
    "note": None,
}

# Tidy rows of a metric, task and model by (variant, unit, group), the group without its task.
Rows = Mapping[tuple[str, str, str], Mapping]


# --- rows ---


def labels(measured: Iterable[tuple[str, str]], planted: Mapping[str, float | None]) -> dict[str, str]:
    """The labels of all models and classifiers, planted ones first and by strength.

    measured: (task, model). planted: strength of the models that have a planted bias.
    """
    named = dict.fromkeys(model for _, model in measured)
    models = style.by_strength({"name": name, "planted": planted.get(name)} for name in named)
    return {model["name"]: style.label(model["name"], model["planted"]) for model in models}


def of_models(numbers: pd.DataFrame, task: str, labels: Mapping[str, str]) -> Iterable[tuple[str, Rows]]:
    """The label of each model and classifier of a task, and its rows. numbers: tidy rows of a metric, with `least` from
    `numbers.least_p` if it is known."""
    chosen = numbers[numbers["group"].str.startswith(f"{task}/")]
    chosen = chosen.assign(group=chosen["group"].str.removeprefix(f"{task}/"), note=notes(chosen))
    for label, group in by_label(chosen, labels):
        yield label, group.set_index(["variant", "unit", "group"]).reindex(columns=list(ABSENT)).to_dict("index")


def notes(rows: pd.DataFrame) -> pd.Series:
    """The notes of rows, None without one."""
    return rows["note"].astype(object).where(rows["note"].notna(), None)


def by_label(rows: pd.DataFrame, labels: Mapping[str, str]) -> Iterable[tuple[str, pd.DataFrame]]:
    """The label of each model and classifier, and its rows."""
    for model, group in in_order(rows, labels).groupby("model", sort=False):
        yield labels[model], group


def in_order(rows: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Rows of models that have a label, in the order of the labels."""
    ranks = {model: rank for rank, model in enumerate(labels)}
    rows = rows[rows["model"].isin(ranks)]
    return rows.sort_values("model", key=lambda column: column.map(ranks), kind="stable")


# --- cells ---


def percent(row: Mapping) -> dict[str, Number | None]:
    """As `cell`, in per cent."""
    return cell(row, _PER_CENT)


def cell(row: Mapping, scale: float = 1) -> dict[str, Number | None]:
    """`number` of a row; a rounding error around 0 is shown as 0."""
    rounded = {column: round(row[column], _DECIMALS) + 0.0 for column in ("estimate", "ci_low", "ci_high")}
    return number(pd.Series(rounded, dtype=float), scale)


def share(value: float) -> Number | None:
    """A share without an interval, in per cent."""
    return text(value, ".3g", _PER_CENT)


def count(n: float) -> Number | None:
    """A number of things."""
    return text(n, ",.0f")


def correlation(row: Mapping) -> dict:
    """A correlation with three decimals: correlations near 0 need no more."""
    bounds = {"value": row["estimate"], "low": row["ci_low"], "high": row["ci_high"]}
    shown = {key: text(value, ".3f") for key, value in bounds.items()}
    return shown | {"n": count(row["n"]), "p": p_text(row["p_adjusted"], row["least"]), "note": row["note"]}
