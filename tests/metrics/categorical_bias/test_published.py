"""Categorical Bias as published, as transcribed, and beside our numbers."""

import math

import numpy as np
import pandas as pd
import pytest

from herbarium.core.resources import read_table
from herbarium.metrics.categorical_bias import published as published_of
from herbarium.metrics.categorical_bias.published import NUMBERS
from herbarium.statistics import agreement
from herbarium.statistics.tidy import TIDY, tidy

EN, MULTI, DE = "bert-base-uncased", "bert-base-multilingual-uncased", "bert-base-german-dbmdz-uncased"
LANGUAGES = {
    "german": {"lists": {"ours": "a", "theirs": "b"}, "models": [DE, MULTI]},
    "english": {"lists": {"ours": "c"}, "models": [EN, MULTI]},
}


@pytest.fixture(scope="module")
def published():
    return read_table("resources/categorical_bias/published.csv", ["table"])


def score(model, group, estimate, variant="cb", definition="paper", unit="list", **more):
    row = {"metric": "categorical_bias", "model": model, "group": group, "estimate": estimate, "unit": unit, "n": 30}
    return {**row, "variant": variant, "definition": definition, **more}


def divergence(model, estimate, variant="jsd", definition="paper", **more):
    return score(model, "german − english", estimate, variant, definition, "languages") | {
        "metric": "categorical_bias_divergences",
        **more,
    }


@pytest.fixture(scope="module")
def numbers():
    rows = [
        score(MULTI, "german/ours", 0.5, ci_low=0.4, ci_high=0.7, note="without Peru: sentences were refused"),
        score(MULTI, "german/ours", 0.9, definition="released", ci_low=0.8, ci_high=1.0),
        score(MULTI, "german/theirs", 0.6),
        score(DE, "german/ours", 5.0),
        score(DE, "german/ours", 7.0, variant="cb_additional_both", n=35),
        score("other", "german/ours", 1.0),
        score(EN, "english/ours", 0.7),
        score(MULTI, "english/ours", 0.6),
        *(
            score(model, f"{group}/{key}", n_tokens, "n_tokens", unit="target")
            for model, group, of_keys in (
                (MULTI, "german/ours", {"Peru": 1, "Chad": 2}),
                (DE, "german/ours", {"Peru": 1, "Chad": 1}),
                (EN, "english/ours", {"Peru": 3, "Chad": 4}),
            )
            for key, n_tokens in of_keys.items()
        ),
        divergence(MULTI, 0.1),
        divergence(MULTI, math.sqrt(0.1), variant="sqrt_jsd"),
        divergence(f"{DE} − {EN}", 0.2, ci_low=0.1, ci_high=0.3),
        divergence(f"{DE} − {EN}", 0.3, definition="released"),
        divergence(f"{DE} − {EN}", math.sqrt(0.2), variant="sqrt_jsd"),
    ]
    return tidy(pd.DataFrame(rows))


def beside(numbers, published, number, languages=LANGUAGES):
    return published_of.table(numbers, published, number, languages)


# --- the transcription ---


def test_every_number_of_the_tables_is_there_once(published):
    sizes = {"2": 10, "3": 30, "4": 12, "5": 2, "7": 20, "8": 4, "9": 5, "C": 6}
    assert published["table"].value_counts().to_dict() == sizes
    assert set(sizes) == set(NUMBERS)
    assert not published.duplicated(["table", "model", "language", "other_language", "words"]).any()
    assert set(published.loc[published["measure"] == "cb", "words"]) == set(published_of.WORDS)


def test_table_9_prints_roots_of_table_3_and_one_exceeds_what_a_divergence_can_be(published):
    key = ["language", "other_language"]
    own = published[published["model"] == "monolingual"]
    three, nine = (own[own["table"] == table].set_index(key)["value"] for table in ("3", "9"))
    assert len(nine) == 5
    np.testing.assert_allclose(nine, np.sqrt(three[nine.index]), rtol=0, atol=1e-3)
    assert nine[("english", "chinese")] > math.log(2)
    assert (three < math.log(2)).all()


# --- beside ours ---


def test_scores_by_hand(numbers, published):
    rows = beside(numbers, published, "2").set_index(["model", "list"])
    assert rows.index.tolist() == [(MULTI, "ours"), (MULTI, "theirs"), (DE, "ours")]  # the rest was not measured
    row = rows.loc[(MULTI, "ours")]
    assert row[["published", "paper", "paper_low", "paper_high"]].tolist() == [0.899, 0.5, 0.4, 0.7]
    assert row[["released", "released_low", "released_high"]].tolist() == [0.9, 0.8, 1.0]
    assert row["difference"] == pytest.approx(0.5 - 0.899)
    assert row["difference_released"] == pytest.approx(0.9 - 0.899)
    assert (row["n"], row["n_tokens"]) == (30, 1.5)
    assert row["note"] == "without Peru: sentences were refused"
    assert row["doubt"] == "the released code counts every sub-token at every mask"
    row = rows.loc[(MULTI, "theirs")]
    assert row[["paper_low", "released", "difference_released"]].isna().all()


def test_words_of_table_7(numbers, published):
    rows = beside(numbers, published, "7")
    assert rows["words"].tolist() == ["base", "additional attributes and targets"]
    assert rows["published"].tolist() == [5.604, 6.840]
    assert rows["paper"].tolist() == [5.0, 7.0]
    assert rows["n"].tolist() == [30, 35]
    assert rows["n_tokens"].isna().tolist() == [False, True]  # it is of the base targets


def test_divergences_by_hand_whatever_the_order_of_the_languages(numbers, published):
    rows = beside(numbers, published, "3").set_index("model")
    assert rows.index.tolist() == [MULTI, "monolingual"]
    row = rows.loc["monolingual"]
    assert row["measured"] == f"{DE} − {EN}"
    assert row[["language", "other_language", "list", "other_list"]].tolist() == ["german", "english", "ours", "ours"]
    assert row[["published", "paper", "paper_low", "released"]].tolist() == [0.162, 0.2, 0.1, 0.3]
    assert row["difference"] == pytest.approx(0.2 - 0.162)
    assert row[["n_tokens", "other_n_tokens"]].tolist() == [1, 3.5]
    assert rows.loc[MULTI, "published"] == 0.130
    (root,) = beside(numbers, published, "9").to_dict("records")
    assert (root["measure"], root["published"]) == ("sqrt_jsd", 0.402)
    assert root["difference"] == pytest.approx(math.sqrt(0.2) - 0.402)
    assert root["doubt"] == "called a divergence; it is the root of Table 3"


@pytest.mark.parametrize("table", NUMBERS)
def test_without_any_cell_only_the_header_is_left(numbers, published, table):
    rows = beside(numbers[numbers["model"] == "other"], published, table, {})
    columns = published_of.DIVERGENCES if table in ("3", "9") else published_of.SCORES
    assert rows.to_csv(index=False) == ",".join(columns) + "\n"


# --- whether they agree ---


def agreed(numbers, languages):
    """Every published figure beside ours, of the schema "published"."""
    path = "resources/categorical_bias/published.csv"
    as_printed, as_numbers = (read_table(path, text) for text in (["table", "value"], ["table"]))
    tables = {number: published_of.table(numbers, as_numbers, number, languages) for number in NUMBERS}
    return published_of.beside(as_printed, tables)


def test_agreement_is_with_the_published_list():
    languages = {
        "german": {"lists": {"grammatical": "a", "published": "b"}, "models": [MULTI]},
        "english": {"lists": {"grammatical": "c"}, "models": [MULTI]},
    }
    rows = [
        score(MULTI, "german/grammatical", 0.899),
        score(MULTI, "german/published", 0.5),
        score(MULTI, "german/published", 0.8994, definition="released"),
        divergence(MULTI, 0.1302, ci_low=0.125, ci_high=0.15),
    ]
    found = agreed(pd.DataFrame(rows).reindex(columns=TIDY.fields.names), languages)
    assert found.columns.tolist() == agreement.PUBLISHED.fields.names
    assert (found["metric"] == "categorical_bias").all()
    table = found.set_index(["table", "row", "column"])
    of_score = table.loc[("2", f"{MULTI}, german", "cb")]
    assert (of_score["agreement"], of_score["paper"], of_score["released"]) == ("doubtful", 0.5, 0.8994)
    assert of_score["note"] == (
        "the released code counts every sub-token at every mask; ours agrees as released; list published"
    )
    of_pair = table.loc[("3", f"{MULTI}, english − german", "jsd")]
    assert of_pair["agreement"] == "agrees"  # printed 0.130
    assert of_pair[["difference", "tolerance"]].tolist() == pytest.approx([0.0002, 0.0005])
    # it is also each language's own model, the first of it
    assert table.loc[("3", "monolingual, english − german", "jsd"), "agreement"] == "differs"
    assert (found.loc[found["table"].isin(["2", "3"]), "agreement"] == "not measured").sum() == 40 - 3


def test_nothing_measured_has_every_figure_once():
    found = agreed(pd.DataFrame(columns=TIDY.fields.names), {})
    assert len(found) == 89
    assert not found.duplicated(["table", "row", "column"]).any()
    assert (found[["row", "column", "published"]] != "").all(axis=None)
    assert (found["agreement"] == "not measured").all()
    assert found[["paper", "released", "difference", "tolerance"]].isna().all(axis=None)
