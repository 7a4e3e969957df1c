import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from herbarium.metrics.gender_in_context import score
from herbarium.metrics.gender_in_context.names import KERNELS, LINEAR, RBF
from herbarium.statistics import in_context, randomisation

WORD = np.repeat(["a", "b", "c", "d", "e", "f"], 3)


def pairs(seed=0, gender=1.0, lean=0.0, n_words=6, n_pairs=3, dimensions=5):
    random = np.random.default_rng(seed)
    word = np.repeat(np.arange(n_words), n_pairs)
    along = np.eye(dimensions)[0]
    base = (
        random.normal(size=(n_words, dimensions)) + np.where(np.arange(n_words) % 2, -lean, lean)[:, None] / 2 * along
    )
    x, y = (
        base[word] + sign * gender / 2 * along + 0.1 * random.normal(size=(len(word), dimensions)) for sign in (1, -1)
    )
    return x, y, word


# --- the subspace of differences ---


def test_shares_of_principal_directions_by_hand():
    differences = np.array([[3.0, 0, 0], [-3.0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(score.explained(differences, 4), [18 / 19, 1 / 19, 0, 0])


@given(st.integers(0, 50))
def test_which_side_is_subtracted_changes_no_share(seed):
    random = np.random.default_rng(seed)
    differences = random.normal(size=(9, 4))
    flipped = differences * random.choice([-1, 1], size=(9, 1))
    np.testing.assert_allclose(score.explained(differences, 4), score.explained(flipped, 4))


def test_nothing_that_differs_has_no_share():
    assert np.isnan(score.explained(np.zeros((3, 2)), 2)).all()


# --- whether differences have a direction in common ---


def test_the_share_in_common_by_hand():
    """Words with the differences (1, 0), (1, 0) and (0, 1): of six ordered pairs of words two have the product 1."""
    products = score.by_word(np.array([[1.0, 0], [1, 0], [0, 1]]), np.array(["a", "b", "c"]))
    assert in_context.common(products).estimate == pytest.approx(2 / (2 * 3))
    assert in_context.common(np.ones((4, 4))).estimate == pytest.approx(1)
    assert in_context.common(np.eye(4)).estimate == 0


def test_the_jackknife_leaves_out_one_word_after_the_other():
    x, y, word = pairs()
    mean = in_context.common(score.by_word(x - y, word))
    without = [in_context.common(score.by_word((x - y)[word != w], word[word != w])).estimate for w in range(6)]
    assert mean.variance == pytest.approx(5 / 6 * np.sum((without - np.mean(without)) ** 2))
    assert mean.df == 5


def test_all_flips_of_words_literally():
    x, y, word = pairs(gender=0.15)
    products = score.by_word(x - y, word)
    (p,), (adjusted,) = score.flip_p_values(products[None], np.random.default_rng(0))
    sums = [
        sum(s[i] * s[j] * products[i, j] for i in range(6) for j in range(6))
        for s in itertools.product((1, -1), repeat=6)
    ]
    assert p == adjusted == pytest.approx(np.mean(np.array(sums) >= sums[0] * (1 - 1e-9)))


def test_among_layers_the_largest_share_of_each_flip_counts():
    random = np.random.default_rng(3)
    products = [of_words @ of_words.T for of_words in random.normal(size=(2, 5, 4))]
    flips = [np.array(signs) for signs in itertools.product((1, -1), repeat=5)]
    shares = np.array([[signs @ product @ signs / product.trace() for signs in flips] for product in products])
    alone = (shares >= shares[:, :1] - 1e-9).mean(axis=1)
    among_all = (shares.max(axis=0) >= shares[:, :1] - 1e-9).mean(axis=1)
    found = score.flip_p_values(np.stack(products), random)
    np.testing.assert_allclose(found, [alone, among_all])
    assert (among_all > alone).any()


def test_layers_that_say_the_same_cost_nothing_and_empty_ones_neither():
    x, y, word = pairs(gender=0.1)
    products = score.by_word(x - y, word)
    p, adjusted = score.flip_p_values(np.stack([products, 4 * products, 0 * products]), np.random.default_rng(0))
    assert p[0] == p[1] == adjusted[0] == adjusted[1]
    assert np.isnan([p[2], adjusted[2]]).all()


def test_drawn_flips_are_near_all_flips(monkeypatch):
    x, y, word = pairs(gender=0.12)
    products = score.by_word(x - y, word)[None]
    (exact,), _ = score.flip_p_values(products, np.random.default_rng(0))
    monkeypatch.setattr(randomisation, "EXACT", 1)
    (drawn,), _ = score.flip_p_values(products, np.random.default_rng(0))
    assert drawn == pytest.approx(exact, abs=0.02)
    assert drawn >= 1 / (1 + randomisation.DRAWS)


# --- how well the side is told ---


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_side_that_all_words_show_is_told_of_words_that_were_never_met(kernel):
    x, y, word = pairs(gender=4.0)
    products = score.kernel(np.concatenate([x, y]), kernel)
    told = score.told(products, np.repeat([0, 1], len(word)), word, [0.2, 0.5], 3, 0)
    assert told.is_right.mean() > 0.9
    assert told.by_nu.shape == (2,)


def test_kernels_are_those_of_scikit_learn():
    """Of vectors as they are: centring changes no classifier, and the scale of a linear kernel none with ν.

    The ν is one with which there is a margin: with a smaller one than the data allow, any classifier is a solution.
    """
    from sklearn.svm import NuSVC

    x, y, word = pairs(gender=1.5)
    both, labels = np.concatenate([x, y]), np.repeat([0, 1], len(word))
    for kernel in KERNELS:
        products = score.kernel(both, kernel)
        ours = NuSVC(nu=0.7, kernel="precomputed").fit(products, labels).predict(products)
        theirs = NuSVC(nu=0.7, kernel=kernel, gamma="scale").fit(both, labels).predict(both)
        np.testing.assert_array_equal(ours, theirs)


def test_unequal_classes_are_told_with_the_largest_nu_that_they_allow():
    """With a larger one a machine has no solution, and all that is told is the more frequent class: .6 of these."""
    labels = np.array([1, 1, 0, 0, 0] * 12)
    x = 10.0 * labels[:, None] + np.random.default_rng(0).normal(size=(60, 1))
    assert score.told(score.kernel(x, LINEAR), labels, np.arange(30), [0.9], 4, seed=0).is_right.mean() > 0.9


def test_no_group_is_learned_from_and_told():
    """Vectors that say which word they are, and labels by word: with words held out, nothing helps."""
    word = np.repeat(np.arange(8), 5)
    x = np.eye(8)[word]
    labels = np.tile(np.arange(8) % 2, (5, 1)).T.ravel()
    both, labels = np.concatenate([x, x]), np.tile(labels, 2)
    products = score.kernel(both, LINEAR)
    by_pair = score.told(products, labels, np.arange(40), [0.5], 4, 0)
    by_word = score.told(products, labels, word, [0.5], 4, 0)
    assert by_pair.is_right.all()
    assert by_word.is_right.mean() <= 0.5


def test_vectors_that_are_equal_on_both_sides_are_told_by_chance():
    x, _, word = pairs()
    products = score.kernel(np.concatenate([x, x]), RBF)
    told = score.told(products, np.repeat([0, 1], len(word)), word, [0.1, 1.0], 3, 0)
    assert told.is_right.mean() == pytest.approx(0.5)


# --- whether words lie where stereotypes have them ---


def test_all_exchanges_of_stereotypes_literally():
    position = np.array([1.0, 2, 4, 0, 1.5, 0.5, 0.2])
    is_first = np.array([1, 1, 1, 0, 0, 0, 0], dtype=bool)
    (p,), (adjusted,) = score.p_values(position[None], is_first, np.random.default_rng(0))

    def t(chosen):
        return abs(stats.ttest_ind(position[chosen], position[~chosen], equal_var=False).statistic)

    observed = t(is_first)
    other = [t(np.isin(np.arange(7), chosen)) for chosen in itertools.combinations(range(7), 3)]
    assert len(other) == math.comb(7, 3)
    assert p == adjusted == pytest.approx(np.mean(np.array(other) >= observed * (1 - 1e-9)))


def test_an_offset_or_a_scale_of_positions_changes_no_p_value():
    random = np.random.default_rng(3)
    position, is_first = random.normal(size=(2, 30)), np.arange(30) < 15
    one = score.p_values(position, is_first, np.random.default_rng(0))
    other = score.p_values(1e3 + 7 * position, is_first, np.random.default_rng(0))
    np.testing.assert_allclose(one, other)


@pytest.mark.parametrize(("n", "k"), [(6, 3), (7, 3), (8, 4)])
def test_the_least_p_value_is_that_of_kinds_that_are_furthest_apart(n, k):
    position = np.where(np.arange(n) < k, 10.0, 0.0) + np.random.default_rng(0).normal(size=n)
    (p,), _ = score.p_values(position[None], np.arange(n) < k, np.random.default_rng(0))
    assert p == pytest.approx(score.least_stereotype_p_value(n, k))
