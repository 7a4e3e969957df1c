"""The contrasts, against numbers worked out by hand, a transcription of formulas, and what must hold."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.metrics.discrimination_scores import toy

from herbarium.metrics.discrimination_scores import score

PERSONS = pd.DataFrame({"age": ["20", "40", "60"], "gender": ["male", "female", "other"]})


def test_a_design_has_numbers_in_standard_deviations_and_levels_against_their_reference():
    x = score.design(PERSONS, {"gender": "male"}, ["age"])
    assert list(x.columns) == ["age", "gender: female", "gender: other"]
    assert x["age"].tolist() == pytest.approx([-1, 0, 1])  # as R: scale(c(20, 40, 60))
    assert x.to_numpy()[:, 1:].tolist() == [[0, 0], [1, 0], [0, 1]]


def test_contrasts_within_a_decision_by_hand():
    """Men 1 and 3, women 4 and 6: 3 more, with another 2 for the older of each."""
    persons = pd.DataFrame({"age": ["20", "40"] * 2, "gender": ["male", "male", "female", "female"]})
    x = score.design(persons, {"gender": "male"}, ["age"]).to_numpy()
    of_age, of_gender = score.within(x, np.array([1.0, 3.0, 4.0, 6.0]))
    assert of_gender == pytest.approx(3)
    assert of_age == pytest.approx(2 * np.std([20, 40, 20, 40], ddof=1) / 20)


def test_a_contrast_that_prompts_do_not_determine_is_missing_and_changes_no_other():
    x = score.design(toy.prompts(1), **toy.EFFECTS)
    y = np.random.default_rng(0).normal(size=len(x))
    without = x[x["gender: other"] == 0]
    found = score.within(without.to_numpy(), y[without.index])
    columns = ["age", "gender: female", "race: Black"]
    whole = np.column_stack([np.ones(len(without)), without[columns]])
    expected, *_ = np.linalg.lstsq(whole, y[without.index], rcond=None)
    assert np.isnan(found[x.columns.get_loc("gender: other")])
    assert found[[x.columns.get_loc(name) for name in columns]] == pytest.approx(expected[1:])
    no_reference = x[x[["gender: female", "gender: other"]].any(axis=1)]
    found = score.within(no_reference.to_numpy(), y[no_reference.index])
    assert np.isnan(found).tolist() == [name.startswith("gender") for name in x.columns]


def test_in_a_balanced_table_a_contrast_is_a_difference_of_means():
    prompts = toy.prompts(3)
    y = pd.Series(np.random.default_rng(1).normal(size=len(prompts)))
    found = score.of_decisions(score.design(prompts, **toy.EFFECTS), y, prompts["decision"])
    means = y.groupby([prompts["decision"], prompts["gender"]]).mean().unstack()
    assert found["gender: female"].to_numpy() == pytest.approx((means["female"] - means["male"]).to_numpy())


def test_the_interval_of_the_spread_is_that_of_bonett():
    """Term by term, from the paper's formulas."""
    values = np.array([0.1, -0.4, 0.9, 0.3, -1.2, 0.0, 0.7, 0.2, -0.1, 2.0])
    n, z = 10, stats.norm.ppf(0.975)
    kept = sorted(values)[2:-2]  # 1 / (2 sqrt(6)) of ten at either end
    middle = sum(kept) / len(kept)
    mean = sum(values) / n
    kurtosis = n * sum((v - middle) ** 4 for v in values) / sum((v - mean) ** 2 for v in values) ** 2
    c = n / (n - z)
    error = c * ((kurtosis - (n - 3) / n) / (n - 1)) ** 0.5
    variance = sum((v - mean) ** 2 for v in values) / (n - 1)
    spread, low, high = score.spread(values, 0.95)
    assert spread == pytest.approx(variance**0.5)
    assert low == pytest.approx(np.exp((np.log(c * variance) - z * error) / 2))
    assert high == pytest.approx(np.exp((np.log(c * variance) + z * error) / 2))
