"""WEAT, RND and RNSB against slow literal transcriptions of their equations; permutations against all of them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import linear_model

from herbarium.metrics.word_associations import association_tests as tests


def cos(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True)) / math.hypot(*u) / math.hypot(*v)


def s(w, a_words, b_words):
    """s(w, A, B) of Caliskan et al. (2017)."""
    return sum(cos(w, a) for a in a_words) / len(a_words) - sum(cos(w, b) for b in b_words) / len(b_words)


def effect_size(x_words, y_words, a_words, b_words):
    of_x, of_y = ([s(w, a_words, b_words) for w in words] for words in (x_words, y_words))
    both = of_x + of_y
    mean = sum(both) / len(both)
    spread = math.sqrt(sum((value - mean) ** 2 for value in both) / len(both))
    return (sum(of_x) / len(of_x) - sum(of_y) / len(of_y)) / spread


def p_value(x_words, y_words, a_words, b_words):
    """Two-sided, over all partitions of the targets."""
    both = [s(w, a_words, b_words) for w in [*x_words, *y_words]]
    n, result = len(x_words), []
    for chosen in itertools.combinations(range(len(both)), n):
        of_x = [both[i] for i in chosen]
        of_y = [both[i] for i in range(len(both)) if i not in chosen]
        result.append(abs(sum(of_x) / len(of_x) - sum(of_y) / len(of_y)))
    observed = abs(sum(both[:n]) / n - sum(both[n:]) / len(y_words))
    return sum(value >= observed - 1e-12 for value in result) / len(result)


def rnd(x_words, y_words, attributes):
    x_mean, y_mean = (np.mean(words, axis=0) for words in (x_words, y_words))
    return sum(math.dist(a, x_mean) - math.dist(a, y_mean) for a in attributes) / len(attributes)


def split(words, *sizes):
    return np.split(words, np.cumsum(sizes)[:-1])


def places(*sizes):
    return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])


def table_of(words, n_targets):
    return tests.cosines(words[:, None], np.arange(n_targets), np.arange(n_targets, len(words)))


@settings(max_examples=15)
@given(st.integers(0, 1000), st.tuples(*[st.integers(2, 5)] * 4))
def test_equations_are_as_published(seed, sizes):
    words = np.random.default_rng(seed).normal(size=(sum(sizes), 6))
    x, y, a, b = split(words, *sizes)
    inside = [*places(*sizes[:2]), *places(*sizes[2:])]
    table = table_of(words, len(x) + len(y))
    assert tests.effect_size(table, *inside) == pytest.approx(effect_size(x, y, a, b))
    random = np.random.default_rng(0)
    assert tests.weat_p_value(table, *inside, random) == pytest.approx(p_value(x, y, a, b))
    sets = places(*sizes)
    assert tests.distances(words, *sets[:3]) == pytest.approx(rnd(x, y, a))


@settings(max_examples=10)
@given(st.integers(0, 1000), st.integers(2, 4), st.integers(2, 4))
def test_exact_p_values_of_distances_are_those_of_all_partitions(seed, n, m):
    words = np.random.default_rng(seed).normal(size=(n + m + 3, 5))
    targets, attributes = words[: n + m], words[n + m :]
    observed, result = abs(rnd(targets[:n], targets[n:], attributes)), []
    for chosen in itertools.combinations(range(n + m), n):
        rest = [i for i in range(n + m) if i not in chosen]
        result.append(abs(rnd(targets[list(chosen)], targets[rest], attributes)))
    expected = np.mean(np.array(result) >= observed - 1e-9)
    p = tests.rnd_p_value(words, *places(n, m, 3), np.random.default_rng(0))
    assert p == pytest.approx(expected)


def test_drawn_partitions_are_near_all_of_them():
    words = np.random.default_rng(3).normal(size=(30, 8))
    words[:8, 0] += 0.6
    assert not tests.is_exact(8, 8)  # 12,870
    assert tests.is_exact(7, 7)
    sets = [*places(8, 8), *places(7, 7)]
    table = table_of(words, 16)
    drawn = tests.weat_p_value(table, *sets, np.random.default_rng(0))
    all_of_them = np.array(list(itertools.combinations(range(16), 8)))
    values = tests.associations(table, *sets[2:]).mean(axis=1)
    differences = np.abs(2 * values[all_of_them].sum(axis=1) - values.sum())
    exact = (differences >= abs(values[:8].sum() - values[8:].sum()) - 1e-12).mean()
    assert drawn == pytest.approx(exact, abs=0.02)


def test_rnsb_is_the_divergence_of_a_classifier():
    words = np.random.default_rng(4).normal(size=(26, 10))
    targets, a, b = places(10, 8, 8)
    classifier = linear_model.LogisticRegression(max_iter=10_000, tol=1e-10).fit(words[10:], np.repeat([0, 1], 8))
    p = classifier.predict_proba(words[:10])[:, 1]
    f = [value / sum(p) for value in p]
    kl = sum(value * math.log(value / (1 / len(f))) for value in f)
    assert tests.divergence(words, targets, a, b) == pytest.approx(kl, rel=1e-4)
    assert tests.divergence(words, targets, a, b) > 0
    # only products count: in a space of more dimensions the same
    wide = np.column_stack([words, np.zeros((26, 40))])
    assert tests.divergence(wide, targets, a, b) == pytest.approx(kl, rel=1e-4)
    drawn = tests.rnsb_at_random(words, targets, a, b, np.random.default_rng(0))
    assert len(drawn) == tests.DRAWS_RNSB
    assert (drawn > 0).all()  # whatever attributes are dealt out


def test_signs_and_bounds():
    """X is like A, Y is like B: the largest effect; changed about, its negative."""
    g = np.eye(6)[0]
    noise = 0.01 * np.random.default_rng(5).normal(size=(16, 6))
    words = noise + np.repeat([1, -1, 1, -1], 4)[:, None] * g
    table, sets = table_of(words, 8), [*places(4, 4), *places(4, 4)]
    assert tests.effect_size(table, *sets) == pytest.approx(2, abs=1e-2)
    assert tests.effect_size(table, sets[1], sets[0], *sets[2:]) == pytest.approx(-2, abs=1e-2)
    assert tests.effect_of(tests.weat(table, *sets).estimate, *sets[:2]) == pytest.approx(
        tests.effect_size(table, *sets), abs=0.05
    )
    assert tests.distances(words, *places(4, 4, 4, 4)[:3]) < -1
    equal = np.tile(g, (16, 1))
    assert np.isnan(tests.effect_size(table_of(equal, 8), *sets))


def test_sentences_of_a_word_go_with_it():
    """Of equal sentences the effect is that of one, and the p-value, too: the unit is the word."""
    words = np.random.default_rng(6).normal(size=(14, 6))
    sets = [*places(4, 4), *places(3, 3)]
    once = table_of(words, 8)
    thrice = tests.cosines(np.repeat(words[:, None], 3, axis=1), np.arange(8), np.arange(8, 14))
    assert thrice.shape == (8, 3, 6)
    assert tests.effect_size(once, *sets) == pytest.approx(tests.effect_size(thrice, *sets))
    p = [tests.weat_p_value(side, *sets, np.random.default_rng(0)) for side in (once, thrice)]
    assert p[0] == pytest.approx(p[1])
    assert tests.weat(once, *sets).variance == pytest.approx(tests.weat(thrice, *sets).variance)


def test_an_effect_size_and_its_scale_for_sets_of_unequal_sizes():
    """At most, d is the number that the point-biserial correlation 1 has: n / √(n_x n_y)."""
    x, y = np.arange(2), np.arange(2, 8)
    table = np.concatenate([np.ones((2, 1, 1)), np.zeros((6, 1, 1))]) * np.array([1.0, 0.0])
    d = tests.effect_size(table, x, y, np.array([0]), np.array([1]))
    assert d == pytest.approx(8 / np.sqrt(2 * 6))
    assert tests.effect_of(np.arctanh(0.5), x, y) == pytest.approx(0.5 * d)
    random = np.random.default_rng(2)
    table = random.normal(size=(8, 1, 6))
    a, b = np.arange(3), np.arange(3, 6)
    z = tests.weat(table, x, y, a, b).estimate
    assert tests.effect_of(z, x, y) == pytest.approx(tests.effect_size(table, x, y, a, b))
