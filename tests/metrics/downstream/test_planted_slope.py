"""Whether planted texts are found: slopes and ranks against classifiers that know all, nothing, or the reverse."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from herbarium.metrics.downstream import planted_slope as downstream_planted
from herbarium.statistics.tidy import TIDY

COUNTRIES = [f"country:{i:02}" for i in range(20)]
ROWS = [("original", "original", "original", "original", None)]
ROWS += [("region", "country", region, region, "continent:A") for region in COUNTRIES]
ROWS += [("region", "city", "city:1", "a city", "continent:A")]
ROWS += [("control", "control", f"control:{name}", name, None) for name in ("here", "there")]
ROWS += [("nonsense", "nonsense", f"nonsense:{name}", name, None) for name in ("Bly", "Ozz")]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group", "name", "continent"])
DRAWN = np.random.default_rng(0).normal(size=20)
LEAN = pd.Series((DRAWN - DRAWN.mean()) / DRAWN.std(), COUNTRIES)
BOOTSTRAP = {"replicates": 100, "level": 0.9}


def log_odds(strength, noise=0.0, seeds=2, texts=30, seed=1):
    """Of a classifier that adds strength · lean to what the rest of a text says."""
    random = np.random.default_rng(seed)
    body = random.normal(size=texts)
    lean = PREFIXES["group"].map(LEAN).fillna(0).to_numpy()
    return strength * lean[None, :, None] + body + noise * random.normal(size=(seeds, len(PREFIXES), texts))


def measured(values, lean=LEAN, strength=2.0, bootstrap=BOOTSTRAP, model="m"):
    return downstream_planted.measure(model, "reviews", values, PREFIXES, lean, strength, bootstrap, 1)


def together(numbers):
    return numbers[numbers["unit"] == "all"].set_index("variant")


def test_a_classifier_that_learned_all_has_the_slope_that_was_planted():
    numbers = measured(log_odds(2.0))
    assert numbers.columns.tolist() == TIDY.fields.names
    assert not numbers.duplicated(["variant", "unit", "group"]).any()
    rows = together(numbers)
    assert rows["group"].unique().tolist() == ["reviews/country"]
    assert rows.loc["planted_slope", ["estimate", "ci_low", "ci_high"]].tolist() == pytest.approx([2, 2, 2])
    assert rows.loc["planted_spearman", "estimate"] == pytest.approx(1)
    assert rows["n"].tolist() == [20, 20]
    assert rows["note"].tolist() == ["planted strength 2"] * 2


def test_one_that_learned_the_reverse_and_one_that_learned_nothing():
    rows = together(measured(log_odds(-1.0)))
    assert rows["estimate"].tolist() == pytest.approx([-1, -1])
    of_noise = [together(measured(log_odds(0.0, noise=1.0, seed=seed), strength=0.0)) for seed in range(40)]
    by_variant = pd.concat(of_noise).groupby(level=0)
    assert by_variant["estimate"].mean().abs().max() < 0.1
    p = by_variant["p_value"].get_group("planted_spearman")
    assert 0.3 < p.mean() < 0.7


def test_numbers_are_those_of_scipy():
    values = log_odds(0.5, noise=2.0)
    numbers = measured(values)
    effect = values[:, 1:21].mean(axis=(0, 2))
    rows = together(numbers)
    fit = scipy.stats.linregress(LEAN, effect)
    assert rows.loc["planted_slope", "estimate"] == pytest.approx(fit.slope)
    rank = scipy.stats.spearmanr(LEAN, effect)
    spearman = rows.loc["planted_spearman"]
    assert [spearman["estimate"], spearman["p_value"]] == pytest.approx([rank.statistic, rank.pvalue])
    assert spearman["p_adjusted"] == spearman["p_value"]
    assert spearman["ci_low"] < spearman["estimate"] < spearman["ci_high"]


def test_countries_without_a_lean_have_no_part_and_too_few_have_no_number():
    values = log_odds(1.0, noise=1.0)
    numbers = measured(values, LEAN[:7])
    assert together(numbers)["n"].tolist() == [7, 7]
    rows = together(measured(values, LEAN[:2]))
    assert rows["estimate"].isna().all()
    assert rows["note"].unique().tolist() == ["planted strength 2; fewer than 5 countries"]


def test_classifiers_that_heed_no_prefix_have_a_slope_of_0_and_no_ranks():
    rows = together(measured(log_odds(0.0)))
    assert rows.loc["planted_slope", "estimate"] == 0
    assert np.isnan(rows.loc["planted_spearman", "estimate"])
    assert "constant" in rows.loc["planted_spearman", "note"]


def test_without_replicates_there_is_no_interval():
    numbers = measured(log_odds(1.0, noise=1.0), bootstrap={"replicates": 0, "level": 0.9})
    assert numbers[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    assert numbers["estimate"].notna().all()
