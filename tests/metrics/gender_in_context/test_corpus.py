import pytest
from tests.refusals import refused

from herbarium.metrics.gender_in_context import corpus, stimuli

TERMS = "resources/swaps/english_gender.csv"
OCCUPATIONS = {"nurse": "feminine", "driver": "masculine", "construction worker": "masculine"}


def test_a_sentence_and_the_same_of_the_other_gender():
    table = corpus.pairs(["Nobody came. The nurse said that she was late! It rained."], OCCUPATIONS, TERMS)
    assert table["side"].tolist() == corpus.SIDES == ["feminine", "masculine"]
    assert table["text"].tolist() == ["The nurse said that she was late!", "The nurse said that he was late!"]
    assert table[["occupation", "stereotype"]].drop_duplicates().to_numpy().tolist() == [["nurse", "feminine"]]


def test_the_feminine_sentence_comes_first_whichever_was_found():
    table = corpus.pairs(["He is a driver.", "A king met a driver."], OCCUPATIONS, TERMS)
    assert table["text"].tolist() == [
        "She is a driver.",
        "He is a driver.",
        "A queen met a driver.",
        "A king met a driver.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The nurse came.",  # no gendered word
        "She came.",  # no occupation
        "She and he met the driver.",  # of both genders
        "The nurse met the driver and she left.",  # whose vector?
        "She drove with nurses.",  # another word
        "The driver saw her leave.",  # him, or his?
    ],
)
def test_sentences_that_cannot_be_compared_are_left_out(text):
    table = corpus.pairs([text, "He is a construction worker."], OCCUPATIONS, TERMS)
    assert table["occupation"].unique().tolist() == ["construction worker"]


def test_a_sentence_counts_once():
    assert len(corpus.pairs(["He is a driver.\nHe is a driver."] * 3, OCCUPATIONS, TERMS)) == 2


def test_a_corpus_without_such_a_sentence_is_told():
    with refused(None, "3"):
        corpus.pairs(["It rained."], OCCUPATIONS, TERMS)


def test_they_are_laid_out_like_any_other_pairs():
    table = corpus.pairs(["He is a driver.", "She saw the nurse."], OCCUPATIONS, TERMS)
    _, design, left_out = stimuli.instantiate(table, corpus.WORD, corpus.STEREOTYPE, corpus.SIDES, [("the", "a")])
    assert left_out == []
    assert design.query("swap == 'gender'")["stereotype"].tolist() == [1, 1, 0, 0]
    assert design.query("swap == 'gender'")["is_seen"].all()
