import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from herbarium.metrics.languages import score
from herbarium.statistics import randomisation


def vectors(seed=0, n=7, k=4, d=5):
    random = np.random.default_rng(seed)
    return [random.normal(size=(rows, d)) for rows in (n, n, k, k)]


def literal_in_bias(masculine, feminine, of_men, of_women):
    """Zhao 2021, Eq. 3.2, term by term."""

    def cos(a, b):
        return a @ b / np.sqrt((a @ a) * (b @ b))

    def dis(o, seeds):
        return sum(1 - cos(o, s) for s in seeds) / len(seeds)

    n = len(masculine)
    return sum(abs(dis(masculine[i], of_men) - dis(feminine[i], of_women)) for i in range(n)) / n


def test_gaps_by_hand():
    masculine, feminine = np.array([[2.0, 0]]), np.array([[3.0, 4.0]])
    result = score.gaps(masculine, feminine, np.array([[0, 1.0], [1, 0]]), np.array([[1.0, 0], [0, 5]]))
    np.testing.assert_allclose(result, [[0.6 - 0, 0.8 - 1]])


@pytest.mark.parametrize("seed", range(3))
def test_in_bias_is_that_of_the_thesis(seed):
    arrays = vectors(seed)
    assert score.in_bias(score.gaps(*arrays)).mean() == pytest.approx(literal_in_bias(*arrays))


@given(st.integers(0, 2**32 - 1))
def test_the_released_form_is_never_below_that_of_the_thesis(seed):
    result = score.gaps(*vectors(seed))
    assert (score.in_bias_released(result) >= score.in_bias(result) - 1e-12).all()
    alike = np.repeat(result[:, :1], 3, axis=1)
    assert score.in_bias_released(alike) == pytest.approx(score.in_bias(alike))


def test_a_rotation_changes_nothing():
    """Procrustes therefore never does."""
    arrays = vectors()
    rotation = stats.ortho_group.rvs(5, random_state=0)
    np.testing.assert_allclose(score.gaps(*(one @ rotation.T for one in arrays)), score.gaps(*arrays))


def test_calling_each_gender_the_other_changes_the_sign_alone():
    masculine, feminine, of_men, of_women = vectors()
    one, other = score.gaps(masculine, feminine, of_men, of_women), score.gaps(feminine, masculine, of_women, of_men)
    np.testing.assert_allclose(one, -other)
    for number in (score.in_bias, score.in_bias_released, score.shared):
        assert number(one) == pytest.approx(number(other))
    assert score.lean(one).estimate == pytest.approx(-score.lean(other).estimate)


def test_what_seeds_share_by_hand():
    result = np.array([[1.0, 2.0, 3.0], [-1.0, 1.0, 0.0]])
    products = [np.mean([a * b for a, b in itertools.permutations(row, 2)]) for row in result]
    np.testing.assert_allclose(score.shared(result), products)
    assert [score.root(-4.0), score.root(4.0)] == [-2, 2]


def test_noise_of_seeds_adds_to_in_bias_and_not_to_what_they_share():
    random = np.random.default_rng(0)
    true = random.normal(size=(400, 1)) * 0.1
    noisy = [true + random.normal(size=(400, 10)) * 0.3 for _ in range(200)]
    assert np.mean([score.shared(gaps).mean() for gaps in noisy]) == pytest.approx((true**2).mean(), rel=0.02)
    assert np.mean([score.in_bias(gaps).mean() for gaps in noisy]) > 1.3 * np.abs(true).mean()


def literal_p_value(result):
    k = result.shape[1]
    at_random = [score.shared(result * signs).mean() for signs in itertools.product((1, -1), repeat=k)]
    return np.mean([value >= score.shared(result).mean() - 1e-12 for value in at_random])


@pytest.mark.parametrize("seed", range(4))
def test_the_p_value_is_that_of_all_ways_to_call_seeds(seed):
    result = np.random.default_rng(seed).normal(size=(6, 5)) + 0.3
    p = score.seeds_p_value(result, np.random.default_rng(0))
    assert p == pytest.approx(literal_p_value(result))
    assert p >= 1 / score.arrangements(5)


def test_a_drawn_p_value_is_near_that_of_all(monkeypatch):
    result = np.random.default_rng(1).normal(size=(6, 8)) + 0.15
    exact = score.seeds_p_value(result, np.random.default_rng(0))
    monkeypatch.setattr(randomisation, "EXACT", 1)
    assert score.seeds_p_value(result, np.random.default_rng(0)) == pytest.approx(exact, abs=0.02)
    assert score.arrangements(8) == randomisation.DRAWS + 1


def test_the_error_of_a_mean_is_that_of_crossed_samples():
    """Of what is linear the jackknife is known: the two-way variance of a mean."""
    random = np.random.default_rng(0)
    result = random.normal(size=(9, 1)) + random.normal(size=(1, 6)) + random.normal(size=(9, 6))
    mean = score.jackknife(lambda table: table.mean(axis=1), result)
    crossed = score.lean(result)
    assert mean.estimate == pytest.approx(crossed.estimate)
    assert mean.variance == pytest.approx(crossed.variance)
    for shape in ((2, 5), (5, 2)):  # too few
        assert np.isnan(score.jackknife(score.in_bias, np.ones(shape)).variance)


def literal_jackknife(by_pair, result):
    """Each left out in turn."""

    def without(i=(), s=()):
        return by_pair(np.delete(np.delete(result, i, 0), s, 1)).mean()

    n, k = result.shape
    pairs, seeds = [without(i=i) for i in range(n)], [without(s=s) for s in range(k)]
    both = [without(i, s) - pairs[i] - seeds[s] + without() for i in range(n) for s in range(k)]
    parts = [(n - 1) * np.var(pairs), (k - 1) * np.var(seeds)]
    return max(sum(parts) - (n - 1) * (k - 1) / (n * k) * np.square(both).sum(), *parts)


@pytest.mark.parametrize("by_pair", [score.in_bias, score.in_bias_released, score.shared])
def test_the_jackknife_leaves_out_each_in_turn(by_pair):
    result = np.random.default_rng(2).normal(size=(8, 5)) + 0.2
    mean = score.jackknife(by_pair, result)
    assert mean.estimate == pytest.approx(by_pair(result).mean())
    assert mean.variance == pytest.approx(literal_jackknife(by_pair, result))


def test_the_error_without_anything_shared_is_that_over_all_ways_to_call_seeds():
    result = np.random.default_rng(3).normal(size=(6, 5)) + 0.3
    at_random = [score.shared(result * signs).mean() for signs in itertools.product((1, -1), repeat=5)]
    assert score.shared_mean(result)[1] == pytest.approx(np.std(at_random))


def test_a_change_is_of_the_same_pairs():
    random = np.random.default_rng(0)
    before = random.normal(size=(20, 6))
    result = score.change(score.in_bias, before, before / 2)
    assert result.estimate == pytest.approx(-score.in_bias(before).mean() / 2)
    mean = score.jackknife(score.in_bias, before)
    assert result.std_error == pytest.approx(mean.std_error / 2)
    same = score.change(score.in_bias, before, before)
    assert (same.estimate, same.variance) == (0, 0)


def test_a_space_like_its_controls_has_no_excess():
    random = np.random.default_rng(0)
    after, controls = random.normal(size=(20, 6)), random.normal(size=(20, 6, 5))
    result = score.excess(score.in_bias, after, controls)
    values = [score.in_bias(controls[..., one]).mean() for one in range(5)]
    assert result.estimate == pytest.approx(score.in_bias(after).mean() - np.mean(values))
    assert result.variance > np.var(values, ddof=1) * 1.2
    same = score.excess(score.in_bias, after, np.repeat(after[..., None], 5, axis=-1))
    assert same.estimate == pytest.approx(0, abs=1e-12)


def test_the_error_of_an_excess_counts_the_controls_as_drawn():
    """Their mean varies by s / √n, and one more of them by s: s² (1 + 1/n)."""
    random = np.random.default_rng(4)
    after, controls = random.normal(size=(5, 4)), random.normal(size=(5, 4, 3))
    values = [score.in_bias(controls[..., n]).mean() for n in range(3)]
    whole = score.excess(score.in_bias, after, controls)
    assert whole.estimate == pytest.approx(score.in_bias(after).mean() - np.mean(values))

    def statistic(both):
        return score.in_bias(both[..., 0]) - np.mean([score.in_bias(both[..., n]) for n in (1, 2, 3)], axis=0)

    over_pairs = score.jackknife(statistic, np.concatenate([after[..., None], controls], axis=-1))
    assert whole.variance == pytest.approx(over_pairs.variance + np.var(values, ddof=1) * (1 + 1 / 3))
