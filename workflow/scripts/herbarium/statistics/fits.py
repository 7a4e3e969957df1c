"""One mixed model for the data of one question, as numbers (Shrestha et al. 2025, Sections 2.2 and 2.3).

It works for the data of any metric. A row is a sentence: `association`, `weight`, `group`, and the `GROUPS` of random
effects. `group` is 1 for the first group of a contrast and 0 for the second. lme4 fits every model here except CROSSED,
which needs no fit (`crossed`). The interval of R² comes from our own engine, whose fit must first agree with lme4's
(`mixed_model.agree`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.statistics import crossed, effect_sizes, inference, mixed_model
from herbarium.statistics.lme4 import Fit, RefusedError

# The key of a row: a subset of the data of a name (a set of stimuli, a metric, a task), its random effects, a dimension
# of its targets, and two groups, "first-second".
KEYS = ("model", "data", "definition", "subset", "structure", "dimension", "contrast")
_TEXTS = tuple((name, pa.string()) for name in KEYS)
# Possible groups of random effects.
GROUPS = ("template", "target", "pair", "word")
# Standard deviations, intra-class correlations and `r2` use weights whose mean is 1; `r2_raw` uses the weights as they
# are. EQUIVALENCE is the result of `inference.equivalence`, `mde` the minimum detectable effect.
EQUIVALENCE = ("p_equivalence", "equivalence_low", "equivalence_high", "equivalence_bound")
_NUMBERS = (
    *("estimate", "std_error", "df", "t", "p_value", "ci_low", "ci_high", *EQUIVALENCE, "mde"),
    *(f"{spread}_{group}" for spread in ("sd", "icc") for group in GROUPS),
    "sd_residual",
    *("r2", "r2_low", "r2_high", "r2_raw", "r2_raw_low", "r2_raw_high"),
)
FITS = schema(
    "fits",
    *_TEXTS,
    *((name, pa.float64()) for name in _NUMBERS),
    ("n", pa.int64()),
    ("n_refused", pa.int64()),
    ("converged", pa.bool_()),
    ("singular", pa.bool_()),
    ("note", pa.string()),
    nullable=(*_NUMBERS, "note"),
)
# The prediction for each level of a random intercept; `std_error` is conditional on the variances.
LEVELS = schema(
    "fit_levels",
    *_TEXTS,
    ("group", pa.string()),
    ("level", pa.string()),
    ("estimate", pa.float64()),
    ("std_error", pa.float64()),
)
CROSSED, INTERCEPTS, PAIRS, WORDS, SLOPES = "crossed", "intercepts", "pairs", "words", "slopes"
FORMULAS = {
    INTERCEPTS: "association ~ group + (1 | template) + (1 | target)",
    PAIRS: "association ~ group + (1 | template) + (1 | target) + (1 | pair)",
    WORDS: "association ~ group + (1 | template) + (1 | target) + (1 | word)",
    SLOPES: "association ~ group + (1 + group | template) + (1 + group | target) + (1 | pair) + (1 | word)",
}
_INTERCEPT = "(Intercept)"
# If the groups explain the scores fully, rounding leaves at most this share of their squares.
_ROUNDING = 1e-20
_FEW = "two groups, and two templates or targets, take more sentences"
_NO_LEVELS = pd.DataFrame(columns=LEVELS.fields.names)
Fitter = Callable[[pd.DataFrame, str, str], Fit]


@dataclass(frozen=True)
class Settings:
    """A study's choices; the configuration explains each."""

    level: float
    replicates: int
    weighted: bool
    alpha: float
    power: float
    equivalence_bound: float
    seed: int


def settings(section: dict, seed: int) -> Settings:
    """section: `MixedModels.fitting` of the configuration."""
    bootstrap, tests = section["bootstrap"], section["tests"]
    return Settings(
        **{key: bootstrap[key] for key in ("level", "replicates", "weighted")},
        **{key: tests[key] for key in ("alpha", "power")},
        equivalence_bound=float(np.log(tests["equivalence_ratio"])),
        seed=seed,
    )


def scored(data: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The data of a question without its refused sentences, whose association is null, and the number of these."""
    refused = data["association"].isna()
    return data[~refused].reset_index(drop=True), int(refused.sum())


def answer(
    keys: dict[str, str], data: pd.DataFrame, n_refused: int, fit: Fitter, chosen: Settings
) -> tuple[dict, pd.DataFrame]:
    """A row of the schema "fits", and rows of "fit_levels".

    keys: a value for each of `KEYS`, which in the order given name the bootstrap's random stream; `structure` names the
    formula. fit: `lme4.fit`. A random effect of a group with one level, or with one level per sentence, is left out,
    and the row says so. A question without enough data, without variation of scores within groups, or whose model lme4
    refuses has a row without numbers that says why. R² is only computed for models with random intercepts of templates
    and targets only; these have no equivalence and no minimum detectable effect, as their errors are too small.

    Raises HerbariumError when lme4 and our engine do not agree.
    """
    row = {**keys, "n": len(data), "n_refused": n_refused, "converged": False, "singular": False}
    if keys["structure"] == CROSSED:
        return row | _without_fit(data, n_refused, chosen), _NO_LEVELS
    formula, notes = _possible(FORMULAS[keys["structure"]], data)
    if (why := _fault(data, formula, n_refused)) is not None:
        return row | {"note": f"not fitted: {why}"}, _NO_LEVELS
    scaled = data.assign(weight=data["weight"] / data["weight"].mean())
    try:
        fitted = fit(scaled, formula, "weight")
    except RefusedError as refused:
        return row | {"note": f"not fitted: {refused}"}, _NO_LEVELS
    row |= {"converged": fitted.converged, "singular": fitted.singular}
    row |= _spread(fitted, keys["structure"])
    of_group = fitted.fixed.set_index("term").loc["group"]
    estimate, std_error, df = (float(of_group[name]) for name in ("estimate", "std_error", "df"))
    row |= _tested(inference.Mean(estimate, std_error**2, df), chosen)
    if keys["structure"] == INTERCEPTS:  # whose error is too small for a bound
        row |= dict.fromkeys((*EQUIVALENCE, "mde"), np.nan)
        row |= explained(data, fitted, chosen, tuple(keys.values()))
    row["note"] = "; ".join([*notes, *fitted.notes]) or None
    levels = fitted.random_effects[fitted.random_effects["term"] == _INTERCEPT]
    return row, levels.assign(**keys)[LEVELS.fields.names]


def _without_fit(data: pd.DataFrame, n_refused: int, chosen: Settings) -> dict:
    """The result of `crossed` for a question; only the estimate if a sample is too small."""
    if (why := _too_few(data, n_refused)) is not None:
        return {"note": f"not measured: {why}"}
    sample = crossed.words(data)
    if not 0 < sample.is_first.sum() < len(sample.is_first):
        return {"note": "not measured: no word of a group has a score in each template with each target"}
    difference = crossed.difference(sample)
    left_out = data["word"].nunique() - len(sample.scores)
    notes = [f"{left_out} {'word' if left_out == 1 else 'words'} left out: a sentence has no score"] if left_out else []
    row = {"n": sample.scores.size, "converged": True, "estimate": difference.estimate}
    if few := crossed.too_few(sample):
        notes.append(f"no error and no test: {few}")
    elif not difference.std_error > 0:
        notes.append("no error and no test: all words of a group have the same score")
    else:
        row |= _tested(difference, chosen)
    return row | {"note": "; ".join(notes) or None}


def _possible(formula: str, data: pd.DataFrame) -> tuple[str, list[str]]:
    """The formula without random effects of groups with one level, or one level per sentence, and the note about it."""
    notes = []
    for group in GROUPS:
        n = data[group].nunique()
        if f"| {group})" in formula and not 2 <= n < len(data):
            formula = re.sub(rf" \+ \([^|]+\| {group}\)", "", formula)
            reason = f"one {group} only" if n < 2 else f"each sentence has its own {group}"
            notes.append(f"{reason}: no random effect for it")
    return formula, notes


def _fault(data: pd.DataFrame, formula: str, n_refused: int) -> str | None:
    """Why the formula cannot be fitted; None if it can."""
    if (why := _too_few(data, n_refused)) is not None:
        return why
    if "|" not in formula:
        return _FEW
    of_group = data.groupby("group")["association"]
    if ((data["association"] - of_group.transform("mean")) ** 2).sum() <= _ROUNDING * (data["association"] ** 2).sum():
        return "all sentences of a group have the same score"
    return None


def _too_few(data: pd.DataFrame, n_refused: int) -> str | None:
    if data.empty and n_refused:
        return f"all {n_refused} sentences were refused"
    return _FEW if data["group"].nunique() < 2 else None


def _tested(mean: inference.Mean, chosen: Settings) -> dict[str, float]:
    """The t tests of an estimate."""
    low, high = inference.t_interval(mean, chosen.level)
    equivalence = inference.equivalence(mean, chosen.equivalence_bound, chosen.alpha)
    return {
        **{"estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "t": mean.estimate / mean.std_error},
        **{"p_value": inference.t_p_value(mean), "ci_low": low, "ci_high": high},
        **dict(zip(EQUIVALENCE, equivalence, strict=True)),
        "mde": effect_sizes.minimum_detectable_effect(mean.std_error, mean.df, chosen.alpha, chosen.power),
    }


def _spread(fitted: Fit, structure: str) -> dict[str, float]:
    """Standard deviations, and intra-class correlations if only intercepts are random."""
    intercepts = fitted.variances[fitted.variances["term"] == _INTERCEPT]
    sd = dict(zip(intercepts["group"], intercepts["sd"].astype(float), strict=True))
    spreads = {f"sd_{group}": value for group, value in sd.items()} | {"sd_residual": fitted.sigma}
    if structure != SLOPES:
        shares = effect_sizes.intra_class_correlations({g: value**2 for g, value in sd.items()}, fitted.sigma**2)
        spreads |= {f"icc_{group}": share for group, share in shares.items()}
    return spreads


def explained(data: pd.DataFrame, fitted: Fit, chosen: Settings, name: Sequence[str]) -> dict[str, float]:
    """R² with its parametric bootstrap interval, for weights whose mean is 1 and for the weights as they are.

    fitted: lme4's fit with the former. R² depends on the scale of the weights, as the variance of a residual of weight
    1 changes with it while all else stays. If the simulation respects the weights, both have the same replicates; if it
    ignores them (the released way), the simulation differs on each scale.
    """
    group, raw, y = (data[column].to_numpy(float) for column in ("group", "weight", "association"))
    x = np.column_stack([np.ones(len(group)), group])
    groups = list(fitted.theta)
    codes = [pd.factorize(data[group])[0] for group in groups]
    random = stream(chosen.seed, "mixed effects", *name)
    explained_by = {}
    for column, weights in (("r2", raw / raw.mean()), ("r2_raw", raw)):
        if not explained_by or not chosen.weighted:
            design = mixed_model.design(x, codes, weights)
            point = mixed_model.fit(design, y)
            if chosen.replicates:
                replicates = mixed_model.bootstrap(design, point, chosen.replicates, random, chosen.weighted)
        if not explained_by:
            beta = dict(zip(fitted.fixed["term"], fitted.fixed["estimate"], strict=True))
            mixed_model.agree(design, point, beta, fitted.theta, fitted.sigma, fitted.reml)
        at_weight = design.weights.mean() / weights.mean()
        explained_by[column] = float(mixed_model.r2_marginal(design, point, at_weight))
        if chosen.replicates:
            bounds = inference.percentile_interval(mixed_model.r2_marginal(design, replicates, at_weight), chosen.level)
            explained_by[f"{column}_low"], explained_by[f"{column}_high"] = map(float, bounds)
    return explained_by


def answers(
    model: str, data: str, asked: Iterable[tuple[dict[str, str], pd.DataFrame, int]], fit: Fitter, chosen: Settings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of the schemas "fits" and "fit_levels" for all questions about the data of a name.

    asked: keys, without model and data, the rows of the question, and how many of their sentences were refused.
    """
    fits, levels = [], []
    for keys, rows, n_refused in asked:
        row, of_levels = answer({"model": model, "data": data, **keys}, rows, n_refused, fit, chosen)
        fits.append(row)
        levels.append(of_levels)
    table = pd.DataFrame(fits).reindex(columns=FITS.fields.names)
    return table, pd.concat([_NO_LEVELS, *(of_levels for of_levels in levels if len(of_levels))])
