"""Resamples of HERB: what is drawn, that models share it, and the jackknife against leaving out in earnest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import score
from herbarium.metrics.herb.bootstrap import Resampling, bootstrap
from herbarium.statistics import inference

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
@settings(max_examples=200, deadline=None)
def test_as_many_are_drawn_as_there_are_and_two_distinct_where_there_are_two(seed):
    counts, copies = Resampling("both", TOPICS, PARENT).draw(np.random.default_rng(seed))
    assert sums(counts, TOPICS) == [6, 3, 1]
    assert sums(copies, PARENT) == [1, 3, 5, 2, 1]
    assert sums(copies > 0, PARENT)[1] >= 2
    assert sums(copies > 0, PARENT)[2] >= 2
    assert copies[[0, 9, 10, 11]].tolist() == [1, 1, 1, 1]


def test_draws_are_multinomial():
    # of the 27 ordered samples of three regions, 24 hold two distinct ones, and 6 of these lack a given region
    random = np.random.default_rng(1)
    drawn = [Resampling("both", TOPICS, PARENT).draw(random) for _ in range(4000)]
    counts, copies = (np.array(values) for values in zip(*drawn, strict=True))
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.08)
    assert (counts[:, :6] == 0).mean() == pytest.approx((5 / 6) ** 6, abs=0.01)
    assert copies.mean(axis=0) == pytest.approx(np.ones(12), abs=0.08)
    assert (copies[:, 1:4] == 0).mean() == pytest.approx(6 / 24, abs=0.02)


def test_what_is_not_resampled_is_not_drawn():
    assert Resampling("descriptions", TOPICS, PARENT).draw(np.random.default_rng(0))[1] is None
    assert Resampling("sub_regions", TOPICS, PARENT).draw(np.random.default_rng(0))[0] is None
    with pytest.raises(ValueError, match="not 'topics'"):
        Resampling("topics", TOPICS, PARENT)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_a_model_that_lacks_scores_gets_the_draws_of_the_study(seed):
    descriptions = np.arange(10) != 2
    regions = ~np.isin(PARENT, [2, 3]) & (np.arange(12) != 4)  # 2 and 3 are leaves now; 1 has lost one of five
    whole = Resampling("both", TOPICS, PARENT).draw(np.random.default_rng(seed))
    part = Resampling("both", TOPICS, PARENT, descriptions, regions).draw(np.random.default_rng(seed))
    kept_of = (descriptions, 1), (regions, 2)
    for labels, of_whole, of_part, (kept, least) in zip((TOPICS, PARENT), whole, part, kept_of, strict=True):
        for label in np.unique(labels[kept]):
            drawn = of_whole[kept & (labels == label)]
            expected = drawn if (drawn > 0).sum() >= least else np.ones_like(drawn)
            assert of_part[labels[kept] == label].tolist() == expected.tolist()


def test_replicates_are_the_study_with_its_draws_whatever_the_threads(study):
    f, f_name = study
    for over in herb_bootstrap.OVER:
        resampling = Resampling(over, TOPICS, PARENT)
        one, four = (
            list(bootstrap(f, f_name, PARENT, resampling, 12, np.random.default_rng(5), threads)) for threads in (1, 4)
        )
        for scores, again, own in zip(one, four, np.random.default_rng(5).spawn(12), strict=True):
            np.testing.assert_array_equal(scores.array(), again.array())
            counts, copies = resampling.draw(own)
            expected = score.herb(f, f_name, PARENT, counts=counts, copies=copies)
            np.testing.assert_allclose(scores.array(), expected.array(), rtol=1e-5, atol=1e-7)


def test_replicates_spread_about_the_estimate():
    random = np.random.default_rng(3)
    f, parent = -random.uniform(1, 9, (9, 60)), np.array([-1] + [0] * 8)
    topics = np.repeat(["a", "b", "c"], 20)
    estimate = score.herb(f, np.zeros(9), parent).C_w_size_free[0]
    for over in herb_bootstrap.OVER:
        resampling = Resampling(over, topics, parent)
        scores = bootstrap(f, np.zeros(9), parent, resampling, 200, np.random.default_rng(0))
        drawn = np.array([replicate.C_w_size_free[0] for replicate in scores])
        assert drawn.std() > 0
        assert abs(drawn.mean() - estimate) < 3 * drawn.std()


def test_a_topic_whose_descriptions_agree_has_no_spread():
    # topic "a" has one description and topic "b" three that agree: every draw has the same vectors, up to order
    f = np.array([[1.0, 1, 1, 1], [2.0, 5, 5, 5], [7.0, 1, 1, 1]])
    parent, topics = np.array([-1, 0, 0]), np.array(["a", "b", "b", "b"])
    expected = score.herb(f, np.zeros(3), parent)
    resampling = Resampling("descriptions", topics, parent)
    for scores in bootstrap(f, np.zeros(3), parent, resampling, 20, np.random.default_rng(0)):
        np.testing.assert_allclose(scores.C_w, expected.C_w, rtol=1e-6)


def test_jackknife_over_descriptions_leaves_each_out(study):
    f, f_name = study
    squares, cubes = herb_bootstrap.jackknife(f, f_name, PARENT, TOPICS)["descriptions"]
    # topic c has one description, which every resample has
    left_out = [score.herb(np.delete(f, i, axis=1), f_name, PARENT).array() for i in range(9)]
    expected = inference.jackknife_sums(np.array(left_out), TOPICS[:9])
    np.testing.assert_allclose(squares, expected[0], rtol=1e-8, atol=1e-18)
    np.testing.assert_allclose(cubes, expected[1], rtol=1e-8, atol=1e-18)


def test_scores_without_a_sub_region_in_closed_form(study):
    random = np.random.default_rng(8)
    parent = np.repeat([-1, 0, 1, 2], [1, 4, 12, 9])  # regions 3 and 4 have no sub-regions
    f, f_name = -random.uniform(3, 6, (26, 30)), -random.uniform(0.5, 3, 26)
    estimates = score.herb(f, f_name, parent)
    left_out = herb_bootstrap.without_sub_regions(f, f_name, parent, estimates)
    assert np.isnan(left_out[:, 0]).all()
    for region in range(1, 26):
        copies = np.ones(26, dtype=int)
        copies[region] = 0  # n of Eq. 8 is held, as in a resample
        in_earnest = score.herb(f, f_name, parent, copies=copies).array()[:, parent[region]]
        # C_z and sparseness exactly; C_w up to what the centroid of leaves moves
        np.testing.assert_allclose(left_out[[1, 3, 4], region], in_earnest[[1, 3, 4]], rtol=1e-9)
        np.testing.assert_allclose(left_out[:, region], in_earnest, rtol=2e-3)
        assert abs(left_out[2, region] / in_earnest[2] - 1) < 0.2 * abs(
            estimates.array()[2, parent[region]] / in_earnest[2] - 1
        )


def test_jackknife_of_both_adds_the_two_sources(study):
    f, f_name = study
    sums_of = herb_bootstrap.jackknife(f, f_name, PARENT, TOPICS)
    for own in (0, 1):
        both = sums_of["descriptions"][own] + sums_of["sub_regions"][own]
        np.testing.assert_array_equal(sums_of["both"][own], both)
    # the root has three sub-regions and region 1 five; 2 has two and 3 one: nothing is left to vary
    assert np.isfinite(sums_of["both"][0][:, [0, 1]]).all()
    assert np.isnan(sums_of["both"][0][:, 2:]).all()
