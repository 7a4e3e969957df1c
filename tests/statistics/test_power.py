"""The units that it takes to find a distance, against statsmodels; and how often the tests of contrasts find it."""

import math

import numpy as np
import pytest
from statsmodels.stats import power as planning

from herbarium.statistics import contrasts, power
from herbarium.statistics.effect_sizes import minimum_detectable_effect
from herbarium.statistics.sets import Sets
from herbarium.statistics.within_sets import PAIRS, SHARE

ALPHA = 0.05


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.2])
def test_one_unit_fewer_would_not_do(effect):
    n = power.units_needed(2.0, 2.0 * effect, ALPHA)
    assert planning.TTestPower().power(effect, n, ALPHA) >= power.POWER
    assert planning.TTestPower().power(effect, n - 1, ALPHA) < power.POWER


def test_three_units_are_the_fewest():
    assert power.units_needed(0.01, 10.0, ALPHA) == 3


def test_without_a_spread_nothing_can_be_said():
    assert math.isnan(power.units_needed(math.nan, 0.1, ALPHA))


@pytest.mark.parametrize(("n", "is_share"), [(8, False), (20, False), (50, True), (200, True)])
@pytest.mark.nightly
def test_tests_of_contrasts_find_it_about_four_times_in_five(n, is_share):
    """The exact tests of contrasts have nearly the power of t; with steps, where a share has few pairs."""
    random, studies = np.random.default_rng(n), 400
    std_dev = 50 if is_share else 1
    true = minimum_detectable_effect(std_dev / math.sqrt(n), n - 1, ALPHA, power.POWER)
    total = 0
    for seed in range(studies):
        draws = random.random(n) < 0.5 + true / 100 if is_share else true + random.normal(size=n)
        values = np.column_stack([draws.astype(float), 1.0 - draws if is_share else np.zeros(n)])
        sentence_sets = Sets(("a", "b"), values, np.full(n, ""), np.arange(n), by_set=True)
        contrast = SHARE if is_share else PAIRS
        total += contrasts.numbers(sentence_sets, contrast, 1 - ALPHA, "holm", seed).iloc[0]["p_value"] <= ALPHA
    assert 0.72 < total / studies < 0.88
