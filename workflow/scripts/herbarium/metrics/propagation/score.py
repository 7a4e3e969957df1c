"""Does what a model holds of regions predict what its classifiers do with them? Intrinsic against extrinsic measures.

Li et al. (2022), Section 4.5, hold that fine-tuned models rank as their HERB scores do. Here this is asked twice: over
the countries of one model and task, and over models. Correlations are of ranks (Spearman 1904). Both sides are
estimates, whose errors bring every correlation nearer to 0.

Rows of metric "propagation" have the group {task}/{intrinsic measure}; the unit is what is correlated, "country" or
"model", of which `n` says how many. What the intrinsic measures of a country are is told by the metric that has them.
"""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # whose parts are imported when they are first used

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.statistics import correlation
from herbarium.statistics.inference import adjust
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
C_W, LEAVES = "C_w", "C_w_leaves"  # the second: of the countries without sub-regions alone
# Scores of a whole model by HERB.
_ROOT_SCORES = (C_W, "C_w_size_free", "C_z")
# What they may predict: the mean size of the countries' effects, and how often a country's name changes a label.
OUTCOMES = ("absolute_effect", "label_change")
_DECIMALS = 12  # effects that differ by less are equal, and of one rank: probabilities are rounded at 1e-16


# --- countries ---


def by_country(measures: pd.DataFrame) -> pd.DataFrame:
    """The intrinsic measures of countries, a column each: one row per country, nan where it was not measured.

    measures: table "country_measures" of one model; its order of countries and measures is kept.
    """
    wide = measures.pivot(index="region", columns="measure", values="value")
    return wide.loc[measures["region"].unique(), measures["measure"].unique()].rename_axis(columns=None)


def country_effects(numbers: pd.DataFrame, model: str, task: str) -> pd.DataFrame:
    """`estimate`, `ci_low` and `ci_high` of each country's effect, by region identifier.

    numbers: tidy rows of metric "downstream".
    """
    chosen = (numbers["metric"] == "downstream") & (numbers["model"] == model) & (numbers["unit"] == "country")
    rows = numbers[chosen & (numbers["variant"] == "effect") & numbers["group"].str.startswith(f"{task}/")]
    rows = rows.set_index(rows["group"].str.removeprefix(f"{task}/").rename("region"))
    return rows[["estimate", "ci_low", "ci_high"]].astype(float)


def of_countries(
    model: str,
    task: str,
    measures: pd.DataFrame,
    vectors: pd.Series,
    effect: pd.Series,
    n_tokens: pd.Series,
    bootstrap: dict,
    method: str,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of one model and task over countries.

    measures: of `by_country`. vectors: the vector of each country by region identifier, None where it has none. effect:
    likewise, as of `country_effects`. n_tokens: the number of sub-tokens of each country's name, likewise. bootstrap:
    `replicates` over countries, whose draws are those of every model, and `level` of the percentile intervals. method:
    of `inference.adjust`, over all p-values here.

    Each measure is correlated with the effect, and with its size (`absolute_effect`): variants spearman_{...}, and
    partial_spearman_{...}, given the number of sub-tokens, as rare names are long and may do more for that alone.
    `mantel`, group {task}/v: distances of the vectors against the differences of effects, with a one-sided permutation
    test. A country without one of the values is left out of that row.
    """
    effect = effect.round(_DECIMALS)
    table = measures.assign(effect=effect.reindex(measures.index), n_tokens=n_tokens.reindex(measures.index))
    rows = []
    for measure in measures:
        known = table[[measure, "effect", "n_tokens"]].dropna()
        x, y, z = known.to_numpy(float).T
        mixed = measure == C_W and LEAVES in measures
        note = f"{measures[LEAVES].notna().sum()} without sub-regions; C_w of the others is of these" if mixed else None
        for (outcome, of), (variant, statistic, given) in itertools.product(
            (("effect", y), ("absolute_effect", np.abs(y))),
            (("spearman", correlation.spearman, []), ("partial_spearman", correlation.partial_spearman, [z])),
        ):
            row = {"variant": f"{variant}_{outcome}", "group": measure, "n": len(known), "note": note}
            random = _of_countries_drawn(seed, task)
            rows.append(row | correlation.correlated(statistic, [x, of, *given], bootstrap, random, "countries"))
    rows.append(_of_distances(vectors.dropna(), effect, bootstrap, seed, task))
    table = pd.DataFrame(rows)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    table["group"] = f"{task}/" + table["group"]
    return tidy(table.assign(model=model, metric=METRIC, definition="paper", unit="country"))


def _of_countries_drawn(seed: int, task: str) -> np.random.Generator:
    """What draws countries: not of the model, so that models are paired."""
    return stream(seed, "bootstrap", METRIC, task)


def _of_distances(vectors: pd.Series, effect: pd.Series, bootstrap: dict, seed: int, task: str) -> dict:
    """The row of `mantel`. vectors: those that there are."""
    of_effect = effect.reindex(vectors.index).dropna()
    n = len(of_effect)
    row = {"variant": "mantel", "group": "v", "n": n, "p_value": np.nan}
    if n < correlation.FEWEST:
        return row | {"note": f"fewer than {correlation.FEWEST} countries"}
    pairs = scipy.spatial.distance.pdist(np.stack(vectors[of_effect.index]))
    distances = scipy.spatial.distance.squareform(pairs)
    values = of_effect.to_numpy(float)
    differences = np.abs(values[:, None] - values)
    r = float(correlation.mantel(distances, differences, np.ones((1, n)))[0])
    if math.isnan(r):
        return row | {"note": "no correlation: one side is constant"}
    places = correlation.draws(n, bootstrap["replicates"], _of_countries_drawn(seed, task))
    counts = np.array([np.bincount(drawn, minlength=n) for drawn in places]).reshape(-1, n)
    random = stream(seed, "permutation", METRIC, task)
    p = correlation.mantel_p_value(distances, differences, correlation.PERMUTATIONS, random)
    drawn = correlation.mantel(distances, differences, counts)
    return row | {"estimate": r, "p_value": p} | correlation.interval(drawn, bootstrap["level"])


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


def scores(numbers: pd.DataFrame, root: str, leading: Mapping[str, str]) -> pd.DataFrame:
    """Intrinsic scores by model: columns `score`, `model`, `estimate`. C_w, C_w_size_free and C_z of HERB's root; and
    cb/{language}, Categorical Bias of the language's leading list.

    numbers: tidy rows of all models. root: its region identifier. leading: language -> list.
    """
    paper = numbers[numbers["definition"] == "paper"]
    of_herb = paper[(paper["metric"] == "herb") & (paper["group"] == root) & paper["variant"].isin(_ROOT_SCORES)]
    languages = {f"{language}/{name}": f"cb/{language}" for language, name in leading.items()}
    of_cb = paper[(paper["metric"] == "categorical_bias") & (paper["variant"] == "cb") & (paper["unit"] == "list")]
    of_cb = of_cb[of_cb["group"].isin(languages)]
    parts = [of_herb.assign(score=of_herb["variant"]), of_cb.assign(score=of_cb["group"].map(languages))]
    return pd.concat(parts, ignore_index=True)[["score", "model", "estimate"]].dropna(subset="estimate")


def of_models(task: str, scores: pd.DataFrame, numbers: pd.DataFrame, method: str, seed: int) -> pd.DataFrame:
    """Tidy rows of one task over models (`model` is "all models"): variants spearman_{...} of `OUTCOMES`.

    scores: of `scores`. numbers: tidy rows of metric "downstream" of all models. method: of `inference.adjust`, over
    all p-values here, which are of permutations; the note says how small they can be at all.
    """
    downstream = numbers[(numbers["metric"] == "downstream") & (numbers["unit"] == "all")]
    downstream = downstream[downstream["group"] == f"{task}/country"]
    outcomes = downstream.pivot(index="model", columns="variant", values="estimate").reindex(columns=list(OUTCOMES))
    rows = []
    for (score, of_score), outcome in itertools.product(scores.groupby("score", sort=False), OUTCOMES):
        pairs = of_score.set_index("model")[["estimate"]].join(outcomes[outcome], how="inner").dropna()
        row = {"variant": f"spearman_{outcome}", "group": f"{task}/{score}", "n": len(pairs), "p_value": np.nan}
        x, y = pairs.to_numpy(float).T
        if len(pairs) < correlation.FEWEST:
            row["note"] = f"no correlation: {len(pairs)} models"
        elif math.isnan(r := float(correlation.spearman(x, y))):
            row["note"] = "no correlation: one side is constant"
        else:
            random = stream(seed, "permutation", METRIC, task, score, outcome)
            p, least = correlation.permutation_p_value(x, y, random)
            few = correlation.tries_all(len(pairs))
            note = f"{len(pairs)} models: the least possible p is {least:.2g}"
            row |= {"estimate": r, "p_value": p, "note": f"{note}; a ranking of so few proves little" if few else note}
        rows.append(row)
    table = pd.DataFrame(rows, columns=["variant", "group", "n", "estimate", "p_value", "note"])
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    return tidy(table.assign(model=ALL_MODELS, metric=METRIC, definition="paper", unit="model"))
