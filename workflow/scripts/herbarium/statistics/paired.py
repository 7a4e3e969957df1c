"""Differences of two scores on the same resamples, for the comparison of every metric."""

import numpy as np
import pandas as pd

from herbarium.statistics.inference import adjust, bootstrap_p_value, percentile_interval

# Between the two sides of a difference; no name of a model, language or list and no identifier of a region contains it.
MINUS = " − "

Side = tuple[str, str]  # a model and one of its groups
Pair = tuple[str, str, Side, Side]  # the model and group of the difference's row, and its sides


def family(
    pairs: list[Pair],
    scores: pd.DataFrame,
    replicates: pd.DataFrame,
    level: float,
    method: str,
    without_interval: str,
    unequal: str | None,
) -> pd.DataFrame:
    """The differences of one family of p-values: `model`, `group`, and all that a tidy row says about a number.

    scores: `estimate` and `n` by side. replicates: one column per side, one row per replicate, on the same draws for
    all sides, so that shared errors cancel. A side may be missing in either. level: coverage of the percentile
    intervals. method: of `inference.adjust`. `n` is null if it differs between the sides.

    Notes: without_interval, if a side has no replicates. unequal, if `n` differs; None if that does not matter.
    """
    table = pd.DataFrame(pairs, columns=["model", "group", "a", "b"])
    first, second = (scores.reindex(table[side].tolist()) for side in ("a", "b"))
    table["estimate"] = first["estimate"].to_numpy() - second["estimate"].to_numpy()
    table["n"] = first["n"].where(first["n"].to_numpy() == second["n"].to_numpy()).to_numpy()
    a, b = (replicates.reindex(columns=pd.MultiIndex.from_tuples(table[side])).to_numpy() for side in ("a", "b"))
    return _inferred(table.drop(columns=["a", "b"]), a - b, level, method, without_interval, unequal)


def _inferred(
    table: pd.DataFrame,
    differences: np.ndarray,
    level: float,
    method: str,
    without_interval: str,
    unequal: str | None,
) -> pd.DataFrame:
    """A family's rows with intervals and p-values. differences: (n_replicates, n_rows), nan if there are none."""
    has_replicates = np.isfinite(differences).all(axis=0)
    table["std_error"] = differences.std(axis=0, ddof=1)
    table["ci_low"], table["ci_high"] = percentile_interval(differences, level)
    table["p_value"] = np.where(has_replicates, bootstrap_p_value(differences), np.nan)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(), method)
    table["note"] = np.select(
        [
            table["estimate"].isna(),
            ~has_replicates,
            table["n"].isna() & (unequal is not None),
            table["p_value"] <= 2 / (1 + len(differences)),
        ],
        [
            "a side was not measured",
            without_interval,
            unequal,
            f"p is the least possible with {len(differences)} replicates",
        ],
        None,
    )
    return table
