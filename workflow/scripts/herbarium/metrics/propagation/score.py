"""Does what a model encodes about regions predict their effects on its classifiers? Intrinsic against extrinsic
measures.

Li et al. (2022), Section 4.5, claim that fine-tuned models rank like their HERB scores. Here this is tested twice: over
the countries of one model and task, and over models. Correlations are of ranks (Spearman 1904).

Countries of one continent are similar, both in what a model encodes about them and in their effects in a task, even if
the two are unrelated; and both depend on the length of a name, and on ‖f(S)‖: if it is smaller, the same noise is a
larger part of v. So the correlation within continents, given these, is tested. The correlation of all countries
together has neither a p-value nor an interval: both would assume independent countries.

Errors that the two sides do not share attenuate a correlation; their size is estimated by the correlation, within
continents and given names, of a side with itself: between halves of a topic's descriptions, and between training sets
(Spearman 1904; 1910; Brown 1910). Errors that both sides share inflate it, and no reliability shows them.

Rows of metric "propagation" have the group {task}/{intrinsic measure}; the unit is what is correlated, "country" or
"model", and `n` their number. The intrinsic measures of a country are defined by their metrics.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # imports its parts when they are first used

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.statistics import correlation
from herbarium.statistics.inference import adjust
from herbarium.statistics.model_measures import MODEL_MEASURES
from herbarium.statistics.reliability import below_chance, spearman_brown
from herbarium.statistics.tidy import tidy

METRIC = "propagation"
# One row per measure and country: what a figure of intrinsic against extrinsic draws. `continent` is a region
# identifier, `effect` a change of probability.
COUNTRIES = schema(
    "propagation_countries",
    *((name, pa.string()) for name in ("model", "task", "measure", "region", "name", "continent")),
    *((name, pa.float64()) for name in ("intrinsic", "effect", "effect_low", "effect_high")),
    nullable=("continent", "effect_low", "effect_high"),
)
ALL_MODELS = "all models"
C_W, LEAVES = "C_w", "C_w_leaves"  # the second: only for countries without sub-regions
# Scores of a whole model by HERB.
_ROOT_SCORES = (C_W, "C_w_size_free", "C_z")
# The outcomes: the mean size of the countries' effects, and how often a country's name changes a label.
OUTCOMES = ("absolute_effect", "label_change")
# Covariates of both sides, in addition to the continent: letters and sub-tokens of the name, and ‖f(S)‖.
GIVEN = ["n_letters", "n_tokens", "norm"]
MOST = 0.7  # share of both sides explained by these, above which permutations reject too often
RELIABLE = 0.3  # the least reliability for a corrected correlation
SPLITS = 100  # halves of words
PRIMARY = "within_given_effect"  # the primary variant
_FEW = f"fewer than {correlation.FEWEST} countries"
_FEW_INSIDE = "too few countries that share a continent"
_DECIMALS = 12  # smaller differences of effects are ties: probabilities are rounded at 1e-16


# --- countries ---


def by_country(measures: pd.DataFrame) -> pd.DataFrame:
    """The intrinsic measures of countries, one column each: one row per country, nan if it was not measured.

    measures: table "country_measures" of one model; its order of countries and measures is kept.
    """
    wide = measures.pivot(index="region", columns="measure", values="value")
    return wide.loc[measures["region"].unique(), measures["measure"].unique()].rename_axis(columns=None)


def country_effects(numbers: pd.DataFrame, model: str, task: str) -> pd.DataFrame:
    """`estimate`, `ci_low` and `ci_high` of each country's excess, by region identifier.

    numbers: tidy rows of metric "downstream".
    """
    chosen = (numbers["metric"] == "downstream") & (numbers["model"] == model) & (numbers["unit"] == "country")
    rows = numbers[chosen & (numbers["variant"] == "excess") & numbers["group"].str.startswith(f"{task}/")]
    rows = rows.set_index(rows["group"].str.removeprefix(f"{task}/").rename("region"))
    return rows[["estimate", "ci_low", "ci_high"]].astype(float)


def of_countries(
    model: str,
    task: str,
    measures: pd.DataFrame,
    countries: pd.DataFrame,
    effect: pd.Series,
    by_word: Mapping[str, pd.DataFrame],
    by_set: pd.DataFrame,
    bootstrap: dict,
    method: str,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of one model and task over countries.

    measures: of `by_country`. countries: by region identifier `continent`, `vector` (None if there is none) and GIVEN.
    effect: likewise, as of `country_effects`. by_word: of `words_of`. by_set: of `sets_of`. bootstrap: `replicates`
    over the countries of each continent, whose draws are those of every model, and `level` of the percentile intervals.
    method: of `inference.adjust`, over all p-values here.

    Each measure is correlated with the effect, and with its size (`absolute_effect`): variants spearman_{...}, over all
    countries together; within_{...}, of normal scores of ranks within continents; within_given_{...}, the same given
    GIVEN, with the shares that these explain in the note, and without a p-value if both are above MOST. `mantel`, group
    {task}/v: distances of the vectors against the differences of effects, pairs within continents, with a one-sided
    test. P-values are from permutations within continents. A country without one of the values is left out of that row;
    within continents, so is the only one of a continent.

    `reliability_measure` and `reliability_effect` are those of both sides of within_given_effect;
    `disattenuated_effect`, this corrected for their errors: r / √(product of both), if both are at least RELIABLE. Its
    interval is that of r, divided by the same number: it does not include the errors of reliabilities.
    """
    effect = effect.round(_DECIMALS)
    table = measures.join(countries[["continent", *GIVEN]]).assign(effect=effect.reindex(measures.index))
    rows = []
    for measure in measures:
        known = table.dropna(subset=[measure, "effect", *GIVEN])
        mixed = measure == C_W and LEAVES in measures
        note = (
            f"{measures[LEAVES].notna().sum()} without sub-regions; C_w of the others is about their sub-regions"
            if mixed
            else None
        )
        x, y = (known[column].to_numpy(float) for column in (measure, "effect"))
        given = [known[column].to_numpy(float) for column in GIVEN]
        draws = _drawn(known["continent"], bootstrap, seed, task)
        for outcome, values in (("effect", y), ("absolute_effect", np.abs(y))):
            row = {"group": measure, "n": len(known), "p_value": np.nan}
            by_variant = {"spearman": _together(x, values), "within": _inside(x, values, draws, [])}
            by_variant["within_given"] = _inside(x, values, draws, given)
            for variant, result in by_variant.items():
                notes = "; ".join(filter(None, [note, result.pop("note", None)])) or None
                rows.append(row | {"variant": f"{variant}_{outcome}", "note": notes} | result)
            if outcome == "effect":
                sides = by_word.get(measure), by_set
                sides = [None if side is None else side.reindex(known.index).to_numpy(float) for side in sides]
                result = _reliable(
                    by_variant["within_given"], *sides, given, draws.strata, stream(seed, METRIC, task, "halves")
                )
                rows += [row | result for result in result]
    rows.append(_of_distances(countries, effect, bootstrap, seed, task))
    table = pd.DataFrame(rows)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    table["group"] = f"{task}/" + table["group"]
    return tidy(table.assign(model=model, metric=METRIC, definition="paper", unit="country"), over="countries")


class _Draws(NamedTuple):
    """Countries by continent, their orders in the permutations, their indices in the replicates, and the level of the
    intervals."""

    strata: correlation.Strata
    orders: np.ndarray
    places: np.ndarray
    level: float


def _drawn(continents: pd.Series, bootstrap: dict, seed: int, task: str) -> _Draws:
    """The draws of a task: those of every model and measure that has the same countries."""
    strata, n = correlation.Strata(continents), len(continents)
    orders = strata.orders(n, correlation.PERMUTATIONS, stream(seed, "permutation", METRIC, task))
    places = strata.draws(n, bootstrap["replicates"], stream(seed, "bootstrap", METRIC, task))
    return _Draws(strata, orders, places, bootstrap["level"])


def _together(x: np.ndarray, y: np.ndarray) -> dict:
    """Spearman's correlation of all countries, by column of the tidy table."""
    if len(x) < correlation.FEWEST:
        return {"note": _FEW}
    r = float(correlation.spearman(x, y))
    return {"note": correlation.CONSTANT} if math.isnan(r) else {"estimate": r}


def _inside(x: np.ndarray, y: np.ndarray, draws: _Draws, given: list[np.ndarray]) -> dict:
    """The correlation within continents with interval and p-value, by column of the tidy table."""
    strata, orders, places, level = draws
    result = {"n": strata.n}
    # for each given variable, its scores and their squares
    if strata.n - len(strata.places) - 2 * len(given) < correlation.FEWEST:
        return result | {"note": _FEW_INSIDE}
    r = float(correlation.within(x, y, strata, given))
    if math.isnan(r):
        return result | {"note": correlation.CONSTANT}
    drawn = correlation.within(x[places], y[places], strata, [covariate[places] for covariate in given])
    result |= {"estimate": r} | correlation.interval(drawn, level)
    if given:
        shares = [correlation.explained(variable, strata, given) for variable in (x, y)]
        result["note"] = f"names explain {shares[0]:.0%} of the measure and {shares[1]:.0%} of the outcome"
        if min(shares) > MOST:
            return result | {"note": f"{result['note']}: too much of both for a test"}
    return result | {"p_value": correlation.within_p_value(x, y, strata, given, orders)}


def _reliable(
    result: dict,
    by_word: np.ndarray | None,
    by_set: np.ndarray,
    given: list[np.ndarray],
    strata: correlation.Strata,
    random: np.random.Generator,
) -> list[dict]:
    """The reliability of both sides, and `result` corrected for their errors, by column of the tidy table.

    by_word, by_set: (n_countries, n), the first None for a measure that is not a mean over words.
    """
    if "estimate" not in result:
        return []
    rows = [{"variant": "reliability_measure", "note": "not a mean over words"}, {"variant": "reliability_effect"}]
    if by_word is not None and by_word.shape[1] > 1:
        rows[0] = {"variant": "reliability_measure", "estimate": split_half(by_word, strata, given, random)}
    if by_set.shape[1] > 1:
        rows[1]["estimate"] = over_sets(by_set, strata, given)
    else:
        rows[1]["note"] = "one training set"
    both = [row.get("estimate", np.nan) for row in rows]
    for row, value in zip(rows, both, strict=True):
        row |= {"note": note} if (note := below_chance(value, strata.n)) else {}
    if not min(both) >= RELIABLE:
        few = f"a reliability is unknown, or below {RELIABLE:g}"
        return [*rows, {"variant": "disattenuated_effect", "note": few}]
    factor = 1 / math.sqrt(both[0] * both[1])
    scaled = {column: result[column] * factor for column in ("estimate", "ci_low", "ci_high") if column in result}
    return [*rows, {"variant": "disattenuated_effect"} | scaled]


def split_half(
    x: np.ndarray, strata: correlation.Strata, given: Sequence[np.ndarray], random: np.random.Generator
) -> float:
    """Reliability of the mean over words: the mean correlation within strata of random halves, stepped up.

    x: (n, n_words), at least two words. given: as for `correlation.within`.
    """
    half = x.shape[1] // 2
    orders = np.array([random.permutation(x.shape[1]) for _ in range(SPLITS)])
    one, other = (x[:, half].mean(axis=2).T for half in (orders[:, :half], orders[:, half : 2 * half]))
    return float(spearman_brown(correlation.within(one, other, strata, given).mean()))


def over_sets(y: np.ndarray, strata: correlation.Strata, given: Sequence[np.ndarray]) -> float:
    """Reliability of the mean over training sets: the mean correlation of two, stepped up to all.

    y: (n, n_sets), at least two sets.
    """
    pairs = itertools.combinations(y.T, 2)
    r = float(np.mean([correlation.within(one, other, strata, given) for one, other in pairs]))
    return spearman_brown(r, y.shape[1])


def _of_distances(countries: pd.DataFrame, effect: pd.Series, bootstrap: dict, seed: int, task: str) -> dict:
    """The row of `mantel`."""
    known = countries.assign(effect=effect.reindex(countries.index)).dropna(subset=["vector", "effect"])
    strata, orders, places, level = _drawn(known["continent"], bootstrap, seed, task)
    row = {"variant": "mantel", "group": "v", "n": strata.n, "p_value": np.nan}
    if strata.n - len(strata.places) < correlation.FEWEST:
        return row | {"note": _FEW_INSIDE}
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(np.stack(known["vector"])))
    values = known["effect"].to_numpy(float)
    differences = np.abs(values[:, None] - values)
    n = len(known)
    r = float(correlation.mantel(distances, differences, strata, np.ones((1, n)))[0])
    if math.isnan(r):
        return row | {"note": correlation.CONSTANT}
    counts = np.array([np.bincount(drawn, minlength=n) for drawn in places]).reshape(-1, n)
    drawn = correlation.mantel(distances, differences, strata, counts)
    p = correlation.mantel_p_value(distances, differences, strata, orders)
    return row | {"estimate": r, "p_value": p} | correlation.interval(drawn, level)


def words_of(countries: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The values whose means are the measures f/{topic}: for each, by region identifier, one column per description.

    countries: of table "country_vectors", by region identifier.
    """
    known = countries.dropna(subset="vector")
    if known.empty:
        return {}
    f = np.stack(known["vector"]) * known["norm"].to_numpy()[:, None]
    relative = f - f.mean(axis=1, keepdims=True)
    topics = np.array(known["topics"].iloc[0])
    return {f"f/{topic}": pd.DataFrame(relative[:, topics == topic], known.index) for topic in dict.fromkeys(topics)}


def sets_of(items: pd.DataFrame) -> pd.DataFrame:
    """The effect of each country in each training set, by region identifier. items: of tasks, of one model and task."""
    return items.pivot_table(index="object", columns="form", values="value", aggfunc="mean")


def scatter(
    model: str, task: str, measures: pd.DataFrame, effects: pd.DataFrame, prefixes: pd.DataFrame
) -> pd.DataFrame:
    """Table "propagation_countries": the countries that have both measure and effect.

    measures: of `by_country`. effects: of `country_effects`. prefixes: rows of "task_prefixes" of the task.
    """
    countries = prefixes[prefixes["unit"] == "country"].set_index("group")[["name", "continent"]].rename_axis("region")
    bounds = {"estimate": "effect", "ci_low": "effect_low", "ci_high": "effect_high"}
    table = countries.join(effects.rename(columns=bounds), how="inner")
    long = measures.rename_axis("region").melt(var_name="measure", value_name="intrinsic", ignore_index=False)
    table = table.join(long, how="inner").dropna(subset=["intrinsic", "effect"]).reset_index()
    table = table.sort_values("measure", key=lambda names: names.map(list(measures).index), kind="stable")
    return table.assign(model=model, task=task)[COUNTRIES.fields.names].reset_index(drop=True)


# --- models ---


def scores(numbers: pd.DataFrame, root: str) -> pd.DataFrame:
    """Table "model_measures": C_w, C_w_size_free and C_z of HERB's root.

    numbers: tidy rows, those of HERB among them. root: its region identifier.
    """
    of_root = (numbers["metric"] == "herb") & (numbers["definition"] == "paper") & (numbers["group"] == root)
    rows = numbers[of_root & numbers["variant"].isin(_ROOT_SCORES)].dropna(subset="estimate")
    return rows.rename(columns={"variant": "measure", "estimate": "value"})[MODEL_MEASURES.fields.names]


def of_models(task: str, scores: pd.DataFrame, numbers: pd.DataFrame, method: str, seed: int) -> pd.DataFrame:
    """Tidy rows of one task over models (`model` is "all models"): variants spearman_{...} of `OUTCOMES`.

    scores: tables "model_measures", one below the other. numbers: tidy rows of metric "downstream" of all models.
    method: of `inference.adjust`, over all p-values here, from permutations; the note says how small they can be.
    """
    downstream = numbers[(numbers["metric"] == "downstream") & (numbers["unit"] == "all")]
    downstream = downstream[downstream["group"] == f"{task}/country"]
    outcomes = downstream.pivot(index="model", columns="variant", values="estimate").reindex(columns=list(OUTCOMES))
    rows = []
    for (score, of_score), outcome in itertools.product(scores.groupby("measure", sort=False), OUTCOMES):
        pairs = of_score.set_index("model")[["value"]].join(outcomes[outcome], how="inner").dropna()
        row = {"variant": f"spearman_{outcome}", "group": f"{task}/{score}", "n": len(pairs), "p_value": np.nan}
        x, y = pairs.to_numpy(float).T
        if len(pairs) < correlation.FEWEST:
            row["note"] = f"no correlation: {len(pairs)} models"
        elif math.isnan(r := float(correlation.spearman(x, y))):
            row["note"] = correlation.CONSTANT
        else:
            random = stream(seed, "permutation", METRIC, task, score, outcome)
            p, least = correlation.permutation_p_value(x, y, random)
            few = correlation.tries_all(len(pairs))
            note = f"{len(pairs)} models: the least possible p is {least:.2g}"
            row |= {
                "estimate": r,
                "p_value": p,
                "note": f"{note}; a ranking of so few is weak evidence" if few else note,
            }
        rows.append(row)
    table = pd.DataFrame(rows, columns=["variant", "group", "n", "estimate", "p_value", "note"])
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    return tidy(table.assign(model=ALL_MODELS, metric=METRIC, definition="paper", unit="model"), over="models")
