"""Toys of the figures: two sets of stimuli, of three models."""

import numpy as np
import pandas as pd
from tests.drawing.marks import BOUNDS

from herbarium.metrics.mixed_effects.bins import BINS
from herbarium.metrics.mixed_effects.figures import bins as of_bins
from herbarium.metrics.mixed_effects.figures import effect_sizes as of_effect_sizes
from herbarium.metrics.mixed_effects.figures import levels as of_levels
from herbarium.metrics.mixed_effects.figures import scores as of_scores
from herbarium.statistics.fits import LEVELS
from herbarium.statistics.fits_overview import ADJUSTED

MODELS = [{"name": "strong", "planted": 2.0}, {"name": "real", "planted": None}, {"name": "none", "planted": 0.0}]
STIMULI = ["traits", "nouns"]
CONTRASTS = ["male-female", "male-neo", "female-neo"]
# Set of stimuli -> its models, dimensions and contrasts.
DATA = {
    "traits": (["strong", "none"], ["order", "empathy"], CONTRASTS),
    "nouns": (["real"], ["all"], CONTRASTS[:1]),
}
SCORES = {"strong": 0.8, "none": 0.02, "real": -0.4}
R2 = {"strong": 0.7, "none": 0.001, "real": 0.02}


def fit(model, data, dimension, contrast, structure="intercepts", **more):
    """A fit whose score, error and R² are its model's; of empathy one is twice as large, the error over crossed words
    9 times.
    """
    estimate = SCORES[model] * (2 if dimension == "empathy" else 1)
    half = 0.1 * (9 if structure == "crossed" else 1)
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": structure}
    row |= {"dimension": dimension, "contrast": contrast, "estimate": estimate, "std_error": half / 2, "df": 60.0}
    row |= {"ci_low": estimate - half, "ci_high": estimate + half, "p_value": 0.01 if abs(estimate) > half else 0.5}
    row |= {"p_equivalence": 0.5, "n": 100 + len(dimension), "n_refused": 0, "converged": True, "singular": False}
    if structure == "intercepts":
        r2 = R2[model]
        row |= {"r2": r2, "r2_low": 0.5 * r2, "r2_high": 1.2 * r2, "r2_raw": r2, "r2_raw_low": r2, "r2_raw_high": r2}
    return row | {"p_adjusted": 2 * row["p_value"]} | more


def fits(*more):
    """Of other definitions, subsets, structures and data only rows far off."""
    rows = []
    for data, (models, dimensions, contrasts) in DATA.items():
        for model in models:
            for dimension in dimensions:
                for structure in ("crossed", "intercepts"):
                    rows += [fit(model, data, dimension, contrast, structure) for contrast in contrasts]
                main = (model, data, dimension, contrasts[0])
                far = {"estimate": 99.0, "r2": 0.99}
                rows.append(fit(*main, "pairs", **far))
                rows += [fit(*main, **far, **other) for other in ({"subset": "shared"}, {"definition": "released"})]
    rows.append(fit("strong", "herb", "all", "Africa-others", estimate=99.0))
    return pd.DataFrame([*rows, *more]).reindex(columns=ADJUSTED.fields.names)


def levels(flat=False):
    rows = []
    for data, (models, dimensions, contrasts) in DATA.items():
        for model in models:
            for dimension in dimensions:
                for contrast in contrasts:
                    key = {"model": model, "data": data, "definition": "paper", "subset": "all"}
                    key |= {"structure": "intercepts", "dimension": dimension, "contrast": contrast, "std_error": 0.05}
                    for group, names in (("target", ["kind", "warm", "null"]), ("template", ["t1", "t2"])):
                        for place, name in enumerate(names):
                            value = 0.0 if flat else (0.3, -0.2, 0.01)[place] * (9 if contrast != "male-female" else 1)
                            rows.append(key | {"group": group, "level": name, "estimate": value})
    return pd.DataFrame(rows).reindex(columns=LEVELS.fields.names)


def bins(n_dimensions=None):
    """Three bins of 5; the third has no sentence. Cumulative scores are the model's, those of single bins half."""
    rows = []
    for data, (models, dimensions, _) in DATA.items():
        names = dimensions if n_dimensions is None else [f"d{i}" for i in range(n_dimensions)]
        for model in models:
            for dimension in names:
                key = {"model": model, "data": data, "dimension": dimension, "std_error": 0.05, "r2": R2[model]}
                for definition in ("paper", "released"):
                    key["definition"] = definition
                    for i, high in enumerate([5.0, 10.0, 15.0, np.inf]):
                        cumulative = key | {"cumulative": True, "low": 0.0, "high": high, "share": (0.75, 1, 1, 1)[i]}
                        rows.append(cumulative | {"n": 100, "estimate": SCORES[model], "p_value": 0.01})
                    for i, share in enumerate([0.75, 0.25, 0.0]):
                        single = key | {"cumulative": False, "low": 5.0 * i, "high": 5.0 * i + 5, "share": share}
                        known = {"estimate": SCORES[model] / 2, "p_value": (0.01, 0.2)[i]} if share else {"r2": None}
                        rows.append(single | {"n": int(100 * share)} | known)
    return pd.DataFrame(rows).reindex(columns=BINS.fields.names)


def scores(table=None):
    return of_scores.table(fits() if table is None else table, STIMULI, MODELS, 0.95, 1.25)


def effect_sizes(table=None):
    return of_effect_sizes.table(fits() if table is None else table, STIMULI, MODELS, 0.95)


TABLES = {
    "bins": lambda: of_bins.table(bins(), STIMULI, MODELS),
    "effect_sizes": effect_sizes,
    "levels": lambda: of_levels.table(levels(), STIMULI, MODELS),
    "scores": scores,
}


def small(table):
    """One model of each set of stimuli, in one dimension and contrast."""
    of_main = table["contrast"] == CONTRASTS[0] if "contrast" in table else True
    return table[of_main & (table["model"] != "none") & (table["dimension"] != "empathy")]


TOYS = {name: lambda make=make: (small(make()),) for name, make in TABLES.items()}
MARKS = {"scores": ("estimate", "x", BOUNDS), "effect_sizes": ("r2", "x")}
