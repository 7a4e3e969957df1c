"""The equations: worked out by hand, beside a slow literal transcription, and what must not matter."""

import numpy as np
import pytest
from scipy import stats

from herbarium.metrics.matched_guise import score

RANDOM = np.random.default_rng(0)
DIFFERENCES, RATINGS = RANDOM.normal(size=(9, 7)), RANDOM.normal(size=7)


def test_a_slope_by_hand():
    # two units with the slopes 1 and 3 on standardised ratings -1 and 1, twice each
    ratings = np.array([1.0, 3.0, 1.0, 3.0])
    differences = np.array([[-1.0, 1, -1, 1], [-3, 3, -3, 3]]) + 5
    slope = score.slope(differences, ratings)
    assert slope.estimate == pytest.approx(2)
    assert slope.variance == pytest.approx(1)  # of the mean of 1 and 3: 2/2; attributes lie on the line
    assert slope.df == pytest.approx(1)


def test_the_error_of_a_slope_is_that_of_its_parts():
    n, k = DIFFERENCES.shape
    z = (RATINGS - RATINGS.mean()) / RATINGS.std()
    fits = [stats.linregress(z, row) for row in DIFFERENCES]
    slopes = np.array([fit.slope for fit in fits])
    of_units = slopes.var(ddof=1) / n
    of_attributes = stats.linregress(z, DIFFERENCES.mean(axis=0)).stderr ** 2
    rest = np.array([row - fit.intercept - fit.slope * z for row, fit in zip(DIFFERENCES, fits, strict=True)])
    both = ((rest - rest.mean(axis=0)) ** 2).sum() / (n - 1) / (k - 2) / (n * k)
    slope = score.slope(DIFFERENCES, RATINGS)
    assert slope.estimate == pytest.approx(stats.linregress(z, DIFFERENCES.mean(axis=0)).slope)
    assert slope.variance == pytest.approx(max(of_units + of_attributes - both, of_units, of_attributes))
    assert slope.df == pytest.approx(slope.variance**2 / (of_units**2 / (n - 1) + of_attributes**2 / (k - 2)))


def test_the_unit_of_the_ratings_and_what_all_attributes_share_do_not_matter():
    slope, turned = (score.slope(sign * DIFFERENCES, RATINGS) for sign in (1, -1))
    shared = RANDOM.normal(size=(9, 1))
    assert score.slope(DIFFERENCES + shared, 7 * RATINGS - 3) == pytest.approx(slope)
    assert turned[:2] == pytest.approx((-slope.estimate, slope.variance))  # guises exchanged
    with pytest.raises(ValueError, match="equal"):
        score.standardised(np.full(4, 0.3))


def test_the_correlation_has_the_p_value_of_the_papers_regression():
    q = DIFFERENCES.mean(axis=0)
    r, p = score.correlation(DIFFERENCES, RATINGS)
    regression = stats.linregress(q, RATINGS)
    assert (r, p) == pytest.approx((regression.rvalue, regression.pvalue))
    assert np.isnan(score.correlation(np.ones((3, 4)), np.arange(4.0))).all()


def test_the_rating_of_the_top_is_weighted_with_associations():
    q = np.array([[6.0, 5, 4, 3, 2, 1]])
    ratings = np.array([1.0, 0, 0, 0, 1, 100])
    assert score.top_rating(q, ratings) == pytest.approx((6 + 2) / 20)
