import numpy as np
import pandas as pd
import pytest
from tests.metrics.gender_in_context.toy import LAYERS, SETTINGS, design, measured, vectors

from herbarium.metrics.gender_in_context import calibration, crossed, numbers
from herbarium.metrics.gender_in_context.names import ACCURACY, COMMON, DIFFERENCE, FIRST, GENDER, PAIRS, WORDS


def one(result, variant, layer="1", definition=GENDER):
    rows = result.numbers.set_index(["variant", "group", "definition"])
    return rows.loc[(variant, layer, definition)]


@pytest.fixture(scope="module")
def measurement():
    return measured()


def test_what_was_put_in_is_found(measurement):
    difference = one(measurement, DIFFERENCE)
    assert difference["ci_low"] < 1 < difference["ci_high"]
    assert difference["p_adjusted"] == pytest.approx(2 / 70)  # the least of eight words
    assert one(measurement, COMMON)["estimate"] > 0.9
    assert one(measurement, COMMON)["p_adjusted"] == pytest.approx(1 / 2**7)
    assert one(measured(lean=0.0), "accuracy_linear", definition=WORDS)["ci_low"] > 0.5
    assert one(measurement, "selectivity_linear", definition=PAIRS)["n"] == 8


def test_a_layer_without_context_has_no_number(measurement):
    layer = measurement.numbers[
        (measurement.numbers["group"] == "0") & (measurement.numbers["definition"] != "neutral")
    ]
    assert layer["estimate"].isna().all()
    assert set(layer["note"]) == {"the sides have equal vectors"}


def test_without_a_lean_none_is_found():
    difference = one(measured(lean=0.0), DIFFERENCE)
    assert difference["ci_low"] < 0 < difference["ci_high"]
    assert difference["p_adjusted"] > 0.05


def test_neutral_swaps_stand_beside(measurement):
    neutral = one(measurement, COMMON, definition="neutral")
    assert neutral["n"] == 2
    assert neutral["estimate"] > 0.9  # here each swap moves all words alike
    assert one(measurement, FIRST, definition="neutral")["estimate"] == pytest.approx(
        one(measurement, FIRST)["estimate"], abs=0.1
    )
    few = one(measured(sentences=design(swaps=(GENDER, "the → a"))), FIRST, definition="neutral")
    assert few["note"] == "no interval: only one neutral swap"
    none = one(measured(sentences=design(swaps=(GENDER,))), FIRST, definition="neutral")
    assert none["note"].startswith("no neutral swap in the sentences")


def test_gaps_are_a_family_of_their_source(measurement):
    gaps = measurement.numbers[measurement.numbers["variant"].str.startswith("accuracy_gap")].dropna(subset="p_value")
    assert (gaps["p_adjusted"] >= gaps["p_value"]).all()
    assert gaps["p_adjusted"].max() <= 1
    others = measurement.numbers[measurement.numbers["variant"].str.startswith((ACCURACY + "_l", "control"))]
    assert others["p_value"].isna().all()


def test_a_causal_model_is_measured_on_what_it_has_seen():
    measured_set = measured(is_causal=True)
    text = one(measured_set, COMMON)["note"]
    assert text == "1 of 24 pairs left out: the difference comes after the word, where a causal model does not see it"
    assert measured_set.curves.query("swap == 'gender'")["n"].unique().tolist() == [23]


def test_a_causal_model_that_has_seen_nothing_is_refused_with_the_numbers():
    measured_set = measured(is_causal=True, sentences=design().assign(is_seen=False))
    assert measured_set.numbers["estimate"].isna().all()
    assert measured_set.numbers["note"].unique().tolist() == [
        "0 words with a pair of vectors; at least 4 are needed · 24 of 24 pairs left out: the difference comes after "
        "the word, where a causal model does not see it"
    ]


def test_words_without_a_vector_are_counted():
    sentences, values = design(), vectors(design())
    values.values[sentences["word"] == "w0"] = np.nan
    pairs, note = numbers.pairs(sentences, values, False, 500, 0)
    assert note == "3 of 24 pairs left out: no vector"
    assert set(pairs[GENDER].word) == {f"w{number}" for number in range(1, 8)}


def test_a_neutral_swap_without_a_vector_costs_no_pair_of_gender():
    sentences, values = design(), vectors(design())
    values.values[(sentences["swap"] == "the → a") & (sentences["side"] == 1)] = np.nan
    pairs, note = numbers.pairs(sentences, values, False, 500, 0)
    assert note is None
    assert list(pairs) == [GENDER, "and → but"]


def test_stereotypes_of_too_few_words_are_not_compared():
    sentences = design().assign(stereotype=0)
    row = one(measured(sentences=sentences), DIFFERENCE)
    assert row["note"] == "0 words per side by stereotype; at least 3 are needed"
    assert one(measured(sentences=sentences), COMMON)["estimate"] > 0.9


def test_at_most_so_many_pairs_the_same_each_time():
    sentences, values = design(), vectors(design())
    pairs, _ = numbers.pairs(sentences, values, False, 10, 3)
    again, _ = numbers.pairs(sentences, values, False, 10, 3)
    assert len(pairs[GENDER].word) == 10
    np.testing.assert_array_equal(pairs[GENDER].x, again[GENDER].x)


def test_the_order_of_pairs_changes_nothing(measurement):
    """But for the folds, which are drawn by place."""
    sentences = design()
    order = np.random.default_rng(0).permutation(len(sentences))
    values = vectors(sentences)
    moved = values._replace(values=values.values[order])
    pairs, note = numbers.pairs(sentences.iloc[order].reset_index(drop=True), moved, False, 500, SETTINGS.seed)
    swaps = {swap: pairs[swap] for swap in measurement.curves["swap"].unique()}
    other = numbers.measure("strong", "few", swaps, note, LAYERS, ["feminine", "masculine"], SETTINGS)
    for variant in (DIFFERENCE, COMMON, FIRST):
        ours, theirs = (one(side, variant).drop(["note", "converged"]) for side in (measurement, other))
        pd.testing.assert_series_equal(ours, theirs, check_exact=False, rtol=1e-5)


def test_calibration_is_of_the_last_layer(measurement):
    rows = calibration.rows(measurement.numbers, {"strong": 2.0}, {"strong": "1"})
    assert rows[["series", "planted", "expected"]].to_numpy().tolist()[0][:2] == ["few", 2.0]
    assert rows["estimate"].item() == one(measurement, DIFFERENCE)["estimate"]


def test_the_number_is_that_of_the_places_beside_it():
    """Also where some words have no stereotype: the direction is that of all words."""
    sentences = design()
    sentences.loc[sentences["word"] == "w7", "stereotype"] = pd.NA
    result = measured(sentences=sentences)
    places = result.places[result.places["group"] == "1"].dropna(subset="stereotype")
    means = places.groupby("stereotype")["position"].mean()
    assert one(result, DIFFERENCE)["estimate"] == pytest.approx(means["feminine"] - means["masculine"])
    assert one(result, DIFFERENCE)["n"] == 7


def test_the_number_is_that_of_its_definition(measurement):
    pairs, _ = numbers.pairs(design(), vectors(design()), False, 500, SETTINGS.seed)
    rows = pairs[GENDER]
    products = crossed.in_units(crossed.products(rows.x[:, 1].astype(float), rows.y[:, 1].astype(float), rows.word))
    is_first = np.arange(8) % 2 == 0
    mean, row = crossed.difference(products, crossed.Kinds(is_first, ~is_first)), one(measurement, DIFFERENCE)
    assert (row["estimate"], row["std_error"]) == pytest.approx((mean.estimate, mean.std_error))


def test_products_are_those_of_the_last_layer_in_the_units_of_its_vectors(measurement):
    pairs, _ = numbers.pairs(design(), vectors(design()), False, 500, SETTINGS.seed)
    rows = pairs[GENDER]
    products = crossed.products(rows.x[:, -1].astype(float), rows.y[:, -1].astype(float), rows.word)
    for name in ("along", "alike"):
        np.testing.assert_allclose(measurement.products[name], getattr(products, name).ravel())
    assert set(measurement.products["group"]) == {LAYERS[-1]}


def test_sides_that_are_not_apart_have_no_number_and_no_places():
    measured_set = measured(gender=0.0)
    row = one(measured_set, DIFFERENCE)
    assert row["note"] == crossed.NOT_APART
    assert row[["estimate", "ci_low", "p_value", "p_adjusted"]].isna().all()
    assert measured_set.places.loc[measured_set.places["group"] == "1", "position"].isna().all()
    assert one(measured_set, COMMON)["p_adjusted"] > 0.05


def test_a_test_that_cannot_reject_says_so(measurement):
    few = measured(sentences=design(n_words=6))
    assert one(few, DIFFERENCE)["note"] == "6 words can give no p below 0.1, so the test cannot reject"
    assert pd.isna(one(few, COMMON)["note"])
    assert one(measured(sentences=design(n_words=5)), COMMON)["note"].startswith("5 words can give no p below 0.062")
    assert pd.isna(one(measurement, DIFFERENCE)["note"])
