"""A toy of the figure; and what the figure is made of, of any study of tasks."""

import numpy as np
import pandas as pd
from tests.metrics.downstream import figure_toys
from tests.metrics.downstream.toy import (
    BOOTSTRAP,
    COUNTRIES,
    MEASURED,
    MODELS,
    PREFIXES,
    REGIONS,
    N,
)

from herbarium.metrics.propagation import score
from herbarium.metrics.propagation.figures import scatter


def herb_rows(model, leaves=None):
    """HERB's tidy rows; some countries have sub-regions where `leaves` are fewer."""
    random = np.random.default_rng(list(MODELS).index(model))
    rows = pd.DataFrame(
        {"group": COUNTRIES["region"], "unit": "country", "estimate": random.uniform(0, 0.3, N), "n": 0}
    )
    rows.loc[rows.index[leaves:] if leaves else [], "n"] = 2
    root = pd.DataFrame({"group": ["earth"], "unit": "earth", "estimate": random.uniform(0, 0.1), "n": 5})
    return pd.concat([rows, root]).assign(model=model, metric="herb", definition="paper", variant="C_w")


def measures_of(herb, leaves=None):
    """Table "country_measures": C_w, and one of a topic."""
    rows = herb[herb["unit"] == "country"].rename(columns={"group": "region", "estimate": "value"})[["region", "value"]]
    parts = [rows.assign(measure="C_w")]
    if leaves:
        parts.append(rows.assign(measure="C_w_leaves", value=rows["value"].where(np.arange(N) < leaves)))
    parts.append(rows.assign(measure="f/mind", value=np.random.default_rng(0).normal(size=N)))
    return pd.concat(parts, ignore_index=True)


def propagated(numbers, measured=MEASURED, leaves=None, prefixes=PREFIXES):
    """What the figure is made of: countries, correlations, numbers."""
    herb = {model: herb_rows(model, leaves) for _, model in measured}
    region = pd.Index(COUNTRIES["region"])
    vectors = pd.Series(list(np.random.default_rng(0).normal(size=(N, 4))), region)
    random = np.random.default_rng(1)
    given = {"n_letters": random.integers(4, 20, N), "n_tokens": np.arange(N) % 3 + 1, "norm": random.uniform(9, 12, N)}
    described = pd.DataFrame({"vector": vectors, **given}, region)
    countries, correlations = [], []
    for task, model in measured:
        measures = score.by_country(measures_of(herb[model], leaves))
        effects = score.country_effects(numbers, model, task)
        countries.append(score.scatter(model, task, measures, effects, prefixes[task]))
        continent = prefixes[task].set_index("group")["continent"]
        in_sets = pd.concat([effects["estimate"]] * 2, axis=1)
        inputs = measures, described.assign(continent=continent), effects["estimate"], {}, in_sets
        correlations.append(score.of_countries(model, task, *inputs, BOOTSTRAP, "fdr_bh", 1))
    everything = pd.concat([numbers, *herb.values()], ignore_index=True)
    scores = score.scores(everything, "earth")
    correlations += [score.of_models(task, scores, numbers, "fdr_bh", 1) for task in PREFIXES]
    return pd.concat(countries, ignore_index=True), pd.concat(correlations, ignore_index=True), everything


def of_two_models():
    """One task, and four countries, of which too few share a continent for a correlation."""
    where, numbers = figure_toys.OF[1], figure_toys.numbers()
    countries, correlations, everything = propagated(numbers, figure_toys.MEASURED, prefixes=figure_toys.OF[0])
    return scatter.table(countries, everything, REGIONS, where), correlations


TOYS = {"scatter": of_two_models}
