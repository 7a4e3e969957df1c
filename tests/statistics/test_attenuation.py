"""Correlations with known numbers, and what errors of both sides took from them."""

import itertools

import numpy as np
import pytest

from herbarium.statistics import attenuation

VALUES = np.array([1.0, 2.0, 4.0, 3.0, 6.0])
KNOWN = np.array([10.0, 30.0, 20.0, 50.0, 60.0])
NONE = np.zeros(5)


def correlate(values=VALUES, errors=NONE, known=KNOWN, known_errors=NONE, level=0.95):
    return attenuation.correlations(values, errors, known, known_errors, level, np.random.default_rng(1))


def test_by_hand():
    """Sums of squares 14.8 and 1720 and of products 116: r = 116 / sqrt(14.8 · 1720). Variances 3.7 and 430."""
    plain, corrected = correlate(errors=np.full(5, 0.37**0.5), known_errors=np.full(5, 43.0**0.5))
    assert plain["estimate"] == pytest.approx(116 / (14.8 * 1720) ** 0.5)
    assert corrected["estimate"] == pytest.approx(plain["estimate"] / 0.9)  # reliabilities of .9 and .9
    for bound in ("ci_low", "ci_high"):
        assert corrected[bound] == pytest.approx(np.clip(plain[bound] / 0.9, -1, 1))


def test_of_unequal_errors_the_mean_of_their_squares_counts():
    assert attenuation.reliability(VALUES, np.array([0, 0, 0, 0, 1.85**0.5])) == pytest.approx(0.9)


def test_the_p_value_is_twice_the_share_of_orders_that_correlate_as_much():
    plain, _ = correlate()
    drawn = np.array([np.corrcoef(VALUES, order)[0, 1] for order in itertools.permutations(KNOWN)])
    assert plain["p_value"] == pytest.approx(2 * np.mean(drawn >= plain["estimate"] - 1e-12))


def test_without_errors_nothing_is_corrected():
    plain, corrected = correlate()
    assert corrected == {key: plain[key] for key in corrected}
    assert set(corrected) == {"estimate", "ci_low", "ci_high"}


def test_what_cannot_be_said_says_why():
    assert correlate(values=np.ones(5)) == ({"note": attenuation.CONSTANT},) * 2
    plain, corrected = correlate(errors=np.full(5, 1.8))  # 3.24 of 3.7
    assert corrected == {"note": attenuation.UNRELIABLE}
    assert plain["p_value"] < 1


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
@pytest.mark.parametrize("n", [8, 40])
def test_the_interval_covers_the_correlation_of_what_is_measured(monkeypatch, n, rho):
    monkeypatch.setattr(attenuation, "PERMUTATIONS", 9)  # of the p-value, which is not asked for here
    random, covered, smaller, studies = np.random.default_rng([n, int(10 * rho)]), 0, 0, 300
    for _ in range(studies):
        known = random.normal(size=n)
        true = rho * known + np.sqrt(1 - rho**2) * random.normal(size=n)
        sentences = true[:, None] + random.normal(size=(n, 4))
        errors = sentences.std(axis=1, ddof=1) / 2
        plain, corrected = correlate(sentences.mean(axis=1), errors, known, np.zeros(n))
        low, high = (corrected.get(bound, bound == "ci_high") for bound in ("ci_low", "ci_high"))
        covered += low <= rho <= high
        smaller += plain["estimate"] < rho
    assert covered / studies > 0.92
    assert n < 40 or rho == 0 or smaller / studies > 0.6  # which is why it is corrected
