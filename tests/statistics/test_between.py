"""The variance between levels by hand, term by term, as lme4 estimates it, and by the F test of one sample."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.statistics import lme4
from herbarium.statistics.between import Between, between, given, inferred


def sentences(seed=0, shape=(5, 4, 6), spread=0.5):
    random = np.random.default_rng(seed)
    n_templates, n_nouns, n = shape
    y = random.normal(size=(n_templates, 1, 1)) + random.normal(size=(1, n_nouns, 1)) + spread * random.normal(size=n)
    y = y + 0.3 * random.normal(size=(n_templates, 1, n)) + 0.3 * random.normal(size=(1, n_nouns, n))
    return y + 0.2 * random.normal(size=(n_templates, n_nouns, 1)) + 0.2 * random.normal(size=shape)


def deviations(y):
    return y - y.mean(axis=-1, keepdims=True)


def test_effects_that_all_sentences_share_are_all_of_the_variance():
    y = np.arange(4)[:, None, None] + 10 * np.arange(5)[:, None] + np.array([0.0, 1.0, 5.0])
    variance = between(deviations(y), 2)
    assert variance.variance == pytest.approx(np.var([0, 1, 5], ddof=1))
    assert variance.interval(0.95) == pytest.approx([variance.variance] * 2)
    assert np.isnan(variance.p_value)


def test_the_variance_is_the_mean_product_of_sentences_that_share_neither_template_nor_noun():
    y = deviations(sentences())
    products = [
        y[t, n] @ y[u, m] for t in range(5) for u in range(5) for n in range(4) for m in range(4) if t != u and n != m
    ]
    assert between(y, 5).variance == pytest.approx(np.mean(products) / 5)


def test_it_is_what_lme4_estimates():
    """In a balanced design of which no variance is estimated as 0, mean squares are REML."""
    y = sentences(seed=4, shape=(6, 5, 7))
    places = np.indices(y.shape).reshape(3, -1)
    columns = {name: [f"{name}{code}" for code in codes] for name, codes in zip("tnd", places, strict=True)}
    formula = "y ~ 1 + (1|t) + (1|n) + (1|d) + (1|t:n) + (1|t:d) + (1|n:d)"
    fitted = lme4.fit(pd.DataFrame({"y": y.ravel()} | columns), formula)
    assert not fitted.singular
    sd = fitted.variances.set_index("group")["sd"]
    assert between(deviations(y), 6).variance == pytest.approx(sd["d"] ** 2, rel=1e-4)


def test_with_even_interactions_of_templates_alone_the_test_is_the_ordinary_one():
    """One interaction, the same variance in each of many templates: F of a two-way layout."""
    random = np.random.default_rng(1)
    of_templates = random.normal(size=(400, 1, 4))
    y = deviations(of_templates + 1e-6 * random.normal(size=(400, 30, 4)) + np.array([0, 0, 0, 0.15]))
    means = y.mean(axis=1)
    f = 400 * (means.mean(axis=0) ** 2).sum() / 3 / (((means - means.mean(axis=0)) ** 2).sum() / (3 * 399))

    assert np.log(between(y, 3).p_value) == pytest.approx(np.log(stats.distributions.f.sf(f, 3, 3 * 399)), rel=0.02)


def test_numbers_do_not_depend_on_what_descriptors_share_nor_on_an_order():
    y = sentences()
    variance = between(deviations(y), 5)
    shifted = between(deviations(y + 3 * np.random.default_rng(2).normal(size=(5, 4, 1))), 5)
    turned = between(deviations(y[::-1, ::-1, ::-1]), 5)
    for other in (shifted, turned):
        assert vars(other) == pytest.approx(vars(variance), rel=1e-6)


def test_the_standard_error_grows_with_the_variance():
    numbers = inferred(Between(variance=0.5, noise=0.04, slope=0.1, df=9, p_value=0.01), 0.95)
    assert numbers["std_error"] == pytest.approx(0.3)


def test_an_interval_excludes_0_if_and_only_if_the_test_does():
    random = np.random.default_rng(3)
    for _ in range(100):
        y = sentences(seed=random.integers(10**6), spread=random.choice([0.0, 0.1, 0.3]))
        variance = between(deviations(y), 5)
        assert (variance.interval(0.95)[0] > 0) <= (variance.p_value < 0.025)
        assert variance.interval(0.95)[1] >= variance.variance


def test_what_a_covariate_explains_is_taken_out():
    length = np.array([1.0, 1, 2, 2, 3, 3])
    y = sentences(spread=0.0)
    with_length = given(deviations(y + 0.7 * length), length)
    assert with_length == pytest.approx(given(deviations(y), length))
    slopes = np.linalg.lstsq(np.column_stack([np.ones(6), length]), y[2, 1], rcond=None)[0]
    assert with_length[2, 1] == pytest.approx(y[2, 1] - slopes[0] - slopes[1] * length)
    assert given(deviations(y), np.ones(6)) is None
    assert given(deviations(y[..., :2]), length[1:3]) is None


def test_with_one_sample_it_is_a_two_way_layout():
    """Levels × units: (MS of levels − MS of the rest) / units, and F without Box's factor where that is 1."""
    random = np.random.default_rng(5)
    y = deviations(random.normal(size=(2_000, 4)) + np.array([0, 0, 0, 0.1]))
    means = y.mean(axis=0)
    of_levels, rest = 2_000 * means.var(ddof=1), ((y - means) ** 2).sum() / (3 * 1_999)
    variance = between(y, 3)
    assert variance.variance == pytest.approx((of_levels - rest) / 2_000)
    expected = stats.distributions.f.sf(of_levels / rest, 3, 3 * 1_999)
    assert np.log(variance.p_value) == pytest.approx(np.log(expected), rel=0.02)


def test_the_error_of_one_sample_is_that_over_studies():
    random = np.random.default_rng(6)
    effects = np.array([-0.3, 0.0, 0.1, 0.2])
    found = [between(deviations(random.normal(size=(200, 4)) + effects), 3) for _ in range(2_000)]
    values = np.array([one.variance for one in found])
    assert values.mean() == pytest.approx(np.var(effects, ddof=1), rel=0.02)
    expected = np.mean([one.noise for one in found]) + np.mean([one.slope for one in found]) * values.mean()
    assert values.var() == pytest.approx(expected, rel=0.1)
