import pandas as pd
import pytest

from herbarium.scoring.sentences import by_sentence, paired_ids, sentence_id, shard_of, told_apart


@pytest.mark.parametrize(
    ("text", "number"),
    [("Peru", 3034969161092672172), ("People in Peru are weak.", 567578259670420461)],
)
def test_a_sentence_keeps_its_number_for_ever(text, number):
    # scores of different runs are joined by it
    assert sentence_id(text) == number
    assert 0 <= sentence_id(text) < 2**63


def test_numbers_of_texts_differ():
    texts = [f"People in {name} are {word}." for name in ("Peru", "Chad", "Palau") for word in ("weak", "wéak", "")]
    assert len({sentence_id(text) for text in texts}) == len(texts)


def test_a_new_key_moves_no_other():
    keys = [f"region {i}" for i in range(200)]
    shards = {key: shard_of(key, 5) for key in keys}
    assert shards == {key: shard_of(key, 5) for key in [*keys, "new"] if key != "new"}
    assert set(shards.values()) == set(range(5))
    assert shard_of("Peru", 5) == 4  # kept: another shard would score anew
    assert {shard_of(key, 1) for key in keys} == {0}


def test_values_stand_by_quantity_and_the_first_note_is_kept():
    scores = pd.DataFrame(
        [(1, "a", 0.5, None), (1, "b", 0.25, "first"), (1, "b", 0.25, "first"), (2, "a", None, None), (1, "c", 1, "x")],
        columns=["sentence_id", "quantity", "value", "note"],
    )
    values, notes = by_sentence(scores)
    assert values.columns.tolist() == ["a", "b", "c"]
    assert values.loc[1].tolist() == [0.5, 0.25, 1]
    assert values.loc[2].isna().all()
    assert notes.to_dict() == {1: "first"}


def test_the_id_of_a_sentence_in_a_pair_depends_on_side_and_partner():
    texts = ["a", "b", "a", "c", "a", "b"]
    ids = paired_ids(["one", "other"] * 3, texts)
    assert ids[0] == sentence_id("one\x1fa\x1fb")
    assert ids[:2] == ids[4:]
    assert len(set(ids)) == 4
    assert paired_ids(["other", "one"], texts[:2])[0] != ids[0]


def test_only_sentences_of_one_set_are_told_apart():
    sets = pd.DataFrame(
        [("a", 1, -1.0), ("a", 1, -1.0), ("a", 2, -3.0), ("b", 1, -1.0), ("b", 3, None)],
        columns=["set", "given", "value"],
    )
    result = told_apart(sets.assign(note="known in part"))
    assert result["value"].isna().tolist() == [True, True, False, False, True]
    assert result["note"].str.startswith("refused").tolist() == [True, True, False, False, False]


def test_a_text_and_its_decomposed_form_are_one_text():
    texts = ["a protégé", "a prote\u0301ge\u0301", "a nurse", "another nurse"]
    sets = pd.DataFrame({"set": "a", "given": [1, 2, 3, 4], "value": -1.0, "note": None, "text": texts})
    result = told_apart(sets)
    assert result["value"].isna().tolist() == [True, True, False, False]
    assert result["note"].str.contains("NFC").tolist() == [True, True, None, None]
    assert told_apart(sets.assign(set=["a", "b", "a", "b"]))["value"].notna().all()
    # a sentence that occurs in several pairs of a set is no other one in each
    same = sets.assign(text=["prote\u0301ge\u0301"] * 4)
    pd.testing.assert_frame_equal(told_apart(same), same)
