"""Places of words and their unit from products of different words: literal transcriptions, and what changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from herbarium.metrics.gender_in_context import crossed

WORDS, DIMENSIONS = 9, 6
FIRST = np.arange(WORDS) % 2 == 0
KINDS = crossed.Kinds(FIRST, ~FIRST)


def vectors(seed=0, n_words=WORDS, dimensions=DIMENSIONS, gender=1.0, lean=1.0, noise=0.5):
    """Middles and differences of words, (n_words, dimensions) each; every second word leans to the first side."""
    random = np.random.default_rng(seed)
    along = np.eye(dimensions)[0]
    sign = np.where(np.arange(n_words) % 2 == 0, 1, -1)[:, None]
    middle = sign * lean / 2 * along + noise * random.normal(size=(n_words, dimensions))
    return middle, gender * along + noise * random.normal(size=(n_words, dimensions))


def products(middle, difference):
    return crossed.products(middle + difference / 2, middle - difference / 2, np.arange(len(middle)))


def variance(values):
    return values.var(ddof=1) / len(values)


def test_positions_by_hand():
    """Gender moves all words by 2 along the first axis; their middles are at 1, 1, -1 and -1."""
    x = np.array([[2.0, 7], [2, 5], [0, 0], [0, 3]])
    dot_products = crossed.in_units(crossed.products(x, x - [2, 0], np.array(["a", "b", "c", "d"])))
    np.testing.assert_allclose(crossed.positions(dot_products.along), [0.5, 0.5, -0.5, -0.5])


def test_positions_and_the_squared_length_literally():
    middle, difference = vectors()
    dot_products = products(middle, difference)
    for w, position in enumerate(crossed.positions(dot_products.along)):
        of_others = [
            (middle[w] - middle[v]) @ np.mean([difference[u] for u in range(WORDS) if u not in (v, w)], axis=0)
            for v in range(WORDS)
            if v != w
        ]
        assert position == pytest.approx(sum(of_others) / WORDS)
    pairs = [difference[v] @ difference[w] for v in range(WORDS) for w in range(WORDS) if v != w]
    assert crossed.squared_length(dot_products.alike).estimate == pytest.approx(np.mean(pairs))


def test_no_product_of_a_word_with_itself_is_used():
    middle, difference = vectors()
    dot_products = products(middle, difference)
    with_own = [values + 100 * np.eye(WORDS) for values in dot_products]
    # the mean over words of the middles is subtracted first, in which each word is itself
    along = with_own[0] - with_own[0].mean(axis=0) + dot_products.along.mean(axis=0)
    np.testing.assert_allclose(crossed.positions(along), crossed.positions(dot_products.along), atol=1e-9)
    assert crossed.squared_length(with_own[1]) == pytest.approx(crossed.squared_length(dot_products.alike))


@given(st.integers(0, 50), st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_where_all_words_lie_and_the_scale_of_vectors_change_nothing(seed, offset, scale):
    middle, difference = vectors(seed, noise=0.2)
    one = crossed.difference(crossed.in_units(products(middle, difference)), KINDS)
    other = crossed.difference(crossed.in_units(products(scale * middle + offset, scale * difference)), KINDS)
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)


def test_the_order_and_the_names_of_sides_matter_as_they_should():
    dot_products = crossed.in_units(products(*vectors()))
    mean = crossed.difference(dot_products, KINDS)
    assert crossed.difference(dot_products, crossed.Kinds(~FIRST, FIRST)).estimate == pytest.approx(-mean.estimate)
    order = np.random.default_rng(1).permutation(WORDS)
    moved = crossed.Products(*(values[np.ix_(order, order)] for values in dot_products))
    assert crossed.difference(moved, crossed.Kinds(FIRST[order], ~FIRST[order])) == pytest.approx(mean)


def test_how_often_a_word_occurs_changes_nothing():
    random = np.random.default_rng(0)
    word = np.repeat(np.arange(5), 3)
    x, y = random.normal(size=(2, 15, 4))
    again = np.concatenate([np.arange(15), np.arange(3)])
    one, other = crossed.products(x, y, word), crossed.products(x[again], y[again], word[again])
    np.testing.assert_allclose(one.alike, other.alike)
    np.testing.assert_allclose(crossed.positions(one.along), crossed.positions(other.along))


def test_the_unit_and_the_difference_are_unbiased_in_many_dimensions():
    """8 words, 400 dimensions: the squared length of the mean difference is 1 + 400 · 0.25 / 8 on average, not 1."""
    lengths, differences = [], []
    for seed in range(400):
        dot_products = products(*vectors(seed, 8, 400))
        lengths.append(crossed.squared_length(dot_products.alike).estimate)
        position = crossed.positions(dot_products.along)
        differences.append(position[::2].mean() - position[1::2].mean())
    for values in (np.array(lengths), np.array(differences)):
        assert values.mean() == pytest.approx(1, abs=3 * np.sqrt(variance(values)))


@pytest.mark.parametrize("dimensions", [4, 300])
@pytest.mark.slow
def test_variances_are_those_of_repeated_studies(dimensions):
    """The variance of the squared length, and of the difference of places in a fixed unit."""
    values = []
    for seed in range(600):
        dot_products = products(*vectors(seed, 12, dimensions, lean=0.0))
        kinds = crossed.Kinds(np.arange(12) % 2 == 0, np.arange(12) % 2 == 1)
        length, gap = crossed.squared_length(dot_products.alike), crossed.difference(dot_products, kinds)
        values.append((length.estimate, length.variance, gap.estimate, gap.variance))
    values = np.array(values)
    assert values[:, 1].mean() == pytest.approx(values[:, 0].var(), rel=0.2)
    # the length's part is squared times the difference, which is near 0
    assert np.median(values[:, 3]) == pytest.approx(values[:, 2].var(), rel=0.4)


def test_sides_that_are_not_apart_have_no_unit():
    for gender in (0.0, -0.0):
        dot_products = crossed.in_units(products(*vectors(gender=gender)))
        assert np.isnan(crossed.positions(dot_products.along)).all()
        assert np.isnan(crossed.difference(dot_products, KINDS).estimate)
    nothing = crossed.in_units(products(vectors()[0], np.zeros((WORDS, DIMENSIONS))))
    assert np.isnan(nothing.along).all()


def test_a_change_is_the_difference_of_differences_and_none_from_a_source_to_itself():
    before, after = (crossed.in_units(products(*vectors(seed))) for seed in (0, 1))
    first, second = (crossed.difference(side, KINDS) for side in (before, after))
    change = crossed.change(before, after, KINDS)
    assert change.estimate == pytest.approx(second.estimate - first.estimate)
    assert change.df == first.df == 3
    assert crossed.change(before, before, KINDS)[:2] == (0, 0)
    # a source in which no word leans and all are moved alike has no error of its own
    alike = crossed.Products(np.zeros((WORDS, WORDS)), np.ones((WORDS, WORDS)))
    assert crossed.change(alike, after, KINDS).variance == pytest.approx(second.variance)


def test_where_a_word_without_a_stereotype_lies_matters_little():
    middle, difference = vectors()
    kinds = crossed.Kinds(FIRST & (np.arange(WORDS) < 8), ~FIRST)
    one = crossed.difference(crossed.in_units(products(middle, difference)), kinds)
    middle[8] += 5
    other = crossed.difference(crossed.in_units(products(middle, difference)), kinds)
    assert other.estimate == pytest.approx(one.estimate, abs=0.02)


def test_what_a_word_adds_to_the_variance_literally():
    """As a place, and as a part of the direction of the other words: twice in the squared length, by which the
    difference is multiplied; less what belongs to pairs of words, which is counted in both."""
    dot_products = crossed.in_units(products(*vectors(seed=3)))
    along, alike = dot_products.along, crossed.difference(dot_products, KINDS).estimate * dot_products.alike
    sides = [np.flatnonzero(FIRST), np.flatnonzero(~FIRST)]
    position = crossed.positions(along)
    as_direction = []
    for v in range(WORDS):
        places = [np.mean([along[w, v] for w in side if w != v]) for side in sides]
        as_direction.append(places[0] - places[1] - 2 * np.mean([alike[v, w] for w in range(WORDS) if w != v]))
    of_word = (np.array(as_direction) - np.mean(as_direction)) / np.sqrt(WORDS * (WORDS - 1))
    for sign, side in zip((1, -1), sides, strict=True):
        of_word[side] += sign * (position[side] - position[side].mean()) / np.sqrt(len(side) * (len(side) - 1))
    noise = 0.0
    for one, other in (sides, sides[::-1]):
        cells = along[np.ix_(one, other)]
        rest = [
            [cells[i, j] - cells[:, j].mean() - cells[i].mean() + cells.mean() for j in range(len(other))]
            for i in range(len(one))
        ]
        noise += np.sum(np.square(rest)) / (len(one) - 1) / (len(other) - 1) / (len(one) * (WORDS - 1))
    off = alike - np.diag(alike.diagonal())
    means, whole = off.sum(axis=1) / (WORDS - 2), off.sum() / ((WORDS - 1) * (WORDS - 2))
    rest = [off[v, w] - means[v] - means[w] + whole for v in range(WORDS) for w in range(WORDS) if v != w]
    noise += 2 * np.sum(np.square(rest)) / (WORDS * (WORDS - 3)) / (WORDS * (WORDS - 1))
    by_word = (of_word**2).sum()
    assert 0 < noise < by_word / 2
    assert crossed.difference(dot_products, KINDS).variance == pytest.approx(by_word - noise)


def test_sides_are_apart_by_a_two_sided_test_of_their_distance():
    between = 0
    for seed in range(300):
        dot_products = products(*vectors(seed, n_words=6, gender=0.45))
        length = crossed.squared_length(dot_products.alike)
        t = length.estimate / length.std_error
        assert np.isfinite(crossed.in_units(dot_products).along).all() == (t > stats.t.ppf(0.975, 5))
        between += stats.t.ppf(0.95, 5) < t < stats.t.ppf(0.975, 5)
    assert between
