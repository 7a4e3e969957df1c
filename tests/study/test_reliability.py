"""The table of reliability: which items are compared with which."""

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.statistics import reliability as of_items
from herbarium.statistics.items import items
from herbarium.study import reliability


def item_table(model, x, measure="lean"):
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
    table = reliability.table(items(pd.concat([item_table("a", x[0]), item_table("b", x[1])])), {}, seed=1)
    assert table.columns.tolist() == reliability.COLUMNS
    assert table[["over", "model", "n_objects", "n_words", "n_forms"]].to_numpy().tolist() == [
        ["objects", "a", 5, 4, 2],
        ["objects", "b", 5, 4, 2],
        ["models", "", 2, 20, 2],
    ]
    alphas = [of_items.alpha(of_model.mean(axis=2)) for of_model in x]
    assert table["alpha"].tolist() == pytest.approx([*alphas, np.nan], nan_ok=True)  # two models
    assert table["tau"].notna().tolist() == [False, False, True]
    assert table[["share_objects", "words_needed", "split_half"]].iloc[2].isna().all()
    assert "no reliability" in table["note"].iloc[2]


def test_a_reliability_below_0_is_explained_and_two_objects_have_none():
    agree = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    x = np.stack([agree, -agree + 0.1 * agree**2], axis=1)[:, :, None]  # two words of opposite orders
    (row,) = reliability.table(items(item_table("a", x)), {}, seed=1).to_dict("records")
    assert row["alpha"] < 0
    assert row["note"].startswith("below 0: 5 objects")
    assert of_items.below_chance(0.0, 5) is None
    assert of_items.below_chance(np.nan, 5) is None
    few = reliability.table(items(item_table("a", x[:4])), {}, seed=1).iloc[0]
    assert np.isnan(few["split_half"])  # a correlation of four pairs
    assert not np.isnan(few["alpha_low"])


def test_the_order_of_rows_changes_nothing(x):
    rows = item_table("a", x[0])
    first, second = (reliability.table(items(side), {}, seed=1) for side in (rows, rows.sample(frac=1, random_state=3)))
    for column in ("alpha", "parallel_forms", "share_objects"):
        assert first[column].iloc[0] == pytest.approx(second[column].iloc[0])


def test_words_that_not_all_objects_have_are_left_out_and_counted(x):
    rows = item_table("a", x[0])
    rows = rows[~((rows["object"] == "r3") & (rows["word"] == "w1"))]
    (row,) = reliability.table(items(rows), {}, seed=1).to_dict("records")
    assert row["n_words"] == 3
    assert row["note"] == "left out words that not all of them have: 1"
    assert row["alpha"] == pytest.approx(of_items.alpha(np.delete(x[0], 1, axis=1).mean(axis=2)))


def test_objects_with_words_of_their_own_have_no_reliability_within_a_model(x):
    rows = item_table("a", x[0])
    rows["word"] = rows["object"] + rows["word"]
    (row,) = reliability.table(items(rows), {}, seed=1).to_dict("records")
    assert row["n_words"] == 0
    assert np.isnan(row["alpha"])
    assert "fewer than two words" in row["note"]
    # over models each of them is a measure of its own: the mean over dimensions of opposite signs would say nothing
    table = reliability.table(items(pd.concat([rows, rows.assign(model="b")])), {}, seed=1)
    over_models = table[table["over"] == "models"]
    assert over_models["measure"].tolist() == [f"lean, r{number}" for number in range(5)]
    assert set(over_models["n_words"]) == {4}


def test_a_measure_of_one_object_and_model_has_none(x):
    assert reliability.table(items(item_table("a", x[0, :1])), {}, seed=1).empty


def test_two_values_of_a_word_are_refused(x):
    rows = item_table("a", x[0])
    with refused(None, "'w0'", "'f0'", kind=ValueError):
        items(pd.concat([rows, rows[:1]]))
    lost = items(rows.assign(value=rows["value"].where(rows["word"] != "w0")))
    assert len(lost) == 30  # of 40; what has no value is no item


def trained(x, name):
    """Items of the trainings of one model. x: (n_trainings, n_objects); a value is that of two words, apart by 2."""
    return [item_table(f"{name}{k}", row[:, None, None] + np.array([-1.0, 1.0])[:, None]) for k, row in enumerate(x)]


def test_over_trainings_it_is_the_correlation_of_the_values_of_two():
    """Shrout and Fleiss (1979), Table 2 and p. 424: six targets, four judges, ICC(3,1) = .71, ICC(3,4) = .91."""
    ratings = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    models = trained(ratings.T.astype(float), "a")
    table = reliability.table(items(pd.concat(models)), {"a": ["a0", "a1", "a2", "a3"], "b": ["b0", "b1"]}, seed=1)
    (row,) = table[table["over"] == "trainings"].to_dict("records")
    assert (row["model"], row["n_objects"], row["n_trainings"]) == ("a", 6, 4)
    assert row["one_training"] == pytest.approx(0.71, abs=0.005)
    assert row["alpha"] == pytest.approx(0.91, abs=0.005)
    assert row["alpha_low"] < row["alpha"] < row["alpha_high"]
    assert row["one_low"] < row["one_training"] < row["one_high"]
    assert row["training_sd"] == pytest.approx(np.sqrt(ratings.var(axis=1, ddof=1).mean()))


def test_models_that_were_trained_several_times_are_compared_over_trainings():
    x = np.random.default_rng(0).normal(size=(3, 4, 1)) / 10 + np.arange(3)[:, None, None]  # models, trainings, object
    models = [row_of_model for name, profile in zip("abc", x, strict=True) for row_of_model in trained(profile, name)]
    trainings = {name: [f"{name}{k}" for k in range(4 if name == "a" else 3)] for name in "abc"}
    table = reliability.table(items(pd.concat(models)), trainings, seed=1)
    (row,) = table[table["over"] == "trainings"].to_dict("records")
    assert (row["model"], row["n_objects"], row["n_trainings"]) == ("", 3, 3)
    assert row["one_training"] > 0.9
    assert row["one_training"] == pytest.approx(of_items.of_one(row["alpha"], 3))


def test_two_objects_have_no_reliability_over_trainings():
    models = trained(np.array([[1.0, 2.0], [1.5, 2.5]]), "a")
    table = reliability.table(items(pd.concat(models)), {"a": ["a0", "a1"]}, seed=1)
    (row,) = table[table["over"] == "trainings"].to_dict("records")
    assert row["training_sd"] == pytest.approx(0.5 / np.sqrt(2))
    assert np.isnan([row["alpha"], row["one_training"], row["one_low"]]).all()
    assert row["note"] == "fewer than 3: no reliability"
