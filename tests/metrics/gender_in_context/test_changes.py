"""What a stereotype difference is made of, and what changed in it from one source of vectors to another."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.gender_in_context.toy import SIDES, design, measured

from herbarium.metrics.gender_in_context import changes, items, names

COMPARED = [("before", "after", "before", "after")]


@pytest.fixture(scope="module")
def sources():
    return {"before": measured("before", lean=1.0), "after": measured("after", lean=0.2)}


def compare(result):
    numbers = pd.concat([result.numbers for result in result.values()])
    products = {source: result.products for source, result in result.items()}
    (row,) = changes.changes("few", COMPARED, numbers, products, SIDES[0]).to_dict("records")
    return row


def last(result):
    return result.numbers[result.numbers["variant"] == names.DIFFERENCE].iloc[-1]


def test_a_change_is_of_the_last_layer_and_paired_by_word(sources):
    row = compare(sources)
    before, after = (last(source) for source in sources.values())
    assert row["estimate"] == pytest.approx(after["estimate"] - before["estimate"])
    assert (row["value_before"], row["low_after"]) == pytest.approx((before["estimate"], after["ci_low"]))
    assert row["std_error"] > 0
    assert (row["n"], row["df"], row["measure"]) == (8, 3, "Gender in context, few: stereotype difference")


def without(products, word):
    return products[(products["word"] != word) & (products["other"] != word)]


def test_words_of_one_source_alone_are_in_no_difference(sources):
    before, after = (source.products for source in sources.values())
    mean, n, note = changes.difference(before, without(after, "w3"), SIDES[0])
    rest, _, _ = changes.difference(without(before, "w3"), without(after, "w3"), SIDES[0])
    assert (n, note) == (7, None)
    assert mean == rest


def test_a_source_whose_sides_are_not_apart_has_no_change(sources):
    noise = np.random.default_rng(0).normal(size=64)
    rows = sources["after"].products.assign(alike=noise)
    assert changes.difference(sources["before"].products, rows, SIDES[0]) == (None, 8, changes.NO_UNIT)


def test_too_few_words_of_a_side_have_no_difference(sources):
    few = measured("after", sentences=design(n_words=5))
    row = compare({"before": sources["before"], "after": few})
    assert np.isnan(row["estimate"])
    assert row["note"] == "fewer than 3 words per side by stereotype in both"
    nothing = measured("after", sentences=design(n_words=2)).products
    assert changes.difference(sources["before"].products, nothing, SIDES[0])[:2] == (None, 0)


def test_items_have_the_number_for_their_mean(sources):
    for source, item in sources.items():
        result = items.of_items(source, "few", item.places, SIDES[0])
        assert result["value"].mean() == pytest.approx(last(item)["estimate"])
        assert result[["model", "object", "measure"]].drop_duplicates().to_numpy().tolist() == [
            [source, "few", "stereotype_difference"]
        ]


def test_items_of_unequal_kinds_and_of_words_without_a_stereotype():
    places = measured(sentences=design(n_words=9)).places
    places.loc[places["word"] == "w1", "stereotype"] = None
    result = items.of_items("a", "few", places, SIDES[0])
    placed_words = items.placed(places, SIDES[0])
    assert len(result) == len(placed_words) == 8
    means = placed_words.groupby("is_first")["position"].mean()
    assert result["value"].mean() == pytest.approx(means[True] - means[False])
    moved = items.of_items("a", "few", places.assign(position=places["position"] + 100), SIDES[0])
    np.testing.assert_allclose(moved["value"], result["value"], atol=1e-9)  # where all words stand says nothing


def test_too_few_words_are_no_items():
    assert items.of_items("a", "few", measured(sentences=design(n_words=5)).places, SIDES[0]).empty
    assert items.of_items("a", "few", measured(sentences=design(n_words=2)).places, SIDES[0]).empty


def test_words_of_the_second_source_alone_are_in_no_difference(sources):
    before, after = (source.products for source in sources.values())
    mean, n, note = changes.difference(without(before, "w2"), after, SIDES[0])
    rest, _, _ = changes.difference(without(before, "w2"), without(after, "w2"), SIDES[0])
    assert (n, note) == (7, None)
    assert mean == rest


def test_words_without_a_stereotype_are_of_no_side_of_a_change():
    sentences = design()
    sentences.loc[sentences["word"].isin(["w6", "w7"]), "stereotype"] = pd.NA
    sources = {name: measured(name, lean=lean, sentences=sentences) for name, lean in (("before", 1.0), ("after", 0.2))}
    row = compare(sources)
    before, after = (last(source)["estimate"] for source in sources.values())
    assert row["n"] == 6
    assert row["estimate"] == pytest.approx(after - before)


def test_items_by_hand():
    """Three feminine words at 1, 2 and 3, four masculine ones at 0, 0, 0 and -4: the middle lies between 2 and -1."""
    words = pd.DataFrame(
        {
            "word": [*"abcdefg", "h"],
            "stereotype": [*["feminine"] * 3, *["masculine"] * 4, None],
            "position": [1.0, 2, 3, 0, 0, 0, -4, 9],
        }
    )
    places = pd.concat([words.assign(group="0", position=5.0), words.assign(group="1")])
    result = items.of_items("a", "few", places, "feminine").set_index("word")["value"]
    expected = [7 / 3 * (place - 0.5) for place in (1, 2, 3)] + [7 / 4 * (0.5 - place) for place in (0, 0, 0, -4)]
    assert result.to_dict() == pytest.approx(dict(zip("abcdefg", expected, strict=True)))
