"""The words that vectors are wanted of."""

import pandas as pd
from tests.metrics.languages.toy import LISTS, words

from herbarium.metrics.languages import stimuli
from herbarium.vectors.tables import WORDS


def test_each_word_once_with_what_is_planted_in_it():
    table = words("spanish")
    assert list(table.columns) == WORDS.fields.names
    assert table["text"].is_unique
    of = table.set_index("text")
    assert of.loc["médico", ["concept", "gender", "lean"]].tolist() == ["doctor", 1, 1]
    assert of.loc["médica", ["concept", "gender", "lean"]].tolist() == ["doctor", -1, 1]
    assert of.loc["periodista", ["concept", "gender", "lean"]].tolist() == ["journalist", 0, 1]  # one form
    assert of.loc["mujer", ["concept", "gender", "lean"]].tolist() == ["man", -1, 0]
    assert of.loc["perro", ["gender", "lean"]].tolist() == [0, 0]
    assert (table["end"] == table["text"].str.len()).all()


def test_translations_have_one_concept():
    of = [words(language).set_index("text")["concept"] for language in ("spanish", "english")]
    assert of[0]["perro"] == of[1]["dog"] != of[1]["cat"]
    assert of[0]["médica"] == of[1]["doctor"]


def test_translations_by_way_of_others():
    pairs = pd.DataFrame([["banco", "bank"], ["banco", "bench"], ["luna", "moon"]], columns=["source", "target"])
    more = pd.DataFrame([["banc", "bench"]], columns=["source", "target"])
    found = stimuli.concepts([("es", "en", pairs), ("fr", "en", more)])
    assert found["es", "banco"] == found["en", "bank"] == found["fr", "banc"] != found["es", "luna"]
    assert stimuli.concepts([]) == {}


def test_further_words_and_what_stands_in_two_lists():
    found = stimuli.words(LISTS["english"], ["nurse", "moon"], {}, ["moon", "sun"])
    assert found["text"].tolist()[-2:] == ["moon", "sun"]
    assert found.set_index("text").loc["nurse", "lean"] == 1
