"""Does what a model holds of regions predict what its classifiers do with them? Intrinsic against extrinsic measures.

Li et al. (2022), Section 4.5, hold that fine-tuned models rank as their HERB scores do. Here this is asked twice: over
the countries of one model and task, and over models. Correlations are of ranks (Spearman 1904). Both sides are
estimates, whose errors bring every correlation nearer to 0.

Rows of metric "propagation" have the group {task}/{intrinsic measure}; the unit is what is correlated, "country" or
"model", of which `n` says how many. Intrinsic measures of a country are its own C_w (`LEAVES`: of the countries without
sub-regions alone, as C_w of the others is of these) and, of each topic, f/{topic}: how much more likely its
descriptions are for this country than all descriptions are on average, in natural-log means.
"""

import itertools
import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # whose parts are imported when they are first used

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.herb import score as herb
from herbarium.statistics.inference import adjust, percentile_interval
from herbarium.statistics.tidy import tidy

METRIC = "propagation"
# One row a measure and country: what a figure of intrinsic against extrinsic draws. `continent` is a region identifier,
# `effect` a change of probability.
COUNTRIES = schema(
    "propagation_countries",
    *((name, pa.string()) for name in ("model", "task", "measure", "region", "name", "continent")),
    *((name, pa.float64()) for name in ("intrinsic", "effect", "effect_low", "effect_high")),
    nullable=("continent", "effect_low", "effect_high"),
)
ALL_MODELS = "all models"
LEAVES = "C_w_leaves"
# Scores of a whole model by HERB.
_ROOT_SCORES = ("C_w", "C_w_size_free", "C_z")
# What they may predict: the mean size of the countries' effects, and how often a country's name changes a label.
OUTCOMES = ("absolute_effect", "label_change")
PERMUTATIONS = 9_999
_ALL_ORDERS = 5_040  # of seven models
_TIE = 1e-12  # correlations that differ by less are equal: sums in another order
DECIMALS = 12  # effects that differ by less are equal, and of one rank: probabilities are rounded at 1e-16
FEWEST = 3

Statistic = Callable[..., np.ndarray]


# --- correlations ---


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(...,) Spearman's rank correlation along the last axis, ties at their mean rank; nan where one side is constant.

    x, y: (..., n), or one of them (n,).
    """
    return _pearson(_ranks(x), _ranks(y))


def partial_spearman(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(...,) rank correlation of x and y given z: of the residuals of both ranks on the ranks of z by least squares.

    That is the first-order partial correlation (r_xy - r_xz r_yz) / sqrt((1 - r_xz²)(1 - r_yz²)), of Spearman's r. nan
    where one of the three is constant, or x or y has the order of z. Arguments as for `spearman`.
    """
    x, y, z = _ranks(x), _ranks(y), _ranks(z)
    r_xy, r_xz, r_yz = _pearson(x, y), _pearson(x, z), _pearson(y, z)
    left = (1 - r_xz**2) * (1 - r_yz**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > _TIE, (r_xy - r_xz * r_yz) / np.sqrt(left), np.nan)


def _ranks(x: np.ndarray) -> np.ndarray:
    return scipy.stats.rankdata(x, axis=-1)


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))


def p_value(r: float, n: int, given: int = 0) -> float:
    """Two-sided p-value of a rank correlation of n pairs by Student's t of n - 2 - given degrees of freedom.

    given: how many variables were held fixed. nan without a degree of freedom. Rough where n is below ten or so.
    """
    df = n - 2 - given
    if df < 1 or math.isnan(r):
        return math.nan
    if abs(r) >= 1:
        return 0.0
    return float(2 * scipy.stats.t.sf(abs(r) * math.sqrt(df / (1 - r**2)), df))


def permutation_p_value(x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    """Two-sided p-value of Spearman's correlation by permutation, and the least one that these values could have.

    x, y: (n,), neither constant. All n! orders where these are 5,040 at most, the p-value then being exact; else 9,999
    random ones, with the order itself as one more.
    """
    if math.factorial(len(y)) <= _ALL_ORDERS:
        permuted = np.array(list(itertools.permutations(y)))
    else:
        permuted = random.permuted(np.broadcast_to(y, (PERMUTATIONS, len(y))), axis=1)
        permuted = np.concatenate([[y], permuted])
    r = np.abs(spearman(x, permuted))
    least = (r >= r.max() - _TIE).mean() if len(permuted) <= _ALL_ORDERS else 1 / len(permuted)
    return float((r >= abs(spearman(x, y)) - _TIE).mean()), float(least)


def mantel(one: np.ndarray, other: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n_replicates,) Pearson's correlation of two tables of distances over all pairs of countries (Mantel 1967).

    one, other: (n, n) distances. counts: (n_replicates, n) how often each country is drawn: a pair counts as often as
    both together, and a country and its copy are no pair. nan where a table is constant.
    """

    def total(table: np.ndarray) -> np.ndarray:
        return ((counts @ table) * counts).sum(axis=1)

    counts = counts.astype(float)
    pairs = counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)
    # centred first: the correlation is the same, and what is subtracted below is small
    pair = ~np.eye(len(one), dtype=bool)
    one, other = (np.where(pair, table - table[pair].mean(), 0) for table in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [total(table) / pairs for table in (one, other)]
        variances = [total(table**2) / pairs - mean**2 for table, mean in zip((one, other), means, strict=True)]
        covariance = total(one * other) / pairs - means[0] * means[1]
        vary = np.minimum(*variances) > _TIE * max((one**2).max(), (other**2).max(), _TIE)
        return np.where(vary, covariance / np.sqrt(variances[0] * variances[1]), np.nan)


def mantel_p_value(one: np.ndarray, other: np.ndarray, permutations: int, random: np.random.Generator) -> float:
    """One-sided p-value that countries that are near in one table are near in the other: countries change places.

    one, other: (n, n) distances, neither constant. All that a permutation changes is the sum of products.
    """
    observed = (one * other).sum()
    drawn = np.empty(permutations)
    for i in range(permutations):
        order = random.permutation(len(other))
        drawn[i] = np.einsum("ij,ij->", one, other[order[:, None], order])
    tie = _TIE * observed
    return float((1 + (drawn >= observed - tie).sum()) / (1 + permutations))


# --- countries ---


def country_measures(numbers: pd.DataFrame, f: pd.DataFrame, countries: pd.Index) -> pd.DataFrame:
    """The intrinsic measures of countries by one model: a row a country, nan where it was not measured.

    numbers: tidy rows of metric "herb" of the model. f: f(S) by region and (topic, description), as
    `probes.likelihoods.frame` gives it; a description that was refused for all is left out, then a country that lacks
    one. countries: region identifiers.
    """
    rows = numbers[(numbers["metric"] == "herb") & (numbers["definition"] == "paper") & (numbers["variant"] == "C_w")]
    rows = rows.set_index("group").reindex(countries)
    measures = {"C_w": rows["estimate"].astype(float)}
    is_leaf = (rows["n"] == 0).to_numpy(bool, na_value=False)
    if not is_leaf[rows["estimate"].notna()].all():
        measures[LEAVES] = measures["C_w"].where(is_leaf)
    known = _complete(f, countries)
    relative = known.sub(known.mean(axis=1), axis=0)
    for topic in known.columns.unique("topic"):
        measures[f"f/{topic}"] = relative[topic].mean(axis=1).reindex(countries)
    return pd.DataFrame(measures)


def _complete(f: pd.DataFrame, countries: pd.Index) -> pd.DataFrame:
    """f(S) of the countries that have a value for every description that any has."""
    return f[f.index.isin(countries)].dropna(axis="columns", how="all").dropna()


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
    f: pd.DataFrame,
    effect: pd.Series,
    n_tokens: pd.Series,
    bootstrap: dict,
    method: str,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of one model and task over countries.

    measures: of `country_measures`. f: as there. effect: by region identifier, as of `country_effects`. n_tokens: the
    number of sub-tokens of each country's name, likewise. bootstrap: `replicates` over countries, whose draws are those
    of every model, and `level` of the percentile intervals. method: of `inference.adjust`, over all p-values here.

    Each measure is correlated with the effect, and with its size (`absolute_effect`): variants spearman_{...}, and
    partial_spearman_{...}, given the number of sub-tokens, as rare names are long and may do more for that alone.
    `mantel`, group {task}/v: distances of the descriptive vectors (Eq. 2 of HERB) against the differences of effects,
    with a one-sided permutation test. A country without one of the values is left out of that row.
    """
    effect = effect.round(DECIMALS)
    table = measures.assign(effect=effect.reindex(measures.index), n_tokens=n_tokens.reindex(measures.index))
    rows = []
    for measure in measures:
        known = table[[measure, "effect", "n_tokens"]].dropna()
        x, y, z = known.to_numpy(float).T
        mixed = measure == "C_w" and LEAVES in measures
        note = f"{measures[LEAVES].notna().sum()} without sub-regions; C_w of the others is of these" if mixed else None
        for (outcome, of), (variant, statistic, given) in itertools.product(
            (("effect", y), ("absolute_effect", np.abs(y))),
            (("spearman", spearman, []), ("partial_spearman", partial_spearman, [z])),
        ):
            row = {"variant": f"{variant}_{outcome}", "group": measure, "n": len(known), "note": note}
            rows.append(row | correlated(statistic, [x, of, *given], bootstrap, seed, task))
    rows.append(_of_distances(_complete(f, measures.index), effect, bootstrap, seed, task))
    table = pd.DataFrame(rows)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    table["group"] = f"{task}/" + table["group"]
    return tidy(table.assign(model=model, metric=METRIC, definition="paper", unit="country"))


def correlated(statistic: Statistic, values: list[np.ndarray], bootstrap: dict, seed: int, task: str) -> dict:
    """A correlation, its interval over countries and its p-value, by column of the tidy table. values: (n,) each."""
    n = len(values[0])
    if n < FEWEST:
        return {"p_value": np.nan, "note": f"fewer than {FEWEST} countries"}
    r = float(statistic(*values))
    if math.isnan(r):
        return {
            "p_value": np.nan,
            "note": "no correlation: one side is constant, or the one that is held fixed says all",
        }
    places = draws(n, bootstrap["replicates"], seed, task)
    drawn = statistic(*(of[places] for of in values))
    return {"estimate": r, "p_value": p_value(r, n, len(values) - 2)} | interval(drawn, bootstrap["level"])


def _of_distances(f: pd.DataFrame, effect: pd.Series, bootstrap: dict, seed: int, task: str) -> dict:
    """The row of `mantel`. f: without a value that is lacking."""
    of_effect = effect.reindex(f.index).dropna()
    n = len(of_effect)
    row = {"variant": "mantel", "group": "v", "n": n, "p_value": np.nan}
    if n < FEWEST:
        return row | {"note": f"fewer than {FEWEST} countries"}
    vectors = herb.descriptive_vectors(f.loc[of_effect.index].to_numpy(float))
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(vectors))
    values = of_effect.to_numpy(float)
    differences = np.abs(values[:, None] - values)
    r = float(mantel(distances, differences, np.ones((1, n)))[0])
    if math.isnan(r):
        return row | {"note": "no correlation: one side is constant"}
    places = draws(n, bootstrap["replicates"], seed, task)
    counts = np.array([np.bincount(drawn, minlength=n) for drawn in places]).reshape(-1, n)
    random = stream(seed, "permutation", METRIC, task)
    p = mantel_p_value(distances, differences, PERMUTATIONS, random)
    drawn = mantel(distances, differences, counts)
    return row | {"estimate": r, "p_value": p} | interval(drawn, bootstrap["level"])


def draws(n: int, replicates: int, seed: int, task: str) -> np.ndarray:
    """(replicates, n) places of the countries drawn; not of the model, so that models are paired."""
    return stream(seed, "bootstrap", METRIC, task).integers(n, size=(replicates, n))


def interval(drawn: np.ndarray, level: float) -> dict[str, float]:
    """By column of the tidy table; of none where a replicate has no correlation, or there are fewer than two."""
    if len(drawn) < 2 or np.isnan(drawn).any():
        return {}
    low, high = percentile_interval(drawn, level)
    return {"std_error": drawn.std(ddof=1), "ci_low": low, "ci_high": high}


def scatter(
    model: str, task: str, measures: pd.DataFrame, effects: pd.DataFrame, prefixes: pd.DataFrame
) -> pd.DataFrame:
    """Table "propagation_countries": the countries that have both measure and effect.

    measures: of `country_measures`. effects: of `country_effects`. prefixes: rows of "task_prefixes" of the task.
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
        if len(pairs) < FEWEST:
            row["note"] = f"no correlation: {len(pairs)} models"
        elif math.isnan(r := float(spearman(x, y))):
            row["note"] = "no correlation: one side is constant"
        else:
            p, least = permutation_p_value(x, y, stream(seed, "permutation", METRIC, task, score, outcome))
            few = math.factorial(len(pairs)) <= _ALL_ORDERS
            note = f"{len(pairs)} models: the least possible p is {least:.2g}"
            row |= {"estimate": r, "p_value": p, "note": f"{note}; a ranking of so few proves little" if few else note}
        rows.append(row)
    table = pd.DataFrame(rows, columns=["variant", "group", "n", "estimate", "p_value", "note"])
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    return tidy(table.assign(model=ALL_MODELS, metric=METRIC, definition="paper", unit="model"))
