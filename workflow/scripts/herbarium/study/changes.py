"""Before and after: how a change of a model changed the primary numbers of all metrics, and what it cost.

Metrics write differences of two models (`statistics.changes`). Here, the differences of several trainings with one
recipe become one, p-values are adjusted, and a model that has lost too much of its capability is flagged.
"""

import html
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import stdtrit

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.statistics.inference import adjust, least_bound

LEVEL, CORRECTION = 0.95, "holm"
_ALPHA = 0.05  # of the equivalence tests
_LEAST = 1e-12  # smallest p-value
_NORMAL = 1e6  # degrees of freedom that are as good as normal
_VALUES = [f"{bound}_{side}" for side in ("before", "after") for bound in ("value", "low", "high")]
COLUMNS = [
    *("first", "second", "metric", "measure", "kind", "null", "worst", "trainings", *_VALUES),
    *(
        "estimate",
        "std_error",
        "ci_low",
        "ci_high",
        "p_value",
        "p_adjusted",
        "equivalence_bound",
        "n",
        "p_further",
        "further",
        "flagged",
        "note",
    ),
]
EMPTY = style.Empty("No two models were compared.")
UNDECIDED = "cannot tell"
_SIDES = {"before": "first model", "after": "second model"}
ONE_TRAINING = "one training: how much another would differ is unknown"


def combined(
    changes: pd.DataFrame, made_from: Collection[tuple[str, str]], trained: Collection[tuple[str, str]]
) -> pd.DataFrame:
    """One row per comparison and measure, with COLUMNS.

    changes: with the schema "changes". made_from: comparisons whose second model was made from the first. trained:
    those in which another seed would give another model; a single one of these has a `note` that says so.

    `trainings`: the number of pairs of models. If there are several, `estimate` is the mean of their differences, and
    values and their bounds are means, too. The variance of that mean is the sum of what all pairs share (the mean of
    their variances, as if nothing cancelled) and the variance between trainings, over their number.
    `equivalence_bound`: the smallest bound within which two one-sided tests at 5 % place the difference. All bias rows
    are one family of p-values, all cost rows another. `further`: which of the two is further from `null`, or UNDECIDED,
    by `p_further` (`_p_further`), which is adjusted in the same families; None without a null value. `flagged`: the
    second model was made from the first, and the estimate is above `worst`.
    """
    keys = ["first", "second", "metric", "measure", "kind"]
    rows = [
        dict(zip(keys, key, strict=True)) | _row(group, key[:2] in trained)
        for key, group in changes.groupby(keys, sort=False)
    ]
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    is_made = [pair in made_from for pair in zip(table["first"], table["second"], strict=True)]
    table["flagged"] = (table["estimate"] > table["worst"]) & np.array(is_made, bool)
    for kind in table["kind"].unique():
        is_kind = table["kind"] == kind
        for p, adjusted in (("p_value", "p_adjusted"), ("p_further", "p_further")):
            table.loc[is_kind, adjusted] = adjust(table.loc[is_kind, p].to_numpy(float), CORRECTION)
    table["further"] = _further(table)
    return table


def _further(table: pd.DataFrame) -> pd.Series:
    """The model that is further from the null value, or UNDECIDED; None where nothing is known of it."""
    total = _total(table)
    name = table["second"].where(table["estimate"] * total > 0, table["first"])
    decided = name.where(table["p_further"] < _ALPHA, UNDECIDED)
    return decided.astype(object).where(table["p_further"].notna(), None)


def _total(rows: pd.DataFrame) -> pd.Series:
    """The sum of both models' distances from the null value."""
    return rows["value_before"] + rows["value_after"] - 2 * rows["null"]


def _row(rows: pd.DataFrame, is_trained: bool) -> dict:
    known = rows.dropna(subset="estimate")
    row = {**rows[["null", "worst"]].iloc[0], **known[_VALUES].mean(), "trainings": len(rows)}
    notes = [*rows["note"].dropna().unique(), *([ONE_TRAINING] if is_trained and len(rows) == 1 else [])]
    row["note"] = "; ".join(notes) or None
    if known.empty:
        return {**row, **rows[_VALUES].mean()}
    mean = over_trainings(known["estimate"].to_numpy(), known["std_error"].to_numpy() ** 2, known["df"].to_numpy())
    row |= {"estimate": mean.estimate, "n": known["n"].min()}
    if not mean.std_error > 0:
        return row
    low, high = mean.interval(LEVEL)
    bound = least_bound(*mean.interval(1 - 2 * _ALPHA))
    inferred = {"ci_low": low, "ci_high": high, "p_value": mean.p_value(), "equivalence_bound": bound}
    return row | inferred | {"std_error": mean.std_error, "p_further": _p_further(known, inferred["p_value"])}


def _p_further(rows: pd.DataFrame, p_value: float) -> float:
    """p-value of "both models are equally far from the null value": |a| = |b|, that is a = b or a = -b. So it is the
    larger p of the tests of a = b (`p_value`) and a + b = 0 (an intersection-union test: Berger 1982, Technometrics 24,
    295-300). NaN without a null value or intervals. rows: pairs of models.

    The error of a + b is at most the sum of both models' errors, whatever they share; trainings add theirs. Intervals
    are taken as of `LEVEL`, as on the first screen.
    """
    total = _total(rows)
    mean = total.mean()
    near = "low" if mean > 0 else "high"
    half = abs(sum((rows[f"value_{side}"] - rows[f"{near}_{side}"]).mean() for side in ("before", "after")))
    df = min(rows["df"].min(), _NORMAL)
    parts = [((half / stdtrit(df, (1 + LEVEL) / 2)) ** 2, df)]
    if len(total) > 1:
        parts.append((total.var(ddof=1) / len(total), len(total) - 1))
    variances, freedom = map(np.array, zip(*parts, strict=True))
    if not (np.isfinite(mean) and np.isfinite(variances).all()):
        return np.nan
    return max(p_value, Change(float(mean), variances, freedom).p_value())


class Change(NamedTuple):
    """A difference, and the variances that add up to that of its error, with the degrees of freedom of each."""

    estimate: float
    variances: np.ndarray
    df: np.ndarray

    @property
    def std_error(self) -> float:
        return float(np.sqrt(self.variances.sum()))

    def half_width(self, level: float) -> float:
        """Of the interval (Howe 1974, J. Am. Stat. Assoc. 69, 789-794): each variance with the quantile of its own t.
        For few trainings, Satterthwaite's degrees of freedom would be too many: with two, tests reject in 11 %."""
        return float(np.sqrt((stdtrit(self.df, (1 + level) / 2) ** 2 * self.variances).sum()))

    def interval(self, level: float) -> tuple[float, float]:
        half = self.half_width(level)
        return self.estimate - half, self.estimate + half

    def p_value(self) -> float:
        """Two-sided: the smallest level of a test whose interval does not contain 0."""
        if self.half_width(1 - _LEAST) < abs(self.estimate):
            return _LEAST
        if not self.estimate:
            return 1.0
        return brentq(lambda alpha: self.half_width(1 - alpha) - abs(self.estimate), _LEAST, 1)


def over_trainings(estimates: np.ndarray, variances: np.ndarray, df: np.ndarray) -> Change:
    """The mean of differences of several pairs of models, with its error (`combined`); arrays (n_pairs,)."""
    n = len(estimates)
    parts = [(variances.mean(), min(df.min(), _NORMAL)), *([(estimates.var(ddof=1) / n, n - 1)] if n > 1 else [])]
    part_variances, freedom = map(np.array, zip(*parts, strict=True))
    return Change(float(estimates.mean()), part_variances, freedom)


# --- the figure ---


def lines(table: pd.DataFrame) -> pd.Series:
    """The label of a comparison, with what is to be said of it."""
    remarks = table["flagged"].map({True: " (flagged)", False: ""}).where(table["estimate"].notna(), " (no value)")
    return table["first"] + " → " + table["second"] + remarks


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{row.measure}, {row.first} to {row.second}: {row.value_before:.3g} to {row.value_after:.3g}."
        for row in table.itertuples()
        if pd.notna(row.estimate)
    ]
    return f"Arrows from the value before a change of a model to that after it, by measure. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per measure, with dots for before and after, and arrows between them."""
    plots = []
    for measure, rows in table.groupby("measure", sort=False):
        rows = rows.reset_index(drop=True)
        of_sides = {
            side: pd.DataFrame(
                {
                    "estimate": rows[f"value_{side}"],
                    "ci_low": rows[f"low_{side}"],
                    "ci_high": rows[f"high_{side}"],
                    "p_adjusted": np.nan if side == "before" else rows["p_adjusted"],
                    "line": lines(rows),
                    "series": _SIDES[side],
                }
            )
            for side in ("before", "after")
        }
        places = {"before": rows.index - 0.12, "after": rows.index + 0.12}
        colours = {"before": "#777777", "after": style.COLOURS[0]}
        traces = [
            interactive.dots(side_rows, "x", pd.Series(places[side], side_rows.index), _SIDES[side], colours[side])
            for side, side_rows in of_sides.items()
        ]
        arrows = [
            {
                **{"x": row.value_after, "y": place + 0.12, "ax": row.value_before, "ay": place - 0.12},
                **{"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "showarrow": True, "text": ""},
                **{"arrowhead": 2, "arrowwidth": 1, "arrowcolor": style.COLOURS[0]},
            }
            for place, row in enumerate(rows.itertuples())
            if pd.notna(row.value_before) and pd.notna(row.value_after)
        ]
        null = rows["null"].iloc[0]
        shapes = [interactive.line("x", null, "dash")] if pd.notna(null) else []
        ticks = {"tickvals": list(rows.index), "ticktext": [html.escape(line, quote=False) for line in lines(rows)]}
        layout = {
            "height": 130 + 34 * len(rows),
            "xaxis": {"title": {"text": ""}, "zeroline": False},
            "yaxis": ticks | {"range": [len(rows) - 0.5, -0.5], "zeroline": False},
            **{"annotations": arrows, "shapes": shapes},
        }
        plots.append({"title": measure, "data": traces, "layout": layout, "filled": interactive.SIGNIFICANT})
    return plots
