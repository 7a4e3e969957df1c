"""The words that vectors are wanted of."""

import pandas as pd
from tests.metrics.languages.toy import LISTS, words

from herbarium.metrics.languages import stimuli
from herbarium.vectors.tables import WORDS


def test_each_word_once_with_what_is_planted_in_it():
    table = words("spanish")
    assert list(table.columns) == WORDS.fields.names
    assert table["text"].is_unique
    rows = table.set_index("text")
    assert rows.loc["médico", ["concept", "gender", "lean"]].tolist() == ["doctor", 1, 1]
    assert rows.loc["médica", ["concept", "gender", "lean"]].tolist() == ["doctor", -1, 1]
    assert rows.loc["periodista", ["concept", "gender", "lean"]].tolist() == ["journalist", 0, 1]  # one form
    assert rows.loc["mujer", ["concept", "gender", "lean"]].tolist() == ["man", -1, 0]
    assert rows.loc["perro", ["gender", "lean"]].tolist() == [0, 0]
    assert (table["end"] == table["text"].str.len()).all()
    english = words("english").set_index("text")["concept"]  # translations have one concept
    assert rows.loc["perro", "concept"] == english["dog"] != english["cat"]


def test_translations_by_way_of_others():
    pairs = pd.DataFrame([["banco", "bank"], ["banco", "bench"], ["luna", "moon"]], columns=["source", "target"])
    more = pd.DataFrame([["banc", "bench"]], columns=["source", "target"])
    rows = stimuli.concepts([("es", "en", pairs), ("fr", "en", more)])
    assert rows["es", "banco"] == rows["en", "bank"] == rows["fr", "banc"] != rows["es", "luna"]
    assert stimuli.concepts([]) == {}


def test_further_words_and_what_stands_in_two_lists():
    result = stimuli.words(LISTS["english"], ["nurse", "moon"], {}, ["moon", "sun"])
    assert result["text"].tolist()[-2:] == ["moon", "sun"]
    assert result.set_index("text").loc["nurse", "lean"] == 1
