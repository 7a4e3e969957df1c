"""Downstream effects as data of the mixed model of continents: columns, the draw of texts, and what the model finds."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.downstream import groups
from herbarium.statistics import fits, grouped, lme4

CONTINENTS = {"continent:SA": "South America", "continent:OC": "Oceania"}
REGIONS = pd.DataFrame({"region": list(CONTINENTS), "name": list(CONTINENTS.values())})
COUNTRIES = [(f"country:{i}", list(CONTINENTS)[i % 2]) for i in range(12)]
PREFIXES = pd.DataFrame(
    [
        ("original", "original", "original", None),
        *(("region", "country", *of) for of in COUNTRIES),
        ("region", "city", "city:1", "continent:OC"),
        ("control", "control", "control:here", None),
        ("control", "control", "control:there", None),
    ],
    columns=["kind", "unit", "group", "continent"],
)
LABEL = np.array([1] * 30 + [0] * 90)


def simulated(effect, seeds=2):
    random = np.random.default_rng(0)
    of_texts = random.normal(0, 3, (1, 1, len(LABEL)))
    log_odds = of_texts + random.normal(0, 0.3, (seeds, len(PREFIXES), len(LABEL)))
    log_odds += random.normal(0, 0.1, (1, len(PREFIXES), 1))
    log_odds[:, PREFIXES["continent"].eq("continent:OC")] += effect
    return log_odds


def test_effects_are_those_beyond_the_controls():
    log_odds = simulated(0)
    data = groups.grouped(log_odds, LABEL, PREFIXES, REGIONS, "reviews", 1, examples=20)
    assert len(data) == 2 * 12 * 20
    assert data["group"].value_counts().to_dict() == dict.fromkeys(CONTINENTS.values(), 240)
    assert (data["pair"] == data["word"]).all()
    assert set(data["pair"]) == {country for country, _ in COUNTRIES}  # a city is no country
    row = data[(data["template"] == "1") & (data["pair"] == "country:3")].iloc[4]
    text = int(row["target"])
    expected = log_odds[1, 4, text] - log_odds[1, 14:16, text].mean()
    assert row["association"] == pytest.approx(expected)
    assert row["group"] == "Oceania"


def test_texts_are_drawn_by_label_and_are_those_of_every_model():
    one, other = (
        groups.grouped(simulated(effect), LABEL, PREFIXES, REGIONS, "reviews", 1, examples=20) for effect in (0, 5)
    )
    texts = one["target"].unique().astype(int)
    assert len(texts) == 20
    assert LABEL[texts].sum() == 5  # a quarter
    assert other["target"].tolist() == one["target"].tolist()
    again = groups.grouped(simulated(0), LABEL, PREFIXES, REGIONS, "messages", 1, examples=20)
    assert set(again["target"]) != set(one["target"])
    whole = groups.grouped(simulated(0), LABEL, PREFIXES, REGIONS, "reviews", 1, examples=500)
    assert whole["target"].nunique() == len(LABEL)


def test_the_mixed_model_finds_the_continent_that_was_planted():
    chosen = fits.Settings(
        weighted=True, equivalence_bound=0.1, level=0.95, alpha=0.05, power=0.8, replicates=0, seed=1
    )
    for effect in (0.0, 1.0):
        data = groups.grouped(simulated(effect), LABEL, PREFIXES, REGIONS, "reviews", 1, 20)
        asked = {keys["contrast"]: (keys, of) for keys, of, _ in grouped.ask(data)}
        keys, of = asked["Oceania-others"]
        row, _ = fits.answer({"model": "m", "data": "reviews", **keys}, of, 0, lme4.fit, chosen)
        assert row["estimate"] == pytest.approx(effect, abs=0.2)
        assert (row["p_value"] < 1e-4) == (effect > 0)
