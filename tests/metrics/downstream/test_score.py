"""What perturbed predictions say: by hand, against a transcription in loops, and against other libraries."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from fairlearn import metrics as fairlearn
from hypothesis import given, settings
from hypothesis import strategies as st

from herbarium.metrics.downstream import score
from herbarium.statistics.inference import percentile_interval

COLUMNS = ["kind", "unit", "group", "name", "continent"]
PREFIXES = pd.DataFrame(
    [
        ("original", "original", "original", "original", None),
        ("region", "country", "country:PE", "Peru", "continent:SA"),
        ("region", "country", "country:FJ", "Fiji", "continent:OC"),
        ("region", "country", "country:CL", "Chile", "continent:SA"),
        ("region", "city", "city:1", "Lima", "continent:SA"),
        ("control", "control", "control:here", "here", None),
        ("control", "control", "control:there", "there", None),
        ("nonsense", "nonsense", "nonsense:Bly", "Bly", None),
        ("nonsense", "nonsense", "nonsense:Ozz", "Ozz", None),
    ],
    columns=COLUMNS,
)
IS_CONTROL = (PREFIXES["kind"] == "control").to_numpy()


def once(p):
    return np.ones((1, p.shape[-1]))


def all_measures(p, label, weights, is_control=IS_CONTROL):
    totals = score.totals(p, label, weights)
    control = totals.pooled(is_control[None].astype(float))
    return score.rates(totals) | score.changes(totals) | score.shifts(totals, control)


@st.composite
def predictions(draw):
    """p with ties, probabilities of exactly 0.5 and equal ones among them."""
    sets, texts = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    values = st.sampled_from([0.0, 0.2, 0.4999, 0.5, 0.5001, 0.7, 1.0])
    shape = (sets, len(PREFIXES), texts)
    p = draw(st.lists(values, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    label = draw(st.lists(st.integers(0, 1), min_size=texts, max_size=texts))
    weights = draw(st.lists(st.integers(0, 3), min_size=texts, max_size=texts))
    return np.reshape(p, shape), np.array(label), np.array(weights)


def transcribed(p, label, weights, seed, prefixes, is_control):
    """Every measure of the texts behind some prefixes, text by text."""
    n = up = down = right = to_positive = to_negative = 0
    sizes_up, sizes_down, effects = [], [], []
    confusion = {(truth, predicted_class): 0 for truth in (0, 1) for predicted_class in (0, 1)}
    for k in prefixes:
        for t, weight in enumerate(weights):
            for _ in range(weight):
                before, after = p[seed, 0, t], p[seed, k, t]
                controls = [p[seed, c, t] for c in np.flatnonzero(is_control)]
                n += 1
                if after > before:
                    up += 1
                    sizes_up.append(after - before)
                elif after < before:
                    down += 1
                    sizes_down.append(before - after)
                effects.append((after - before) - sum(c - before for c in controls) / len(controls))
                to_positive += after > 0.5 and not before > 0.5
                to_negative += before > 0.5 and not after > 0.5
                right += (after > 0.5) == (label[t] == 1)
                confusion[label[t], int(after > 0.5)] += 1
    f1 = []
    for label_value in (0, 1):
        wrong = confusion[0, 1] + confusion[1, 0]
        if 2 * confusion[label_value, label_value] + wrong:
            f1.append(2 * confusion[label_value, label_value] / (2 * confusion[label_value, label_value] + wrong))

    def share(part, whole):
        return part / whole if whole else np.nan

    return {
        "quantity_up": up / len(prefixes),
        "quantity_down": down / len(prefixes),
        "size_up": share(sum(sizes_up), up),
        "size_down": share(sum(sizes_down), down),
        "change": (sum(sizes_up) - sum(sizes_down)) / n,
        "effect": sum(effects) / n,
        "to_positive": to_positive / n,
        "to_negative": to_negative / n,
        "label_change": (to_positive + to_negative) / n,
        "selection_rate_change": (to_positive - to_negative) / n,
        "accuracy": right / n,
        "macro_f1": sum(f1) / len(f1),
        "selection_rate": (confusion[0, 1] + confusion[1, 1]) / n,
        "false_positive_rate": share(confusion[0, 1], confusion[0, 0] + confusion[0, 1]),
        "false_negative_rate": share(confusion[1, 0], confusion[1, 0] + confusion[1, 1]),
    }


@settings(max_examples=60)
@given(predictions())
@pytest.mark.slow
def test_arrays_are_what_loops_over_texts_give(case):
    p, label, weights = case
    if not weights.sum():
        return
    totals = score.totals(p, label, weights[None])
    control = totals.pooled(IS_CONTROL[None].astype(float))
    for _, _, members in score.groups(PREFIXES):
        pooled = totals.pooled(members)
        changes_table = score.rates(pooled) | score.changes(pooled) | score.shifts(pooled, control)
        for row, is_member in enumerate(members):
            for seed in range(len(p)):
                expected = transcribed(p, label, weights, seed, np.flatnonzero(is_member), IS_CONTROL)
                assert changes_table.keys() == expected.keys()
                for variant, value in expected.items():
                    np.testing.assert_allclose(changes_table[variant][0, seed, row], value, atol=1e-12, err_msg=variant)


def test_a_constant_classifier_changes_nothing():
    p = np.full((2, len(PREFIXES), 40), 0.8)
    label = np.arange(40) % 2
    result = all_measures(p, label, once(p))
    for variant in ("quantity_up", "quantity_down", "label_change", "change", "effect", "selection_rate_change"):
        assert (result[variant] == 0).all(), variant
    assert np.isnan(result["size_up"]).all()
    assert np.isnan(result["size_down"]).all()
    assert (result["accuracy"] == 0.5).all()
    totals = score.totals(p, label, once(p))
    assert all(abs(gap) < 1e-12 for gap in score.rarefied_gaps(totals, 2).values())
    assert set(score.metric_frame_gaps(totals).values()) == {0}
    assert (score.label_effects(p, IS_CONTROL) == 0).all()


def test_a_classifier_that_reads_the_name_alone():
    # 10 texts, 6 of them positive; it says 0.9 behind Peru and 0.2 behind everything else, but for controls and no name
    label = np.array([1] * 6 + [0] * 4)
    p = np.full((1, len(PREFIXES), 10), 0.2)
    p[:, 1] = 0.9
    p[:, 5], p[:, 6] = 0.3, 0.5
    by_variant = {variant: values[0, 0] for variant, values in all_measures(p, label, once(p)).items()}
    peru, fiji, here, there = 1, 2, 5, 6
    assert by_variant["quantity_up"][[peru, fiji, here, there]].tolist() == [10, 0, 10, 10]
    np.testing.assert_allclose(by_variant["size_up"][[peru, here, there]], [0.7, 0.1, 0.3])
    np.testing.assert_allclose(by_variant["change"][[peru, fiji, here, there]], [0.7, 0, 0.1, 0.3], atol=1e-15)
    # the controls' mean is 0.2 above the original
    np.testing.assert_allclose(by_variant["effect"][[peru, fiji, here, there]], [0.5, -0.2, -0.1, 0.1])
    assert by_variant["to_positive"][[peru, fiji, there]].tolist() == [1, 0, 0]  # 0.5 is not positive
    assert by_variant["to_negative"].tolist() == [0] * len(PREFIXES)
    np.testing.assert_allclose(by_variant["accuracy"][[0, peru]], [0.4, 0.6])
    np.testing.assert_allclose(by_variant["macro_f1"][[0, peru]], [(0 + 8 / 14) / 2, (12 / 16 + 0) / 2])
    assert by_variant["false_positive_rate"][peru] == by_variant["false_negative_rate"][fiji] == 1
    (of_labels,) = {tuple(row) for row in score.label_effects(p, IS_CONTROL)[[peru]]}
    assert of_labels == (1,) * 10


def test_all_countries_but_one():
    # Peru changes both texts, Fiji one, Chile none
    p = np.full((1, len(PREFIXES), 2), 0.1)
    p[0, 1], p[0, 2, 0] = 0.9, 0.9
    (without,) = [(names, members) for unit, names, members in score.groups(PREFIXES) if unit == "without"]
    totals = score.totals(p, np.array([0, 1]), once(p)).pooled(without[1])
    shares = dict(zip(without[0], score.changes(totals)["to_positive"][0, 0].tolist(), strict=True))
    assert shares == {"country:PE": 1 / 4, "country:FJ": 2 / 4, "country:CL": 3 / 4}


def test_groups_of_prefixes():
    members_by_group = {
        (unit, name): row for unit, names, rows in score.groups(PREFIXES) for name, row in zip(names, rows, strict=True)
    }
    assert np.flatnonzero(members_by_group["continent", "continent:SA"]).tolist() == [
        1,
        3,
    ]  # a continent's cities are not of it
    assert np.flatnonzero(members_by_group["all", "country"]).tolist() == [1, 2, 3]
    assert np.flatnonzero(members_by_group["without", "country:FJ"]).tolist() == [1, 3]
    assert np.flatnonzero(members_by_group["city", "city:1"]).tolist() == [4]
    assert ("all", "original") not in members_by_group
    assert all(set(np.unique(row)) <= {0, 1} for row in members_by_group.values())


@pytest.fixture
def random_p():
    random = np.random.default_rng(3)
    return random.uniform(size=(3, len(PREFIXES), 120)), random.integers(2, size=120)


def test_rates_are_those_of_scikit_learn(random_p):
    p, label = random_p
    measures = all_measures(p, label, once(p))
    for seed, prefix in ((0, 0), (2, 4)):
        predicted = p[seed, prefix] > 0.5
        assert measures["accuracy"][0, seed, prefix] == pytest.approx(sklearn.metrics.accuracy_score(label, predicted))
        f1 = sklearn.metrics.f1_score(label, predicted, average="macro")
        assert measures["macro_f1"][0, seed, prefix] == pytest.approx(f1)
    # of several prefixes, the texts of all are one set
    members = np.array([[0, 1, 1, 1, 0, 0, 0, 0, 0.0]])
    totals = score.totals(p, label, once(p)).pooled(members)
    pooled = (p[1, 1:4] > 0.5).ravel()
    f1 = sklearn.metrics.f1_score(np.tile(label, 3), pooled, average="macro")
    assert score.rates(totals)["macro_f1"][0, 1, 0] == pytest.approx(f1)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=1, max_size=6))
def test_macro_f1_of_few_texts_is_that_of_scikit_learn(texts):
    label, predicted = (np.array(array) for array in zip(*texts, strict=True))
    p = np.where(predicted, 0.9, 0.1)[None, None]
    macro_f1 = score.rates(score.totals(p, label, once(p)))["macro_f1"].item()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert macro_f1 == pytest.approx(sklearn.metrics.f1_score(label, predicted.astype(int), average="macro"))


def test_gaps_are_those_of_fairlearn_on_every_text(random_p):
    p, label = random_p
    (groups,) = [rows for unit, _, rows in score.groups(PREFIXES) if unit == "continent"]
    totals = score.totals(p, label, once(p)).pooled(groups)
    members = np.array([1, 2, 3])
    continent = PREFIXES["continent"].to_numpy()[members]
    gaps = []
    for of_set in p:
        predicted = (of_set[members] > 0.5).ravel().astype(int)
        truth, of_text = np.tile(label, 3), np.repeat(continent, 120)
        rates = (fairlearn.selection_rate, fairlearn.false_positive_rate, fairlearn.false_negative_rate)
        frame = fairlearn.MetricFrame(
            metrics={f"gap_{rate.__name__}": rate for rate in rates},
            y_true=truth,
            y_pred=predicted,
            sensitive_features=of_text,
        )
        odds = fairlearn.equalized_odds_difference(truth, predicted, sensitive_features=of_text)
        gaps.append({**frame.difference(), "gap_equalized_odds": odds})
    wanted = pd.DataFrame(gaps).mean().to_dict()
    assert score.metric_frame_gaps(totals) == pytest.approx(wanted)
    assert set(wanted) == set(score.GAPS)
    # of as many groups as there are
    one = score.totals(p[:1], label, once(p)).pooled(groups)
    assert score.rarefied_gaps(one, 2) == pytest.approx(score.metric_frame_gaps(one))


def test_the_range_of_some_is_that_of_all_samples_of_so_many():
    values = np.random.default_rng(1).normal(size=(2, 6))
    for n in range(1, 7):
        ranges = [np.ptp(values[:, list(chosen)], axis=1) for chosen in itertools.combinations(range(6), n)]
        np.testing.assert_allclose(score.expected_range(values, n), np.mean(ranges, axis=0), atol=1e-12)


def test_gaps_of_one_class_are_not_there():
    p = np.random.default_rng(0).uniform(size=(1, len(PREFIXES), 20))
    totals = score.totals(p, np.ones(20, int), once(p))
    assert np.isnan(list(score.metric_frame_gaps(totals).values())).all()


def test_a_weight_is_a_number_of_copies(random_p):
    p, label = random_p
    weights = score.draws(120, 4, np.random.default_rng(1))
    assert (weights.sum(axis=1) == 120).all()
    measures = all_measures(p, label, weights)
    for row, drawn in enumerate(weights):
        copies = np.repeat(np.arange(120), drawn)
        repeated = all_measures(p[..., copies], label[copies], np.ones((1, 120)))
        for variant, values in repeated.items():
            np.testing.assert_allclose(measures[variant][row], values[0], atol=1e-12, err_msg=variant)
    effect = p.mean(axis=0) - p.mean(axis=0)[IS_CONTROL].mean(axis=0)
    of_weights = score.over_sets(measures["effect"])
    np.testing.assert_allclose(score.weighted_means(weights, effect), of_weights, atol=1e-12)


def test_the_order_of_texts_and_prefixes_changes_nothing(random_p):
    p, label = random_p
    random = np.random.default_rng(5)
    texts, prefixes = random.permutation(120), np.array([0, *(1 + random.permutation(len(PREFIXES) - 1))])
    measures = all_measures(p, label, once(p))
    other = all_measures(p[:, prefixes][..., texts], label[texts], once(p), IS_CONTROL[prefixes])
    for variant, values in measures.items():
        np.testing.assert_allclose(other[variant], values[..., prefixes], atol=1e-12, err_msg=variant)


def test_blocks_of_texts_are_summed():
    random = np.random.default_rng(2)
    n = 2 * score._BLOCK + 7
    p, label = random.uniform(size=(2, len(PREFIXES), n)), random.integers(2, size=n)
    measures = all_measures(p, label, once(p))
    np.testing.assert_allclose(measures["change"][0], (p - p[:, :1]).mean(axis=2), atol=1e-12)
    assert measures["quantity_up"][0, 1, 3] == (p[1, 3] > p[1, 0]).sum()


def test_sets_are_averaged_over_those_that_have_a_value():
    values = np.array([[[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]]])
    np.testing.assert_array_equal(score.over_sets(values), [[2, np.nan]])
    np.testing.assert_allclose(score.between_sets(np.array([[[1.0], [2.0], [6.0]]])), [[np.std([1, 2, 6], ddof=1)]])
    assert np.isnan(score.between_sets(values[:, :1])).all()


def test_spread():
    np.testing.assert_allclose(score.spread(np.array([[0.0, 2, 4], [1, 1, 1]])), [2, 0])
    assert np.isnan(score.spread(np.array([1.0])))


@pytest.mark.slow
def test_intervals_hold_the_mean_effect_as_often_as_they_say():
    random, studies, n = np.random.default_rng(8), 800, 100
    held = 0
    for _ in range(studies):
        p = random.normal(0.5, 0.05, size=(1, 3, n))
        p[:, 1] += 0.05
        weights = score.draws(n, 200, random)
        measures = all_measures(p, np.zeros(n, int), weights, np.array([False, False, True]))
        low, high = percentile_interval(measures["effect"][:, 0, 1], 0.9)
        held += low <= 0.05 <= high
    # a percentile interval of a mean is narrow by 1/2n, as it has no n - 1, and by the tails of 200 replicates
    assert held / studies == pytest.approx(0.89, abs=0.04)
