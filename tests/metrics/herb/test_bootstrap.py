"""Resamples of HERB: what is drawn, that models share it; and the jackknife against leaving out in earnest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import score
from herbarium.metrics.herb.bootstrap import Resampling, bootstrap

#                  root, 1 to 3 in it, 4 to 8 in 1, 9 and 10 in 2, 11 in 3
PARENT = np.array([-1, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3])
TOPICS = np.repeat(["a", "b", "c"], [6, 3, 1])


@pytest.fixture
def study():
    random = np.random.default_rng(0)
    return -random.uniform(0.5, 12, (12, 10)), -random.uniform(0.5, 3, 12)


def sums(values, labels):
    return [values[labels == label].sum() for label in np.unique(labels)]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_as_many_are_drawn_as_a_topic_has(seed):
    assert sums(Resampling(TOPICS).draw(np.random.default_rng(seed)), TOPICS) == [6, 3, 1]


def test_draws_are_multinomial():
    random = np.random.default_rng(1)
    counts = np.array([Resampling(TOPICS).draw(random) for _ in range(4000)])
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.08)
    assert (counts[:, :6] == 0).mean() == pytest.approx((5 / 6) ** 6, abs=0.01)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_a_model_that_lacks_scores_gets_the_draws_of_the_study(seed):
    kept = ~np.isin(np.arange(10), [2, 7, 8])  # of topic b one description is left
    whole = Resampling(TOPICS).draw(np.random.default_rng(seed))
    part = Resampling(TOPICS, kept).draw(np.random.default_rng(seed))
    for label in np.unique(TOPICS):
        drawn = whole[kept & (label == TOPICS)]
        expected = drawn if drawn.any() else np.ones_like(drawn)
        assert part[TOPICS[kept] == label].tolist() == expected.tolist()


@pytest.mark.slow
def test_replicates_are_the_study_with_its_draws_whatever_the_threads(study):
    f, f_name = study
    resampling = Resampling(TOPICS)
    one, four = (
        list(bootstrap(f, f_name, PARENT, resampling, 12, np.random.default_rng(5), threads)) for threads in (1, 4)
    )
    for scores, again, generator in zip(one, four, np.random.default_rng(5).spawn(12), strict=True):
        np.testing.assert_array_equal(scores, again)
        expected = score.herb(f, f_name, PARENT, counts=resampling.draw(generator))
        np.testing.assert_allclose(scores[0], expected.array(), rtol=1e-5, atol=1e-7)


def test_a_topic_whose_descriptions_agree_has_no_spread():
    # topic "a" has one description and topic "b" three that agree: every draw has the same vectors, up to order
    f = np.array([[1.0, 1, 1, 1], [2.0, 5, 5, 5], [7.0, 1, 1, 1]])
    parent, topics = np.array([-1, 0, 0]), np.array(["a", "b", "b", "b"])
    expected = score.herb(f, np.zeros(3), parent)
    for (scores,) in bootstrap(f, np.zeros(3), parent, Resampling(topics), 20, np.random.default_rng(0)):
        np.testing.assert_allclose(scores, expected.array(), rtol=1e-6)


def test_scores_without_a_sub_region_in_closed_form():
    random = np.random.default_rng(8)
    parent = np.repeat([-1, 0, 1, 2], [1, 4, 12, 9])  # regions 3 and 4 have no sub-regions
    f, f_name = -random.uniform(3, 6, (26, 30)), -random.uniform(0.5, 3, 26)
    estimates = score.herb(f, f_name, parent)
    left_out = herb_bootstrap.without_sub_regions(f, f_name, parent, estimates)
    assert np.isnan(left_out[:, 0]).all()
    for region in range(5, 26):  # leaves, without which the other rows keep their numbers up to their own
        kept, above = np.arange(26) != region, parent[region]
        n = (parent == above).sum()
        in_earnest = score.herb(f[kept], f_name[kept], parent[kept]).array()[:, above]
        in_earnest[:2] *= (n - 2) / n  # n of Eq. 8 is held
        # C_z and sparseness exactly; C_w up to what the centroid of leaves moves
        np.testing.assert_allclose(left_out[[1, 3, 4], region], in_earnest[[1, 3, 4]], rtol=1e-9)
        np.testing.assert_allclose(left_out[:, region], in_earnest, rtol=2e-3)


def test_the_jackknife_interval_of_one_score_by_hand():
    error, low, high = herb_bootstrap.jackknife_interval(np.array(2.0), np.array([1.0, 2.0, 4.0]), 0.95)
    expected = np.sqrt(2 / 3 * 2 * np.log(2) ** 2)
    assert error == pytest.approx(expected)
    assert (low, high) == pytest.approx((2 * np.exp(-4.302653 * expected), 2 * np.exp(4.302653 * expected)))
    assert np.isnan(herb_bootstrap.jackknife_interval(np.array(0.0), np.zeros(3), 0.95)[1])
