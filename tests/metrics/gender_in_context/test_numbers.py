import numpy as np
import pandas as pd
import pytest
from tests.metrics.cards import assert_cards
from tests.metrics.gender_in_context.toy import LAYERS, SETTINGS, design, measured, vectors

from herbarium.metrics.gender_in_context import calibration, crossed, numbers
from herbarium.metrics.gender_in_context.names import ACCURACY, COMMON, DIFFERENCE, FIRST, GENDER, PAIRS, WORDS


def one(of, variant, layer="1", definition=GENDER):
    rows = of.numbers.set_index(["variant", "group", "definition"])
    return rows.loc[(variant, layer, definition)]


@pytest.fixture(scope="module")
def found():
    return measured()


def test_every_number_has_a_card(found):
    assert_cards("gender_in_context", [found.numbers])


def test_what_was_put_in_is_found(found):
    difference = one(found, DIFFERENCE)
    assert difference["ci_low"] < 1 < difference["ci_high"]
    assert difference["p_adjusted"] == pytest.approx(2 / 70)  # the least of eight words
    assert one(found, COMMON)["estimate"] > 0.9
    assert one(found, COMMON)["p_adjusted"] == pytest.approx(1 / 2**7)
    assert one(measured(lean=0.0), "accuracy_linear", definition=WORDS)["ci_low"] > 0.5
    assert one(found, "selectivity_linear", definition=PAIRS)["n"] == 8


def test_a_layer_without_context_has_no_number(found):
    layer = found.numbers[(found.numbers["group"] == "0") & (found.numbers["definition"] != "neutral")]
    assert layer["estimate"].isna().all()
    assert set(layer["note"]) == {"the sides have equal vectors"}


def test_without_a_lean_none_is_found():
    difference = one(measured(lean=0.0), DIFFERENCE)
    assert difference["ci_low"] < 0 < difference["ci_high"]
    assert difference["p_adjusted"] > 0.05


def test_neutral_swaps_stand_beside(found):
    neutral = one(found, COMMON, definition="neutral")
    assert neutral["n"] == 2
    assert neutral["estimate"] > 0.9  # here each swap moves all words alike
    assert one(found, FIRST, definition="neutral")["estimate"] == pytest.approx(one(found, FIRST)["estimate"], abs=0.1)
    few = one(measured(of=design(swaps=(GENDER, "the → a"))), FIRST, definition="neutral")
    assert few["note"] == "no interval: only one neutral swap"
    none = one(measured(of=design(swaps=(GENDER,))), FIRST, definition="neutral")
    assert none["note"].startswith("no neutral swap in the sentences")


def test_gaps_are_a_family_of_their_source(found):
    gaps = found.numbers[found.numbers["variant"].str.startswith("accuracy_gap")].dropna(subset="p_value")
    assert (gaps["p_adjusted"] >= gaps["p_value"]).all()
    assert gaps["p_adjusted"].max() <= 1
    others = found.numbers[found.numbers["variant"].str.startswith((ACCURACY + "_l", "control"))]
    assert others["p_value"].isna().all()


def test_a_causal_model_is_measured_on_what_it_has_seen():
    of = measured(is_causal=True)
    said = one(of, COMMON)["note"]
    assert said == "1 of 24 pairs left out: the difference comes after the word, where a causal model does not see it"
    assert of.curves.query("swap == 'gender'")["n"].unique().tolist() == [23]


def test_a_causal_model_that_has_seen_nothing_is_refused_with_the_numbers():
    of = measured(is_causal=True, of=design().assign(is_seen=False))
    assert of.numbers["estimate"].isna().all()
    assert of.numbers["note"].unique().tolist() == [
        "0 words with a pair of vectors; at least 4 are needed · 24 of 24 pairs left out: the difference comes after "
        "the word, where a causal model does not see it"
    ]


def test_words_without_a_vector_are_counted():
    of, values = design(), vectors(design())
    values.values[of["word"] == "w0"] = np.nan
    pairs, note = numbers.pairs(of, values, False, 500, 0)
    assert note == "3 of 24 pairs left out: no vector"
    assert set(pairs[GENDER].word) == {f"w{number}" for number in range(1, 8)}


def test_a_neutral_swap_without_a_vector_costs_no_pair_of_gender():
    of, values = design(), vectors(design())
    values.values[(of["swap"] == "the → a") & (of["side"] == 1)] = np.nan
    pairs, note = numbers.pairs(of, values, False, 500, 0)
    assert note is None
    assert list(pairs) == [GENDER, "and → but"]


def test_stereotypes_of_too_few_words_are_not_compared():
    of = design().assign(stereotype=0)
    row = one(measured(of=of), DIFFERENCE)
    assert row["note"] == "0 words per side by stereotype; at least 3 are needed"
    assert one(measured(of=of), COMMON)["estimate"] > 0.9


def test_at_most_so_many_pairs_the_same_each_time():
    of, values = design(), vectors(design())
    pairs, _ = numbers.pairs(of, values, False, 10, 3)
    again, _ = numbers.pairs(of, values, False, 10, 3)
    assert len(pairs[GENDER].word) == 10
    np.testing.assert_array_equal(pairs[GENDER].x, again[GENDER].x)


def test_the_order_of_pairs_changes_nothing(found):
    """But for the folds, which are drawn by place."""
    of = design()
    order = np.random.default_rng(0).permutation(len(of))
    values = vectors(of)
    moved = values._replace(values=values.values[order])
    pairs, note = numbers.pairs(of.iloc[order].reset_index(drop=True), moved, False, 500, SETTINGS.seed)
    swaps = {swap: pairs[swap] for swap in found.curves["swap"].unique()}
    other = numbers.measure("strong", "few", swaps, note, LAYERS, ["feminine", "masculine"], SETTINGS)
    for variant in (DIFFERENCE, COMMON, FIRST):
        ours, theirs = (one(of, variant).drop(["note", "converged"]) for of in (found, other))
        pd.testing.assert_series_equal(ours, theirs, check_exact=False, rtol=1e-5)


def test_calibration_is_of_the_last_layer(found):
    rows = calibration.rows(found.numbers, {"strong": 2.0}, {"strong": "1"})
    assert rows[["series", "planted", "expected"]].to_numpy().tolist()[0][:2] == ["few", 2.0]
    assert rows["estimate"].item() == one(found, DIFFERENCE)["estimate"]


def test_the_number_is_that_of_the_places_beside_it():
    """Also where some words have no stereotype: the direction is that of all words."""
    of = design()
    of.loc[of["word"] == "w7", "stereotype"] = pd.NA
    found = measured(of=of)
    places = found.places[found.places["group"] == "1"].dropna(subset="stereotype")
    means = places.groupby("stereotype")["position"].mean()
    assert one(found, DIFFERENCE)["estimate"] == pytest.approx(means["feminine"] - means["masculine"])
    assert one(found, DIFFERENCE)["n"] == 7


def test_the_number_is_that_of_its_definition(found):
    pairs, _ = numbers.pairs(design(), vectors(design()), False, 500, SETTINGS.seed)
    of = pairs[GENDER]
    products = crossed.in_units(crossed.products(of.x[:, 1].astype(float), of.y[:, 1].astype(float), of.word))
    is_first = np.arange(8) % 2 == 0
    mean, row = crossed.difference(products, crossed.Kinds(is_first, ~is_first)), one(found, DIFFERENCE)
    assert (row["estimate"], row["std_error"]) == pytest.approx((mean.estimate, mean.std_error))


def test_sides_that_are_not_apart_have_no_number_and_no_places():
    of = measured(gender=0.0)
    row = one(of, DIFFERENCE)
    assert row["note"] == crossed.NOT_APART
    assert row[["estimate", "ci_low", "p_value", "p_adjusted"]].isna().all()
    assert of.places.loc[of.places["group"] == "1", "position"].isna().all()
    assert one(of, COMMON)["p_adjusted"] > 0.05


def test_a_test_that_cannot_reject_says_so(found):
    few = measured(of=design(n_words=6))
    assert one(few, DIFFERENCE)["note"] == "6 words can give no p below 0.1, so the test cannot reject"
    assert pd.isna(one(few, COMMON)["note"])
    assert one(measured(of=design(n_words=5)), COMMON)["note"].startswith("5 words can give no p below 0.062")
    assert pd.isna(one(found, DIFFERENCE)["note"])
