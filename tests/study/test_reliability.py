"""The table of reliability: which items are compared with which."""

import numpy as np
import pandas as pd
import pytest

from herbarium.statistics import reliability as of_items
from herbarium.statistics.items import items
from herbarium.study import reliability


def of(model, x, measure="lean"):
    """Items of one model: x (n_objects, n_words, n_forms)."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "metric": "leaning",
                "measure": measure,
                "object": f"r{o}",
                "word": f"w{w}",
                "form": f"f{f}",
            }
            | {"value": x[o, w, f]}
            for o, w, f in np.ndindex(x.shape)
        ]
    )


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(2, 5, 4, 2))  # models, objects, words, forms


def test_within_models_and_over_them(x):
    table = reliability.table(items(pd.concat([of("a", x[0]), of("b", x[1])])), seed=1)
    assert table.columns.tolist() == reliability.COLUMNS
    assert table[["over", "model", "n_objects", "n_words", "n_forms"]].to_numpy().tolist() == [
        ["objects", "a", 5, 4, 2],
        ["objects", "b", 5, 4, 2],
        ["models", "", 2, 20, 2],
    ]
    assert table["alpha"].tolist() == pytest.approx(
        [of_items.alpha(of_model.mean(axis=2)) for of_model in x] + [of_items.alpha(x.mean(axis=3).reshape(2, 20))]
    )
    assert table["tau"].notna().tolist() == [False, False, True]
    assert "no interval" in table["note"].iloc[2]  # two models


def test_the_order_of_rows_changes_nothing(x):
    rows = of("a", x[0])
    first, second = (reliability.table(items(of), seed=1) for of in (rows, rows.sample(frac=1, random_state=3)))
    for column in ("alpha", "parallel_forms", "share_objects"):
        assert first[column].iloc[0] == pytest.approx(second[column].iloc[0])


def test_words_that_not_all_objects_have_are_left_out_and_counted(x):
    rows = of("a", x[0])
    rows = rows[~((rows["object"] == "r3") & (rows["word"] == "w1"))]
    (row,) = reliability.table(items(rows), seed=1).to_dict("records")
    assert row["n_words"] == 3
    assert row["note"] == "words that not all of them have, left out: 1"
    assert row["alpha"] == pytest.approx(of_items.alpha(np.delete(x[0], 1, axis=1).mean(axis=2)))


def test_objects_with_words_of_their_own_have_no_reliability_within_a_model(x):
    rows = of("a", x[0])
    rows["word"] = rows["object"] + rows["word"]
    (row,) = reliability.table(items(rows), seed=1).to_dict("records")
    assert row["n_words"] == 0
    assert np.isnan(row["alpha"])
    assert "fewer than two words" in row["note"]
    # over models each of them is a measure of its own: the mean over dimensions of opposite signs would say nothing
    found = reliability.table(items(pd.concat([rows, rows.assign(model="b")])), seed=1)
    over_models = found[found["over"] == "models"]
    assert over_models["measure"].tolist() == [f"lean, r{number}" for number in range(5)]
    assert set(over_models["n_words"]) == {4}


def test_a_measure_of_one_object_and_model_has_none(x):
    assert reliability.table(items(of("a", x[0, :1])), seed=1).empty


def test_two_values_of_a_word_are_refused(x):
    rows = of("a", x[0])
    with pytest.raises(ValueError, match="two values of one word"):
        items(pd.concat([rows, rows[:1]]))
    lost = items(rows.assign(value=rows["value"].where(rows["word"] != "w0")))
    assert len(lost) == 30  # of 40; what has no value is no item
