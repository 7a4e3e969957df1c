import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from herbarium.metrics.regions_in_context import score
from herbarium.statistics import in_context
from herbarium.statistics.inference import Mean


def study(seed=0, n_words=6, n_regions=5, dimensions=4, naming=1.0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n_words, 1, dimensions)) + naming * random.normal(size=(1, n_regions, dimensions))
    return x + 0.3 * random.normal(size=(n_words, n_regions, dimensions)), random.normal(size=(n_words, n_regions))


ALL = np.zeros(6, int), np.zeros(5, int)  # words of one topic, regions of one continent
TOPICS, CONTINENTS = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 1])


def without_means(table):
    return table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()


def test_leans_by_hand():
    """Two words at ±3 and two regions that move each word by ±2, all along one axis: a word stands 1.5 of the length
    of a direction towards the region of its side, and as far from the other."""
    x = np.array([[[3 + 2.0, 7], [3 - 2, 7]], [[-3 + 2, 7], [-3 - 2, 7]]])
    np.testing.assert_allclose(score.leans(x), [[1.5, -1.5], [-1.5, 1.5]])
    equal = np.repeat(np.random.default_rng(0).normal(size=(3, 1, 2)), 7, axis=1)  # whose mean differs by rounding
    assert np.isnan(score.leans(equal)).all()


@given(st.integers(0, 50))
def test_leans_depend_neither_on_the_origin_nor_on_axes_nor_on_a_unit(seed):
    x, _ = study(seed)
    random = np.random.default_rng(seed)
    turned = 3 * x @ np.linalg.qr(random.normal(size=(4, 4)))[0] + random.normal(size=4)
    np.testing.assert_allclose(score.leans(turned), score.leans(x), atol=1e-9)
    for axis in (0, 1):  # of all words and of all regions they balance
        np.testing.assert_allclose(score.leans(x).mean(axis=axis), 0, atol=1e-9)
    np.testing.assert_allclose(score.effects(x).sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(score.effects(x + 5), score.effects(x))


@given(st.integers(0, 50))
@pytest.mark.slow
def test_agreement_is_the_correlation_without_main_effects(seed):
    x, stereotypes = study(seed)
    leans = score.leans(x)
    by_numpy = np.corrcoef(leans.ravel(), without_means(stereotypes).ravel())[0, 1]
    shifted = stereotypes + np.arange(6)[:, None] - np.arange(5)
    assert score.agreement(leans, shifted, *ALL).estimate == pytest.approx(by_numpy)
    assert score.agreement(leans, -2 * shifted, *ALL).estimate == pytest.approx(-by_numpy)
    assert score.agreement(leans, leans, *ALL).estimate == pytest.approx(1)
    same = np.repeat(np.arange(6.0)[:, None], 5, axis=1)  # of all regions
    assert np.isnan(score.agreement(leans, same, *ALL).estimate)
    assert np.isnan(score.agreement_p_values(leans[None], same, *ALL, np.random.default_rng(0))).all()


def test_the_interval_of_an_agreement_by_hand():
    """arctanh .6 = .6931, and an error of .128 / (1 - .36) = .2."""
    low, high = score.agreement_interval(Mean(0.6, 0.128**2, np.inf), 0.95)
    assert (low, high) == pytest.approx((np.tanh(0.6931 - 1.96 * 0.2), np.tanh(0.6931 + 1.96 * 0.2)), abs=1e-4)
    # never beyond what a correlation can be
    assert score.agreement_interval(Mean(0.95, 0.3, 2), 0.95)[1] <= 1
    assert score.agreement_interval(Mean(1.0, 1e-32, 5), 0.95) == pytest.approx((1, 1))


def literally(leans, stereotypes):
    """p-values by every exchange of words, and by every exchange of regions."""
    observed, values = abs(np.sum(leans * without_means(stereotypes))), []
    for axis, n in enumerate(stereotypes.shape):
        dealt = [np.take(stereotypes, order, axis=axis) for order in itertools.permutations(range(n))]
        sizes = np.array([abs(np.sum(leans * without_means(one))) for one in dealt])
        values.append(np.mean(sizes >= observed * (1 - 1e-9)))
    return values


@pytest.mark.parametrize("seed", range(4))
def test_the_p_value_is_the_larger_of_all_exchanges_of_words_and_of_regions(seed):
    x, stereotypes = study(seed)
    leans = score.leans(x)
    (p,), (adjusted,) = score.agreement_p_values(leans[None], stereotypes, *ALL, np.random.default_rng(0))
    assert p == adjusted == pytest.approx(max(literally(leans, stereotypes)), abs=0.02)


def test_words_that_are_alike_do_not_make_a_small_p_value():
    """Two kinds of words that are alike within, and stereotypes the same within: exchanges of words alone would say
    that there are ten words to go by."""
    kinds = np.repeat([[1.0], [-1]], 5, axis=0)
    random = np.random.default_rng(3)
    leans, stereotypes = (kinds @ random.normal(size=(1, 5)) for _ in range(2))
    leans = without_means(leans)
    (p,), _ = score.agreement_p_values(leans[None], stereotypes, np.zeros(10, int), np.zeros(5, int), random)
    observed = abs(np.sum(leans * without_means(stereotypes))) * (1 - 1e-9)
    drawn = [abs(np.sum(leans * without_means(stereotypes[random.permutation(10)]))) for _ in range(2000)]
    assert np.mean(np.array(drawn) >= observed) < 0.03
    assert p > 0.1


def test_layers_that_say_the_same_cost_nothing_and_empty_ones_neither():
    x, stereotypes = study(1)
    leans = score.leans(x)
    layers = np.stack([leans, leans, np.full_like(leans, np.nan), np.zeros_like(leans)])
    p, adjusted = score.agreement_p_values(layers, stereotypes, *ALL, np.random.default_rng(0))
    assert p[0] == p[1] == adjusted[0] == adjusted[1]
    assert np.isnan(p[2:]).all()
    assert np.isnan(adjusted[2:]).all()


def test_another_layer_can_only_raise_an_adjusted_p_value():
    layers = np.stack([score.leans(study(seed)[0]) for seed in (1, 2, 3)])
    p, adjusted = score.agreement_p_values(layers, study(1)[1], *ALL, np.random.default_rng(0))
    assert (adjusted >= p).all()
    assert (adjusted > p).any()


def within_blocks(table, continents=CONTINENTS):
    """Row and column means subtracted in each block of a topic and a continent."""
    values = np.zeros(table.shape)
    for topic, continent in itertools.product(np.unique(TOPICS), np.unique(continents)):
        block = np.ix_(np.flatnonzero(topic == TOPICS), np.flatnonzero(continents == continent))
        values[block] = without_means(table[block])
    return values


@given(st.integers(0, 50))
def test_agreement_within_topics_and_continents_is_that_of_their_blocks(seed):
    x, stereotypes = study(seed)
    leans = score.leans(x)
    one, other = within_blocks(leans), within_blocks(stereotypes)
    by_numpy = np.corrcoef(one.ravel(), other.ravel())[0, 1]
    assert score.agreement(leans, stereotypes, TOPICS, CONTINENTS).estimate == pytest.approx(by_numpy)
    random = np.random.default_rng(seed)
    shifted = stereotypes + random.normal(size=(2, 5))[TOPICS] + random.normal(size=(6, 2))[:, CONTINENTS]
    assert score.agreement(leans, shifted, TOPICS, CONTINENTS).estimate == pytest.approx(by_numpy)
    alone = np.array([0, 0, 0, 0, 0, 1])  # a topic of one word says nothing
    without = score.agreement(leans[:5], stereotypes[:5], alone[:5], ALL[1])
    assert score.agreement(leans, stereotypes, alone, ALL[1]) == pytest.approx(without)


def test_the_p_value_within_topics_and_continents_literally():
    x, stereotypes = study(3, n_regions=6)
    leans, continents = score.leans(x), np.array([0, 0, 1, 1, 1, 1])
    inside, result = within_blocks(leans, continents), []
    observed = abs(np.sum(inside * within_blocks(stereotypes, continents)))
    for axis, groups in enumerate((TOPICS, continents)):
        orders = [list(order) for order in itertools.permutations(range(6)) if (groups[list(order)] == groups).all()]
        dealt = [within_blocks(np.take(stereotypes, order, axis=axis), continents) for order in orders]
        result.append(np.mean([abs(np.sum(inside * one)) >= observed - 1e-9 for one in dealt]))
    (p,), _ = score.agreement_p_values(leans[None], stereotypes, TOPICS, continents, np.random.default_rng(0))
    assert p == pytest.approx(max(result), abs=0.02)
    few = np.array([0, 0, 0, 1, 1, 1])[:5]  # twelve arrangements have no p-value
    values = score.agreement_p_values(leans[None, :, :5], stereotypes[:, :5], TOPICS, few, np.random.default_rng(0))
    assert np.isnan(values).all()


@pytest.mark.parametrize(("groups", "strata"), [("baba", "1010"), ("aabc", "0012"), ("abcd", "0000"), ("aaaa", "0000")])
def test_groups_of_one_each_are_one_stratum(groups, strata):
    assert score.strata_of(np.array(list(groups))).tolist() == [int(number) for number in strata]


def test_the_share_in_common_by_hand():
    """Regions that do the same to two words, and the opposite to a third: of six ordered pairs two agree, four do the
    opposite."""
    effects = np.array([[[1.0], [-1]], [[1], [-1]], [[-1], [1]]])
    assert in_context.common(score.products(effects)).estimate == pytest.approx((2 - 4) / (2 * 3))
    assert in_context.common(score.products(np.ones((4, 2, 3)))).estimate == pytest.approx(1)


def test_all_ways_to_deal_out_regions_literally():
    effects = score.effects(study(2, n_words=3, n_regions=3, naming=0.3)[0])

    def size(orders):
        return (sum(effect[list(order)] for effect, order in zip(effects, orders, strict=True)) ** 2).sum()

    observed = size([range(3)] * 3)
    every = [size(orders) for orders in itertools.product(itertools.permutations(range(3)), repeat=3)]
    (p,), (adjusted,) = score.common_p_values([effects], np.zeros(3, int), np.zeros(3, int), np.random.default_rng(0))
    assert p == adjusted == pytest.approx(np.mean(np.array(every) >= observed * (1 - 1e-6)), abs=0.05)


def test_all_ways_to_deal_out_regions_of_a_continent_to_words_of_a_topic_literally():
    """Two topics and two continents: 4 ways in which the regions of one topic can be exchanged relative to the other's
    in a continent of two and 24 in one of four."""
    topics, continents = np.array([0, 0, 1]), np.array([0, 1, 1, 1, 0, 1])
    effects = score.effects(study(5, n_words=3, n_regions=6, naming=0.2)[0])
    orders = [order for order in itertools.permutations(range(6)) if (continents[list(order)] == continents).all()]

    def size(order):
        return ((effects[:2].sum(axis=0) + effects[2][list(order)]) ** 2).sum()

    every = np.array([size(order) for order in orders])
    (p,), (adjusted,) = score.common_p_values([effects], topics, continents, np.random.default_rng(0))
    assert len(orders) == score.arrangements_in_common(topics, continents) == 48
    assert p == adjusted == pytest.approx(np.mean(every >= size(range(6)) - 1e-9), abs=0.05)
    few = continents[:4]
    assert np.isnan(score.common_p_values([effects[:, :4]], topics, few, np.random.default_rng(0))).all()


def test_what_regions_do_to_all_words_alike_is_found_beside_a_layer_without_context():
    nothing = np.zeros((6, 5, 4))
    p, adjusted = score.common_p_values([nothing, score.effects(study()[0])], *ALL, np.random.default_rng(0))
    assert np.isnan([p[0], adjusted[0]]).all()
    assert p[1] == adjusted[1] == 1 / (1 + score.DRAWS_OF_VECTORS)


def test_regions_that_are_far_apart_are_told_in_even_folds():
    assert sorted(np.bincount(score.folds_of(11, 4, np.random.default_rng(0)))) == [2, 3, 3, 3]
    assert sorted(score.folds_of(3, 5, np.random.default_rng(0))) == [0, 1, 2]
    x, _ = study(n_words=10, naming=20)
    region = np.tile(np.arange(5), 10)
    told = score.told(x.reshape(1, -1, 4), region, np.repeat(np.arange(10) % 3, 5))
    np.testing.assert_array_equal(told[0], region)


def test_a_label_that_is_in_one_fold_alone_is_never_told():
    fold = np.arange(12) % 3
    x = np.eye(3)[fold] + 0.01 * np.random.default_rng(0).normal(size=(12, 3))
    assert (score.told(x[None], fold, fold) != fold).all()


def test_of_several_templates_regions_are_told_from_the_others():
    """A second template that turns all directions around: what is learned in one is wrong in the other."""
    label, fold = np.arange(24) % 2, np.arange(24) // 2 % 3
    x = np.where(label, 1.0, -1.0)[:, None] + 0.01 * np.random.default_rng(0).normal(size=(24, 2))
    assert (score.told(np.stack([x, -x]), label, fold) != label).all()
    assert (score.told(np.stack([x, x]), label, fold) == label).all()


def test_among_layers_the_share_that_words_of_different_topics_have_in_common_is_compared():
    """Literally, over all ways to deal out four regions to the word of the second topic: what the words of the first
    share with each other differs between layers."""
    layers = [score.effects(study(seed, 3, 4, naming=naming)[0]) for seed, naming in ((2, 0.5), (9, 0.0))]

    def shares(order):
        return [2 * (words[:2].sum(axis=0) * words[2][list(order)]).sum() / (words**2).sum() for words in layers]

    every, observed = np.array([shares(order) for order in itertools.permutations(range(4))]), shares(range(4))
    topics, continents = np.array([0, 0, 1]), np.zeros(4, int)
    p, adjusted = score.common_p_values(layers, topics, continents, np.random.default_rng(0))
    for layer in (0, 1):
        assert p[layer] == pytest.approx(np.mean(every[:, layer] >= observed[layer] - 1e-9), abs=0.05)
        assert adjusted[layer] == pytest.approx(np.mean(every.max(axis=1) >= observed[layer] - 1e-9), abs=0.05)
