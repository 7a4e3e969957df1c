"""Toys of the figures: two languages, one of which two models speak."""

import numpy as np
import pandas as pd

from herbarium.metrics.categorical_bias.figures import distributions as categorical_bias_distributions
from herbarium.metrics.categorical_bias.figures import heatmap as categorical_bias_heatmap
from herbarium.metrics.categorical_bias.figures import lengths as categorical_bias_lengths
from herbarium.metrics.categorical_bias.figures import scores as categorical_bias_scores
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.stimuli import ASSOCIATIONS, Lists
from herbarium.statistics.tidy import TIDY

MODELS = [{"name": "both", "planted": None}, {"name": "strong", "planted": 2.0}]
LANGUAGES = {
    "english": {"lists": {"ours": "resources/e", "other": "resources/o"}, "models": ["strong", "both"]},
    "greek": {"lists": {"ours": "resources/g"}, "models": ["both"]},
}
TEMPLATES, ATTRIBUTES, TARGETS = ["is", "are"], ["enemy", "pirate", "vet"], ["Cuba", "Iraq", "Peru", "Spain"]
LISTS = Lists(
    templates=pd.DataFrame({"key": TEMPLATES, "text": ["[target] [singular]", "[target] [plural]"]}),
    targets=pd.DataFrame({"key": [*TARGETS, "Mali"], "set": ["base"] * 4 + ["additional"]}),
    attributes=pd.DataFrame({"key": [*ATTRIBUTES, "spy"], "set": ["base"] * 3 + ["additional"]}),
)


def rows(model, language, log_p):
    """The table "associations" of log P' (templates, attributes, targets); another list and definition lie far off."""
    words = pd.MultiIndex.from_product([TEMPLATES, ATTRIBUTES, TARGETS], names=["template", "attribute", "target"])
    values = pd.DataFrame(
        {"log_p": np.ravel(log_p), "log_prior": -5.0, "n_tokens": 1, "beside": 0}, words
    ).reset_index()
    parts = [values.assign(list="ours", definition="paper")]
    parts += [
        values.assign(list=name, definition=definition, log_p=values["log_p"] * 9)
        for name, definition in (("ours", "released"), ("other", "paper"))
    ]
    table = pd.concat(parts, ignore_index=True).assign(model=model, language=language, note=None)
    return table[ASSOCIATIONS.fields.names]


PLACES = [("strong", "english"), ("both", "english"), ("both", "greek")]
LOG_P = {place: np.random.default_rng(i).normal(size=(2, 3, 4)) for i, place in enumerate(PLACES)}


def associations(log_p=LOG_P):
    tables = pd.concat([rows(*place, values) for place, values in log_p.items()], ignore_index=True)
    return shared.by_place(tables, dict.fromkeys(LANGUAGES, LISTS), LANGUAGES)


def number(model, group, variant, unit, definition, estimate):
    """A row of the tidy table; only lengths have no interval."""
    row = {"model": model, "metric": "categorical_bias", "definition": definition, "variant": variant, "unit": unit}
    bounds = {} if variant == "n_tokens" else {"ci_low": 0.5 * estimate, "ci_high": 2 * estimate}
    return {**row, "group": group, "estimate": estimate, **bounds, "n": 4}


def tidy():
    """CB is 1, 2, 3 in the PLACES, and a hundred times as much as released; the n-th attribute has n times as much."""
    values = []
    for i, (model, language) in enumerate(PLACES):
        group = f"{language}/ours"
        for definition, cb in (("paper", 1.0 + i), ("released", 100.0 * (1 + i))):
            for variant, estimate in (
                ("cross_form", 0.5 * cb),
                ("cb", cb),
                ("cb_equal_length", 0.7 * cb),
                ("length_share", 0.3),
            ):
                values.append(number(model, group, variant, "list", definition, estimate))
            values.append(number(model, f"{language}/other", "cb", "list", definition, -1.0))
            for j, key in enumerate(ATTRIBUTES, 1):
                values.append(number(model, f"{group}/{key}", "cb", "attribute", definition, cb * j))
            for j, key in enumerate(TARGETS, 1):
                values.append(number(model, f"{group}/{key}", "cb_contribution", "target", definition, 0.1 * cb * j))
                values.append(number(model, f"{group}/{key}", "n_tokens", "target", definition, j))
    return pd.DataFrame(values).reindex(columns=TIDY.fields.names)


def distributions(log_p=LOG_P, shown=("enemy", "pirate"), compared=()):
    return categorical_bias_distributions.table(associations(log_p), tidy(), LANGUAGES, MODELS, list(shown), compared)


def heatmap(log_p=LOG_P):
    return categorical_bias_heatmap.table(associations(log_p), LANGUAGES, MODELS)


def scores():
    return categorical_bias_scores.table(tidy(), LANGUAGES, MODELS)


def lengths():
    return categorical_bias_lengths.table(tidy(), LANGUAGES, MODELS)


def refused(target=None, attribute=None):
    """LOG_P with sentences of one word refused in English, by its own model."""
    values = LOG_P["strong", "english"].copy()
    if target:
        values[:, :, TARGETS.index(target)] = np.nan
    if attribute:
        values[:, ATTRIBUTES.index(attribute)] = np.nan
    return LOG_P | {("strong", "english"): values}


def scores_with_zero():
    table = scores()
    zero = (table["language"] == "greek") & (table["definition"] == "paper") & (table["variant"] == "cb")
    table.loc[zero, ["estimate", "ci_low"]] = 0.0
    return table


def lengths_with_zero():
    table = lengths()
    table.loc[(table["language"] == "greek") & (table["target"] == "Iraq"), "contribution"] = 0.0
    return table


TABLES = {
    "distributions": lambda: distributions(compared=[("strong", "both", "strong", "both")]),
    "heatmap": lambda: heatmap(refused(target="Peru")),
    "lengths": lengths_with_zero,
    "scores": scores_with_zero,
}
TOYS = {name: lambda make=make: (make(),) for name, make in TABLES.items()}
MARKS = {"distributions": ("share", "x", (), 100)}
