import numpy as np
import pandas as pd
import pytest

from herbarium.probes import herb

TEMPLATE = "People in [region] are [description]."


def test_every_distinct_sentence_once_with_its_spans():
    probe = herb.instantiate(TEMPLATE, ["Peru", "Xi’an", "Peru"], ["weak", "loud", "weak"])
    assert probe["text"].tolist() == [
        "Peru",
        "People in Peru are weak.",
        "People in Peru are loud.",
        "Xi’an",
        "People in Xi’an are weak.",
        "People in Xi’an are loud.",
    ]
    assert probe["sentence_id"].is_unique
    for row in probe.itertuples():
        assert row.text[row.region_start : row.region_end] == row.region_name
        if row.text != row.region_name:
            assert row.text[int(row.description_start) : int(row.description_end)] == row.description


def test_slots_may_stand_in_any_order():
    row = herb.instantiate("[description] people live in [region].", ["Rome"], ["Kind"]).iloc[1]
    assert row["text"] == "Kind people live in Rome."
    assert (row["description_start"], row["description_end"], row["region_start"]) == (0, 4, 20)


def test_a_filler_that_looks_like_a_slot_is_only_text():
    assert herb.instantiate(TEMPLATE, ["[description]"], ["loud"])["text"][1] == "People in [description] are loud."


def test_sentence_id_is_of_the_text_alone():
    # kept for ever: caches are joined by it
    assert (
        herb.sentence_id("People in Peru are weak.") == herb.instantiate(TEMPLATE, ["Peru"], ["weak"])["sentence_id"][1]
    )
    assert herb.sentence_id("Peru") == 3034969161092672172
    assert 0 <= herb.sentence_id("Peru") < 2**63


def test_likelihoods_lays_scores_out_by_region_and_description():
    probe = herb.instantiate(TEMPLATE, ["Peru", "Chad"], ["weak", "loud"])
    value = {"Peru": -1, "Chad": -2, "People in Peru are weak.": -3, "People in Chad are weak.": -4,
             "People in Peru are loud.": -5, "People in Chad are loud.": np.nan}  # fmt: skip
    scores = pd.DataFrame({"sentence_id": map(herb.sentence_id, value), "value": value.values()}).sample(
        frac=1, random_state=0
    )
    f, f_name = herb.likelihoods(probe, scores, ["Chad", "Peru", "Chad", "Unscored"], ["loud", "weak", "loud"])
    np.testing.assert_array_equal(
        f, [[np.nan, -4, np.nan], [-5, -3, -5], [np.nan, -4, np.nan], [np.nan, np.nan, np.nan]]
    )
    np.testing.assert_array_equal(f_name, [-2, -1, -2, np.nan])


def test_a_template_without_a_description_slot_has_none_to_fill():
    with pytest.raises(KeyError):
        herb.instantiate("People in [place].", ["Peru"], ["weak"])
