"""Reliability, against textbook formulas, statsmodels' sums of squares and toys whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula import api
from statsmodels.stats import anova

from herbarium.statistics import reliability
from herbarium.statistics.reliability import Components


def values(n, k, m, seed=0, **deviations):
    """A crossed design whose effects have these standard deviations."""
    random = np.random.default_rng(seed)
    shapes = {"o": (n, 1, 1), "w": (1, k, 1), "f": (1, 1, m), "ow": (n, k, 1), "of": (n, 1, m), "wf": (1, k, m)}
    shapes["owf"] = n, k, m
    return sum(deviations.get(name, 0) * random.normal(size=shape) for name, shape in shapes.items()) + np.zeros(
        (n, k, m)
    )


def test_alpha_is_that_of_item_variances():
    """k / (k − 1) · (1 − sum of the words' variances / variance of the sums), as in textbooks."""
    x = values(7, 5, 1, o=1, w=2, ow=1)[:, :, 0]
    textbook = 5 / 4 * (1 - x.var(axis=0, ddof=1).sum() / x.sum(axis=1).var(ddof=1))
    assert reliability.alpha(x) == pytest.approx(textbook)
    assert reliability.alpha(x + np.arange(5)) == pytest.approx(textbook)  # words may be of different difficulty
    assert np.isnan(reliability.alpha(np.ones((3, 2))))


def test_the_interval_of_alpha_is_that_of_f():
    """Feldt, Woodruff and Salih (1987, Eq. 2), of seven objects and five words."""
    x = values(7, 5, 1, o=1, w=2, ow=1)[:, :, 0]
    expected = [1 - (1 - reliability.alpha(x)) * stats.f.ppf(tail, 6, 24) for tail in (0.95, 0.05)]
    assert reliability.alpha_interval(x, 0.9) == pytest.approx(expected)


def test_alpha_is_one_without_error_and_about_zero_without_objects():
    assert reliability.alpha(values(6, 4, 1, o=1, w=1)[:, :, 0]) == pytest.approx(1)
    assert abs(reliability.alpha(values(2000, 20, 1, w=1, ow=1)[:, :, 0])) < 0.1


def test_one_of_several_measurements_by_hand():
    assert reliability.of_one(0.75, 3) == pytest.approx(0.5)  # 3 · 0.5 / (1 + 2 · 0.5) = 0.75
    assert reliability.of_one(1.0, 7) == 1
    assert reliability.of_one(0.0, 7) == 0


def test_split_halves_agree_with_alpha_and_with_what_is_planted():
    """Variance 1 of objects and 4 of a word's error: 20 words have a reliability of 1 / (1 + 4 / 20)."""
    x = values(3000, 20, 1, o=1, w=1, ow=2)[:, :, 0]
    result = reliability.split_half(x, 50, np.random.default_rng(1))
    assert result == pytest.approx(1 / 1.2, abs=0.02)
    assert reliability.alpha(x) == pytest.approx(result, abs=0.01)
    assert reliability.spearman_brown(0.5) == pytest.approx(2 / 3)


def test_parallel_forms_by_hand():
    first = np.array([[1.0, 3.0], [2.0, 4.0], [6.0, 8.0]])  # means 2, 3, 7
    second = first[::-1]  # 7, 3, 2
    assert reliability.parallel_forms(np.stack([first, 2 * first + 1], axis=2)) == pytest.approx(1)
    assert reliability.parallel_forms(np.stack([first, second], axis=2)) == pytest.approx(
        np.corrcoef([2, 3, 7], [7, 3, 2])[0, 1]
    )


def test_mean_squares_are_those_of_an_analysis_of_variance():
    x = values(4, 3, 2, o=1, w=1, f=1, ow=1, of=1, wf=1, owf=1)
    rows = pd.DataFrame([(o, w, f, x[o, w, f]) for o, w, f in np.ndindex(x.shape)], columns=[*"owf", "y"])
    fit = anova.anova_lm(api.ols("y ~ (C(o) + C(w) + C(f)) ** 2", rows).fit())
    ours = reliability._three_way(x)
    theirs = (fit["sum_sq"] / fit["df"]).rename(lambda name: name.replace("C(", "").replace(")", "").replace(":", ""))
    theirs = theirs.rename({"Residual": "owf"})
    assert {name: pytest.approx(value) for name, value in theirs.items()} == ours


def test_components_are_those_that_were_planted():
    planted = Components(1.0, 4.0, 0.25, 2.25, 0.49, 0.09, 1.44)
    deviations = {name: np.sqrt(variance) for name, variance in planted._asdict().items()}
    results = [reliability.components(values(60, 40, 4, seed, **deviations)) for seed in range(40)]
    # what few forms make is known least
    np.testing.assert_allclose(np.mean(results, axis=0), planted, rtol=0.15, atol=0.03)


def test_with_one_form_components_are_those_of_objects_and_words():
    results = [reliability.components(values(50, 40, 1, seed, o=1, w=2, ow=1.5)) for seed in range(20)]
    np.testing.assert_allclose(np.mean(results, axis=0), [1, 4, 0, 2.25, 0, 0, 0], rtol=0.15)


def test_the_generalizability_of_one_form_is_alpha():
    x = values(9, 6, 1, o=1, w=1, ow=1)
    components = reliability.components(x)
    assert reliability.generalizability(components, 6, 1) == pytest.approx(reliability.alpha(x[:, :, 0]))


def test_words_needed_by_hand():
    """Variance 1 of objects, 4 of a word's error: 1 / (1 + 4 / 16) = .8."""
    only_words = Components(1, 0, 0, 4, 0, 0, 0)
    assert reliability.words_needed(only_words, 1) == 16
    assert reliability.generalizability(only_words, 16, 1) == pytest.approx(0.8)
    assert reliability.words_needed(only_words._replace(ow=4.1), 1) == 17  # of 16.4
    # no number of words averages a form's error out: four forms are too few, 1 / (1 + 1 / 4) = .8 without any other
    forms = Components(1, 0, 0, 1, 1, 0, 0)
    assert reliability.words_needed(forms, 4) is None
    needed = reliability.words_needed(forms, 8)
    assert reliability.generalizability(forms, needed, 8) >= 0.8 > reliability.generalizability(forms, needed - 1, 8)
    assert reliability.words_needed(Components(0, 1, 0, 1, 0, 0, 0), 1) is None


def test_an_order_that_no_word_disturbs_is_kept():
    steady = np.arange(4.0)[:, None] + np.arange(5.0)
    assert reliability.rank_stability(steady, 50, np.random.default_rng(0)) == (1, 1)
    noisy = np.random.default_rng(0).normal(size=(6, 10))
    tau, kept = reliability.rank_stability(noisy, 200, np.random.default_rng(0))
    assert tau < 0.8
    assert kept < 0.5


def test_two_objects_say_nothing_about_a_reliability_and_three_say_little():
    """Estimates of a reliability of .8, by 30 words, that are below 0."""
    random = np.random.default_rng(0)
    below = {}
    for n in (2, reliability.FEWEST, 5):
        scores = random.normal(size=(4000, n, 1)) + np.sqrt(30 / 4) * random.normal(size=(4000, n, 30))
        below[n] = np.mean([reliability.alpha(score) < 0 for score in scores])
    assert below == pytest.approx({2: 0.34, 3: 0.18, 5: 0.06}, abs=0.02)
