"""Randomisation tests: against every relabelling by hand, against SciPy's, and their error rates by simulation."""

from itertools import product

import numpy as np
import pytest
import scipy.stats
from tests.conftest import mostly_nightly
from tests.refusals import refused

from herbarium.statistics import randomisation
from herbarium.statistics.randomisation import DRAWS, exchange, least_p_value, sign_flip

LEVELS = np.array([0.01, 0.05, 0.1])
# Symmetric about 0: with tails as heavy as without a mean (Cauchy), with many ties, of unequal spreads.
SYMMETRIC = {
    "normal": lambda random, shape: random.normal(size=shape),
    "cauchy": lambda random, shape: random.standard_cauchy(size=shape),
    "t with 2 degrees of freedom": lambda random, shape: random.standard_t(2, size=shape),
    "steps": lambda random, shape: random.integers(-2, 3, size=shape).astype(float),
    "unequal spreads": lambda random, shape: random.normal(size=shape) * 10.0 ** np.arange(shape[1]),
}


def random(seed=0):
    return np.random.default_rng(seed)


def centred(values):
    return values - values.mean(axis=1, keepdims=True)


def by_hand(values):
    """Every choice of one number per unit."""
    sums = np.array([sum(choice) for choice in product(*values.tolist())])
    return [(np.abs(sums) >= abs(observed_sum) - 1e-9).mean() for observed_sum in values.sum(axis=0)]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_flips_are_all_flips_by_hand(n):
    for seed in range(5):
        differences = random(seed).normal(size=n)
        assert sign_flip(differences, random()) == by_hand(np.column_stack([differences, -differences]))[0]


def test_ties_count_on_either_side():
    differences = np.array([1.0, 1.0, -1.0, 0.0, 2.0])
    assert sign_flip(differences, random()) == by_hand(np.column_stack([differences, -differences]))[0]
    assert sign_flip(np.zeros(4), random()) == 1
    # tenths have no exact sum
    assert sign_flip(np.array([0.1, 0.2, -0.3]), random()) == 1


@pytest.mark.parametrize(("n", "n_labels"), [(1, 3), (4, 3), (3, 5), (6, 4)])
def test_candidates_are_all_relabellings_by_hand(n, n_labels):
    values = centred(random(n).exponential(size=(n, n_labels)))
    assert exchange(values, random()) == pytest.approx(by_hand(values))


def test_it_is_the_paired_permutation_test_of_scipy():
    a, b = random(1).normal(size=(2, 10))
    reference = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(a - b, random()) == pytest.approx(reference.pvalue)


def test_fifteen_units_are_enumerated_and_sixteen_drawn():
    differences = random(2).normal(size=16)
    assert sign_flip(differences[:15], random(0)) == sign_flip(differences[:15], random(1))
    assert sign_flip(differences, random(0)) != sign_flip(differences, random(1))
    assert sign_flip(differences, random(0)) == sign_flip(differences, random(0))


@pytest.mark.parametrize("n_labels", [2, 3])
def test_draws_agree_with_all_relabellings(n_labels, monkeypatch):
    for seed in range(20):
        values = centred(random(seed).normal(0.4, 1, size=(9, n_labels)) * np.arange(1, n_labels + 1))
        exact = exchange(values, random())
        monkeypatch.setattr(randomisation, "EXACT", 0)
        drawn = exchange(values, random(seed))
        monkeypatch.undo()
        assert (np.abs(drawn - exact) < 4.5 * np.sqrt(exact * (1 - exact) / DRAWS) + 1 / DRAWS).all()


def test_a_p_value_of_draws_is_never_zero():
    assert sign_flip(np.full(100, 3.0) + random().normal(0, 0.01, 100), random()) == 1 / (DRAWS + 1)
    assert least_p_value(100) == 1 / (DRAWS + 1)


def test_the_draws_of_many_units_come_in_blocks(monkeypatch):
    differences = random(3).normal(0.1, 1, size=40)
    whole = sign_flip(differences, random())
    monkeypatch.setattr(randomisation, "_BLOCK", 40 * 1000)
    assert sign_flip(differences, random()) == pytest.approx(whole, abs=0.03)
    assert sum(randomisation._blocks(40)) == DRAWS


@pytest.mark.parametrize("n", range(1, 8))
def test_the_least_p_value_is_that_of_differences_of_one_sign(n):
    assert sign_flip(1.0 + np.arange(n), random()) == least_p_value(n) == 2 / 2**n


def test_without_a_unit_there_is_no_test():
    with refused(None, "unit", kind=ValueError):
        sign_flip(np.array([]), random())


def rates(p_values):
    """How often each of LEVELS is reached, and the most that chance would have of a test that keeps its level."""
    p_values = np.asarray(p_values)
    rate = (p_values <= LEVELS[:, None] + 1e-12).mean(axis=1)
    return rate, LEVELS + 3.5 * np.sqrt(LEVELS * (1 - LEVELS) / len(p_values))


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("n", [4, 7, 11])
@pytest.mark.slow
def test_type_one_errors_of_all_flips_are_at_most_the_level(name, n):
    samples = SYMMETRIC[name](random(n), (2000, n))
    rate, most = rates([sign_flip(sample, random()) for sample in samples])
    assert (rate <= most).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_nightly(SYMMETRIC, "steps"))
def test_type_one_errors_of_draws_are_at_most_the_level(name):
    samples = SYMMETRIC[name](random(5), (1000, 18))
    stream = random(6)
    rate, most = rates([sign_flip(sample, stream) for sample in samples])
    assert (rate <= most).all()


@pytest.mark.parametrize("n", [3, 6])
def test_type_one_errors_of_candidates_are_at_most_the_level_whatever_their_distribution(n):
    # neither symmetric nor of equal spread, but the same for each candidate of a unit
    of_unit = random(7).exponential(size=(2000, n, 3)) ** 3 * 10.0 ** np.arange(n)[:, None]
    p_values = np.array([exchange(centred(values), random()) for values in of_unit])
    for of_label in p_values.T:
        rate, most = rates(of_label)
        assert (rate <= most).all()


def test_what_is_there_is_found():
    differences = random(8).normal(1, 1, size=(200, 15))
    assert np.mean([sign_flip(difference, random()) <= 0.05 for difference in differences]) > 0.9


def test_signs_are_all_flips_but_for_their_opposites():
    result = randomisation.signs(4, random()).tolist()
    assert result[0] == [1, 1, 1, 1]
    assert len(result) == len(set(map(tuple, result))) == 8
    opposites = [[-sign for sign in signs] for signs in result]
    assert sorted(result + opposites) == sorted(map(list, product((-1, 1), repeat=4)))


def test_signs_of_many_units_are_drawn_behind_none_flipped():
    result = randomisation.signs(40, random())
    assert result.shape == (1 + DRAWS, 40)
    assert (result[0] == 1).all()
    assert set(np.unique(result)) == {-1, 1}
    assert np.abs(result[1:].mean(axis=0)).max() < 5 / np.sqrt(DRAWS)
