"""Refused sentences: how many, and why."""

import pandas as pd

from herbarium.scoring import refusals


def test_refused_sentences_are_counted_once_by_reason():
    partly = "the tokenizer knows only a part of the region, the rest is [UNK]"
    rows = [
        (1, "refused: 70 tokens, the model takes 64"),
        (1, "refused: 70 tokens, the model takes 64"),  # another quantity of the same sentence
        (2, "refused: 90 tokens, the model takes 64"),
        (3, "refused: the tokenizer knows no part of the region, only [UNK]"),
        (4, partly),
        (5, None),
        (6, "the tokenizer knows only 3 of 9 letters (33%)"),
        (7, "the tokenizer knows only 8 of 10 letters (80%)"),
    ]
    scores = pd.DataFrame(rows, columns=["sentence_id", "note"])
    scores["value"] = scores["sentence_id"].where(scores["sentence_id"] > 3)
    counts = refusals.count([scores[:2], scores[2:]]).set_index("reason")
    assert counts["n"].to_dict() == {
        "more tokens than the 64 that the model takes": 2,
        "the tokenizer knows only some of the letters": 2,
        "the tokenizer knows no part of the region, only [UNK]": 1,
        partly: 1,
    }
    assert counts["refused"].to_dict()[partly] is False
    assert counts["refused"].sum() == 2
    assert set(counts["of"]) == {7}
    nothing = refusals.count([scores[scores["note"].isna()]])
    assert nothing[["n", "of"]].to_numpy().tolist() == [[0, 1]]


def test_of_no_sentence_none_is_refused():
    counts = refusals.count([])
    assert counts[["n", "of"]].to_numpy().tolist() == [[0, 0]]
    assert counts["reason"].isna().all()


def test_models_that_were_left_out_stand_before_the_refusals():
    counted = refusals.count([]).assign(model="m", stimuli="s")
    table = refusals.listed({"gated": "no licence"}, [counted])
    assert list(table["model"]) == ["gated", "m"]
    assert table.loc[table["model"] == "gated", ["stimuli", "reason"]].to_numpy().tolist() == [
        [None, "left out: no licence"]
    ]
    assert list(refusals.listed({}, []).columns) == refusals.REFUSALS.fields.names
