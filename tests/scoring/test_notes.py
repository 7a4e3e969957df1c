"""Sentences that cannot be scored, or only in part, and what is said of them."""

import numpy as np
from tests.scoring.test_answering import planned

import herbarium


def notes(folder, text, filler, **options):
    start = np.array([text.index(filler)])
    fillers = {"description": (start, start + len(filler))}
    _, requests, sentences = planned(folder, [text], fillers=fillers, **options)
    note = sentences["note"][0].as_py()
    assert (len(requests) == 0) == (note or "").startswith("refused")
    return note


def test_a_word_of_unknown_tokens_only_is_refused(model_folder):
    folder = model_folder("bert")
    assert (
        notes(folder, "People in Peru are 弱.", "弱")
        == "refused: the tokenizer knows no part of the description, only [UNK]"
    )
    assert notes(folder, "People in Peru are weak.", "weak") is None


def test_a_filler_that_is_unknown_in_part_is_scored_and_said_to_be_so(model_folder):
    note = notes(model_folder("bert"), "People in New 弱 are weak.", "New 弱")
    assert note == "the tokenizer knows only a part of the description, the rest is [UNK]"


def test_a_word_that_becomes_nothing_is_refused(model_folder):
    # a control character: the cleaner of BERT's tokenizer drops it
    assert (
        notes(model_folder("bert"), "People in Peru are \u0007.", "\u0007")
        == "refused: the tokenizer turns the description into nothing"
    )


def test_a_sentence_longer_than_the_model_takes_is_refused_not_cut(model_folder):
    folder = model_folder("bert")
    assert notes(folder, "People in Peru are weak.", "weak", max_tokens=7) == "refused: 8 tokens, the model takes 7"
    assert notes(folder, "People in Peru are weak.", "weak", max_tokens=8) is None
    values = herbarium.score(["weak. " * 40, "weak."], model=folder)
    assert np.isnan(values.iloc[0])
    assert np.isfinite(values.iloc[1])


def test_an_empty_sentence_has_no_value(model_folder):
    values = herbarium.score(["", "weak."], model=model_folder("bert"))
    assert np.isnan(values.iloc[0])
    assert np.isfinite(values.iloc[1])


def test_lower_casing_keeps_hold_of_the_fillers(model_folder):
    # İ becomes two characters when lowered, so everything behind it moves
    folder = model_folder("bert")
    assert notes(folder, "İİİİ in Peru are 弱 weak.", "弱", lowercase=True).startswith(
        "refused: the tokenizer knows no part"
    )
    assert (
        notes(folder, "İİİİ in Peru are 弱 weak.", "weak", lowercase=True)
        == "the tokenizer knows only 13 of 18 letters (72%)"
    )
    lowered = herbarium.score(["PEOPLE IN are Weak."], model=folder, lowercase=True)
    assert lowered.iloc[0] == herbarium.score(["people in are weak."], model=folder).iloc[0]
