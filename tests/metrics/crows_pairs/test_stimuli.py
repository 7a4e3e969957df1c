"""CrowS-Pairs: how the authors' table is read and laid out, and its scores beside its sentences."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core.errors import HerbariumError
from herbarium.metrics.crows_pairs import stimuli
from herbarium.scoring.sentences import sentence_id

TABLE = (
    "sent_more,sent_less,stereo_antistereo,bias_type\nShe is weak.,He is weak.,stereo,gender\nA b.,A c.,stereo,age\n"
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(TABLE)
    return stimuli.read(path)


def test_both_sentences_of_a_pair_stand_one_after_the_other(table):
    sentences = stimuli.instantiate(table)
    assert list(sentences.columns) == stimuli.STIMULI.fields.names
    assert sentences["text"].tolist() == ["She is weak.", "He is weak.", "A b.", "A c."]
    assert sentences["set"].tolist() == ["0", "0", "1", "1"]
    assert sentences["side"].tolist() == ["stereo", "antistereo"] * 2
    assert sentences["group"].tolist() == ["gender", "gender", "age", "age"]


def test_a_sentence_keeps_its_number_for_ever(table):
    # scores of different runs are joined by it
    ids = stimuli.instantiate(table)["sentence_id"]
    assert ids.tolist()[:2] == [sentence_id(f"{side}\x1fShe is weak.\x1fHe is weak.") for side in stimuli.SIDES]
    assert ids[0] == 793153968941330385


def test_ids_of_the_authors_table(shared):
    table = stimuli.read(shared / "data/crows_pairs/crows_pairs_anonymized.csv")
    sentences = stimuli.instantiate(table)
    assert len(sentences) == 2 * 1508
    # a pair that stands there twice is scored once
    assert sentences["sentence_id"].nunique() == 2 * len(table.drop_duplicates(["sent_more", "sent_less"]))


def test_length_groups_are_of_the_words_among_a_type():
    table = pd.DataFrame({"sent_more": ["a", "a b", "a b c", "a b c d", "a", "a"], "bias_type": ["x"] * 4 + ["y"] * 2})
    assert stimuli.length_groups(table).tolist() == ["short", "medium", "medium", "long", "short", "short"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("sent_more", "more"), "the column 'sent_more' is missing"),
        (TABLE.replace("A c.", " "), "row 2: the column 'sent_less' is empty"),
        (TABLE.partition("\n")[0], "the table has no row"),
    ],
)
def test_a_faulty_table_is_named(tmp_path, text, message):
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(HerbariumError) as fault:
        stimuli.read(path)
    assert str(path) in str(fault.value)
    assert message in str(fault.value)


def test_scores_stand_beside_their_sentences(table):
    sentences = stimuli.instantiate(table)
    tables = [
        sentences[["sentence_id"]].assign(
            quantity=quantity, value=values, note=None, n_tokens=n_tokens, given=[1, 2, 3, 4]
        )
        for quantity, values, n_tokens in (
            ("cps", [-1, -2, np.nan, -4], 3),  # those that both have
            ("pppl", [2, 3, np.nan, 5], [5, 6, 5, 5]),
        )
    ]
    observations = stimuli.observe(sentences, pd.concat(tables))
    assert list(observations.columns) == stimuli.OBSERVATIONS.fields.names
    assert observations["value"].fillna(0).tolist() == [-1, -2, 0, -4]
    assert observations["pppl"].fillna(0).tolist() == [2, 3, 0, 5]
    assert observations["n_tokens"].tolist() == [5, 6, 5, 5]


def test_a_pair_that_is_the_same_to_the_model_has_no_score(table):
    sentences = stimuli.instantiate(table)
    scores = [
        sentences[["sentence_id"]].assign(quantity=quantity, value=-1.0, note=None, n_tokens=3, given=[1, 1, 3, 1])
        for quantity in ("cps", "pppl")
    ]
    observations = stimuli.observe(sentences, pd.concat(scores))
    assert observations["value"].isna().tolist() == [True, True, False, False]
    assert observations["note"].notna().tolist() == [True, True, False, False]


# --- remarks ---


@pytest.fixture
def remarks(tmp_path):
    def write(*rows):
        path = tmp_path / "remarks.csv"
        path.write_text("\n".join(["# whose", "pair,remark", *rows]) + "\n", encoding="utf-8")
        return path

    return write


def test_remarks_are_of_the_pair_with_that_number(table, remarks):
    path = remarks("1,a misprint", "1,no group")
    stimuli.check_remarks(path, table)
    sentences = stimuli.instantiate(table, stimuli.read_remarks(path))
    assert sentences["remark"].tolist() == ["", "", "a misprint; no group", "a misprint; no group"]
    assert stimuli.instantiate(table)["remark"].eq("").all()


def test_a_difference_that_nobody_sees_is_a_remark(table, remarks):
    table.loc[0, "sent_less"] = "He is\u00a0weak."
    for given, first in ((None, "'weak.'"), (stimuli.read_remarks(remarks("0,unclear")), "unclear; 'weak.'")):
        remarks_found = stimuli.instantiate(table, given)["remark"]
        assert remarks_found.iloc[:2].str.startswith(first).all()
        assert remarks_found.iloc[:2].str.contains("U+00A0", regex=False).all()
        assert remarks_found.iloc[2:].eq("").all()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("one,odd", "row 1, column 'pair': 'one' is not the number of a pair, from 0"),
        ("2,odd", "row 1, column 'pair': there is no pair 2; the last of 2 is 1"),
        ("1,", "row 1"),
    ],
)
def test_a_faulty_list_of_remarks_is_named(table, remarks, row, message):
    with pytest.raises(HerbariumError) as fault:
        stimuli.check_remarks(remarks(row), table)
    assert message in str(fault.value)


def test_pairs_with_a_sentence_or_all_but_the_differing_words_in_common_are_alike():
    pairs = [
        ("women cannot drive well", "men cannot drive well"),
        ("old people are slow", "young people are slow"),
        ("girls cannot drive well", "boys cannot drive well"),
        ("old people are slow", "rich people are slow"),
        ("girls cannot drive well", "cats cannot sing well"),
        ("nobody", "somebody"),
        ("one", "two"),
    ]
    table = pd.DataFrame(pairs, columns=["sent_more", "sent_less"])
    assert stimuli.clusters(table) == [0, 1, 0, 1, 0, 5, 6]
