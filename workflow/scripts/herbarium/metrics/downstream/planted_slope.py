"""Is the planted effect in the texts of a task found? Measured effects against the lean of each country.

The label of a planted text depends on its country with the log-odds strength · lean (`downstream.planted_text`), so
effects of countries are in log-odds: for a classifier that learned all of it, their slope on the lean is the strength.
With strength 0 there is nothing to find, and anything found comes from the model before fine-tuning, or is noise.
"""

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.downstream.numbers import METRIC
from herbarium.statistics import correlation
from herbarium.statistics.tidy import tidy

SPEARMAN, SLOPE = "planted_spearman", "planted_slope"
_DRAWS = "propagation"  # countries are drawn as for the correlations of a task with intrinsic measures
_DECIMALS = 12  # smaller differences of effects are ties: probabilities are rounded at 1e-16


def measure(
    model: str,
    task: str,
    log_odds: np.ndarray,
    prefixes: pd.DataFrame,
    lean: pd.Series,
    strength: float,
    bootstrap: dict,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of metric "downstream" of one model and a task with planted texts.

    log_odds: (n_sets, n_prefixes, n_examples) of the positive class, natural. prefixes: rows of "task_prefixes", in
    the order of log_odds. lean: of each country by region identifier, mean 0 and standard deviation 1: what is planted
    with strength 1. strength: that of the task, for the notes. bootstrap: `replicates` and `level`.

    Unit "all", group {task}/country, over the `n` countries with a lean: `planted_spearman`, the rank correlation of
    their effects on the log-odds with the lean, and `planted_slope`, their least-squares slope on the lean, with
    intervals over countries: for these classifiers, whose errors for countries do not depend on leans.
    """
    is_country = (prefixes["unit"] == "country").to_numpy()
    effect = log_odds[:, is_country].mean(axis=(0, 2))
    known = pd.DataFrame(
        {"lean": lean.reindex(prefixes.loc[is_country, "group"]).to_numpy(), "effect": effect}
    ).dropna()
    slopes = _over_countries(known["lean"].to_numpy(), known["effect"].to_numpy(), task, bootstrap, seed)
    notes = ["; ".join(filter(None, [f"planted strength {strength:g}", row.pop("note", None)])) for row in slopes]
    rows = pd.DataFrame(slopes).assign(group=f"{task}/country", unit="all", n=len(known), note=notes)
    rows["p_adjusted"] = rows["p_value"]  # the only one of its family
    return tidy(rows.assign(model=model, metric=METRIC, definition="paper"), over="countries")


def _over_countries(lean: np.ndarray, effect: np.ndarray, task: str, bootstrap: dict, seed: int) -> list[dict]:
    """The rows of both variants, by column of the tidy table."""
    effect = effect.round(_DECIMALS)

    def drawing() -> np.random.Generator:
        return stream(seed, "bootstrap", _DRAWS, task)

    of_ranks = correlation.correlated(lean, effect, bootstrap, drawing(), "countries")
    if len(lean) < correlation.FEWEST:
        return [of_ranks | {"variant": SPEARMAN}, of_ranks | {"variant": SLOPE}]
    places = correlation.draws(len(lean), bootstrap["replicates"], drawing())
    of_slope = {"estimate": float(slope(lean, effect)), "p_value": np.nan}
    of_slope |= correlation.interval(slope(lean[places], effect[places]), bootstrap["level"])
    return [of_ranks | {"variant": SPEARMAN}, of_slope | {"variant": SLOPE}]


def slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(...,) least-squares slope of y on x along the last axis; nan if x is constant. x, y: (..., n)."""
    x = x - x.mean(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x * y).sum(axis=-1) / (x**2).sum(axis=-1)
