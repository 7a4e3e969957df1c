"""Is found what the texts of a task were planted with? Measured effects against the lean of each country.

The label of a planted text depends on its country with the log-odds strength · lean (`downstream.planted_text`), so
effects are told in log-odds here: of a classifier that learned all of it, their slope on the lean is the strength. With
strength 0 there is nothing to find, and what is found is what the model brought along, or noise.
"""

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.downstream import score
from herbarium.metrics.downstream.numbers import METRIC
from herbarium.statistics import correlation
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.tidy import tidy

EFFECT, SPEARMAN, SLOPE = "log_odds_effect", "planted_spearman", "planted_slope"
_DRAWS = "propagation"  # countries are drawn as they are for the correlations of a task with intrinsic measures
_DECIMALS = 12  # effects that differ by less are equal, and of one rank: probabilities are rounded at 1e-16


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

    log_odds: (n_seeds, n_prefixes, n_examples) of the positive class, natural. prefixes: rows of "task_prefixes", in
    the order of log_odds, with a control among them. lean: of each country by region identifier, mean 0 and standard
    deviation 1: what is planted for a strength of 1. strength: that of the task, for the notes. bootstrap:
    `replicates` and `level`.

    Unit "country", group {task}/{country}: `log_odds_effect`, as `effect` but in log-odds, with the interval over texts
    of the draws of `numbers.measure`; `n` is the number of texts. Unit "all", group {task}/country, over the
    countries with a lean, of which `n` says how many: `planted_spearman`, its rank correlation with the lean, and
    `planted_slope`, its least-squares slope on the lean, both with intervals over countries.
    """
    of_texts = score.effects(log_odds, (prefixes["kind"] == "control").to_numpy())
    is_country = (prefixes["unit"] == "country").to_numpy()
    countries = prefixes.loc[is_country, "group"]
    effect = of_texts[is_country].mean(axis=1)
    rows = pd.DataFrame({"group": f"{task}/" + countries, "estimate": effect, "n": log_odds.shape[2]})
    if bootstrap["replicates"] > 1:
        random = stream(seed, "bootstrap", METRIC, task)
        weights = score.draws(log_odds.shape[2], bootstrap["replicates"], random)
        drawn = score.weighted_means(weights, of_texts[is_country])
        rows["std_error"] = drawn.std(axis=0, ddof=1)
        rows["ci_low"], rows["ci_high"] = percentile_interval(drawn, bootstrap["level"])
    rows = rows.assign(variant=EFFECT, unit="country")
    known = pd.DataFrame({"lean": lean.reindex(countries).to_numpy(), "effect": effect}).dropna()
    found = _over_countries(known["lean"].to_numpy(), known["effect"].to_numpy(), task, bootstrap, seed)
    notes = ["; ".join(filter(None, [f"planted strength {strength:g}", row.pop("note", None)])) for row in found]
    together = pd.DataFrame(found).assign(group=f"{task}/country", unit="all", n=len(known), note=notes)
    together["p_adjusted"] = together["p_value"]  # the only one of its family
    rows = pd.concat([rows.reset_index(drop=True), together], ignore_index=True)
    return tidy(rows.assign(model=model, metric=METRIC, definition="paper"))


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
    """(...,) least-squares slope of y on x along the last axis; nan where x is constant. x, y: (..., n)."""
    x = x - x.mean(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x * y).sum(axis=-1) / (x**2).sum(axis=-1)
