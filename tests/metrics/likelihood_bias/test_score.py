"""The variance between descriptors by hand, term by term, and as lme4 estimates it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import distributions, mannwhitneyu

from herbarium.metrics.likelihood_bias import score
from herbarium.statistics import lme4


def sentences(seed=0, shape=(5, 4, 6), spread=0.5):
    random = np.random.default_rng(seed)
    n_templates, n_nouns, n = shape
    y = random.normal(size=(n_templates, 1, 1)) + random.normal(size=(1, n_nouns, 1)) + spread * random.normal(size=n)
    y = y + 0.3 * random.normal(size=(n_templates, 1, n)) + 0.3 * random.normal(size=(1, n_nouns, n))
    return y + 0.2 * random.normal(size=(n_templates, n_nouns, 1)) + 0.2 * random.normal(size=shape)


def test_effects_that_all_sentences_share_are_all_of_the_variance():
    y = np.arange(4)[:, None, None] + 10 * np.arange(5)[:, None] + np.array([0.0, 1.0, 5.0])
    between = score.between(score.deviations(y), 2)
    assert between.variance == pytest.approx(np.var([0, 1, 5], ddof=1))
    assert between.interval(0.95) == pytest.approx([between.variance] * 2)
    assert np.isnan(between.p_value)


def test_the_variance_is_the_mean_product_of_sentences_that_share_neither_template_nor_noun():
    y = score.deviations(sentences())
    products = [
        y[t, n] @ y[u, m] for t in range(5) for u in range(5) for n in range(4) for m in range(4) if t != u and n != m
    ]
    assert score.between(y, 5).variance == pytest.approx(np.mean(products) / 5)


def test_it_is_what_lme4_estimates():
    """In a balanced design of which no variance is estimated as 0, mean squares are REML."""
    y = sentences(seed=4, shape=(6, 5, 7))
    places = np.indices(y.shape).reshape(3, -1)
    columns = {name: [f"{name}{code}" for code in codes] for name, codes in zip("tnd", places, strict=True)}
    formula = "y ~ 1 + (1|t) + (1|n) + (1|d) + (1|t:n) + (1|t:d) + (1|n:d)"
    fitted = lme4.fit(pd.DataFrame({"y": y.ravel()} | columns), formula)
    assert not fitted.singular
    sd = fitted.variances.set_index("group")["sd"]
    assert score.between(score.deviations(y), 6).variance == pytest.approx(sd["d"] ** 2, rel=1e-4)


def test_with_even_interactions_of_templates_alone_the_test_is_the_ordinary_one():
    """One interaction, the same variance in each of many templates: F of a two-way layout."""
    random = np.random.default_rng(1)
    of_templates = random.normal(size=(400, 1, 4))
    y = score.deviations(of_templates + 1e-6 * random.normal(size=(400, 30, 4)) + np.array([0, 0, 0, 0.15]))
    means = y.mean(axis=1)
    f = 400 * (means.mean(axis=0) ** 2).sum() / 3 / (((means - means.mean(axis=0)) ** 2).sum() / (3 * 399))

    assert np.log(score.between(y, 3).p_value) == pytest.approx(np.log(distributions.f.sf(f, 3, 3 * 399)), rel=0.02)


def test_numbers_do_not_depend_on_what_descriptors_share_nor_on_an_order():
    y = sentences()
    between = score.between(score.deviations(y), 5)
    shifted = score.between(score.deviations(y + 3 * np.random.default_rng(2).normal(size=(5, 4, 1))), 5)
    turned = score.between(score.deviations(y[::-1, ::-1, ::-1]), 5)
    for other in (shifted, turned):
        assert vars(other) == pytest.approx(vars(between), rel=1e-6)


def test_an_interval_excludes_0_if_and_only_if_the_test_does():
    random = np.random.default_rng(3)
    for _ in range(100):
        y = sentences(seed=random.integers(10**6), spread=random.choice([0.0, 0.1, 0.3]))
        between = score.between(score.deviations(y), 5)
        assert (between.interval(0.95)[0] > 0) <= (between.p_value < 0.025)
        assert between.interval(0.95)[1] >= between.variance


def test_what_a_covariate_explains_is_taken_out():
    length = np.array([1.0, 1, 2, 2, 3, 3])
    y = sentences(spread=0.0)
    with_length = score.given(score.deviations(y + 0.7 * length), length)
    assert with_length == pytest.approx(score.given(score.deviations(y), length))
    slopes = np.linalg.lstsq(np.column_stack([np.ones(6), length]), y[2, 1], rcond=None)[0]
    assert with_length[2, 1] == pytest.approx(y[2, 1] - slopes[0] - slopes[1] * length)
    assert score.given(score.deviations(y), np.ones(6)) is None
    assert score.given(score.deviations(y[..., :2]), length[1:3]) is None


def test_pairs_are_compared_one_by_one_as_published():
    y = sentences(shape=(3, 9, 5))
    for of_template, share in zip(y, score.significant_pairs(y), strict=True):
        p_values = [mannwhitneyu(of_template[:, i], of_template[:, j]).pvalue for i, j in combinations(range(5), 2)]
        assert share == np.mean(np.array(p_values) < 0.05)


def test_the_effects_of_descriptors_have_mean_0():
    y = score.deviations(sentences())
    assert sum(score.effect(y, place).estimate for place in range(6)) == pytest.approx(0)
