"""Biographies: what is read, scrubbed, cut, divided and left out, and what is said of it."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.metrics.biographies.toy import laid_out, task
from tests.refusals import refused

from herbarium.core.resources import finder
from herbarium.metrics.biographies import planted_texts, stimuli
from herbarium.vectors.tables import Vectors


def plain(**changed):
    return task(data={"planted": None}, **changed)


def table(*rows):
    return pd.DataFrame(rows, columns=["text", "occupation", "gender", "name"])


COOK = ("She cooks.", "cook", "female", "Mira Oh")
GUARD = ("He guards.", "guard", "male", "Carl")


def test_scrubbing_takes_out_words_and_names_wherever_they_stand_and_nothing_else():
    finds = finder(["he", "she", "Mr.", "mr", "Ms.", "his"], re.IGNORECASE)
    text = "Mr. Oh said: Mira, he is the best. HE; there, himself, Ohio."
    assert stimuli.scrubbed(text, finds, "Mira Oh") == "said:, is the best.; there, himself, Ohio."
    assert stimuli.scrubbed("There she is", finds) == "There is"
    assert stimuli.scrubbed("Nothing of it.", finds, "") == "Nothing of it."


def test_texts_are_cut_at_words():
    assert stimuli.cut("a  b c", 2) == "a b"
    assert stimuli.cut("a  b", 2) == "a  b"


def test_what_cannot_be_used_is_counted_by_why():
    rows = table(
        COOK, GUARD, ("They cook.", "cook", "other", ""), (" ", "cook", "male", ""), ("Who?", "", "male", ""), COOK
    )
    labelled, left_out = stimuli.labelled({None: rows}, plain(), "bios.csv")
    assert labelled["text"].tolist() == ["She cooks.", "He guards."]
    assert left_out == {
        **{"of another gender": 1, "without text": 1, "without occupation": 1},
        "with the text of an earlier one": 1,
    }


def test_numbers_have_names_and_splits_are_those_of_the_hub():
    tables = {
        split: pd.DataFrame({"hard_text": [f"{split} 1", f"{split} 2"], "profession": [0, 1], "gender": [0, 1]})
        for split in ("train", "test", "dev")
    }
    settings = plain(
        **{"text": "hard_text", "occupation": "profession", "occupations": ["nurse", "poet"], "name": None},
        **{"female": ["1"], "male": ["0"], "train": ["train", "dev"], "test": ["test"]},
    )
    labelled, left_out = stimuli.labelled(tables, settings, "bios")
    assert labelled["occupation"].tolist() == ["nurse", "poet"] * 3
    assert labelled["part"].tolist() == ["train", "train", "test", "test", "train", "train"]
    assert left_out == {}
    labelled, left_out = stimuli.labelled(tables, settings | {"train": ["train"]}, "bios")
    assert left_out == {"of another split": 2}
    with refused("bios", "'1'", "'profession'", "0 to 0", "'occupations'"):
        stimuli.labelled(tables, settings | {"occupations": ["nurse"]}, "bios")


@pytest.mark.parametrize(
    ("changed", "rows", "fault"),
    [
        ({"occupation": "ocupation"}, [COOK, GUARD], ("'ocupation'", "'occupation'")),
        ({}, [COOK, COOK], ("2 rows", "'gender'", "'male'", "'female' (2)")),
        ({}, [COOK, ("He.", "cook", "male", "")], ("2 biographies", "1 occupation")),
        ({"column": "name", "train": ["a"], "test": ["b"]}, [COOK, GUARD], ("2 rows", "'a'", "'Mira Oh'")),
    ],
)
def test_a_faulty_table_is_told_with_numbers(changed, rows, fault):
    with refused("bios.csv", *fault):
        stimuli.labelled({None: table(*rows)}, plain(**changed), "bios.csv")


def test_of_each_occupation_and_gender_the_same_share_is_to_test_with():
    rows, _ = stimuli.labelled({None: planted_texts.table("toy", 0.0, 800, 7)}, task(), "planted")
    divided = stimuli.divided(rows, 0.25, 10_000, "toy", 7)
    share = (divided["part"] == "test").groupby([divided["occupation"], divided["gender"]]).agg(["sum", "size"])
    assert ((share["sum"] - 0.25 * share["size"]).abs() <= 0.5).all()
    assert stimuli.divided(rows, 0.25, 10_000, "toy", 7).equals(divided)
    assert len(stimuli.divided(rows, 0.25, 300, "toy", 7)) == 300
    given = rows.assign(part="train")
    assert stimuli.divided(given, 0.25, 10_000, "toy", 7)["part"].eq("train").all()


def test_occupations_with_few_of_a_gender_are_named():
    rows = [("cook", gender, part) for gender in ("female", "male") for part in ("train", "test") for _ in range(3)]
    rows += [
        ("guard", gender, part) for gender, part, _ in zip(["male"] * 6, ["train", "test"] * 3, range(6), strict=True)
    ]
    rows += [("guard", "female", "train")] * 3 + [("guard", "female", "test")] * 2
    frame = pd.DataFrame(rows, columns=["occupation", "gender", "part"])
    assert stimuli.few(frame, 3) == {"guard": "2 female to test"}
    assert stimuli.few(frame, 2) == {}


def test_words_and_design_go_row_by_row():
    words, design = laid_out()
    n = len(design) // 2
    assert (words["start"] == 0).all()
    assert (words["end"] == words["text"].str.len()).all()
    as_is, bare = words["text"][:n], words["text"][n:]
    assert design["form"].tolist() == ["as_is"] * n + ["scrubbed"] * n
    assert design["biography"][:n].tolist() == design["biography"][n:].tolist()
    assert not bare.str.contains(r"\b(?:he|she|Mira|Anton)\b", case=False, regex=True).any()
    assert as_is.str.contains(r"\b(?:he|she)\b", case=False, regex=True).all()
    assert (words["gender"][n:] == 0).all()
    assert set(words["gender"][:n]) == {-1.0, 1.0}


def test_a_text_of_names_alone_is_left_out_and_cut_ones_are_counted():
    rows = table(("Mira she.", "cook", "female", "Mira"), ("A b c d", "guard", "male", ""))
    labelled, _ = stimuli.labelled({None: rows}, plain(), "bios.csv")
    words, design, text = stimuli.instantiate(stimuli.divided(labelled, 0.5, 99, "t", 1), ["she"], 3)
    assert words["text"].tolist() == ["A b c", "A b c"]
    assert design["biography"].tolist() == [0, 0]
    assert text == {"cut to 3 words": 1, "left out, as scrubbing leaves nothing": 1}


def test_what_the_page_says_of_texts_is_counted():
    _, design = laid_out(n=800)
    counts = stimuli.counted(design, {"cut to 3 words": 1}, {"pilot": "1 female to test"})
    assert (counts["n"], counts["n_occupations"]) == (800, 8)
    assert sum(n for genders in counts["parts"].values() for n in genders.values()) == 800
    about = design[design["form"] == "scrubbed"]
    assert counts["parts"]["test"]["male"] == ((about["part"] == "test") & (about["gender"] == "male")).sum()
    assert (counts["said"], counts["left_out"]) == ({"cut to 3 words": 1}, {"pilot": "1 female to test"})


@pytest.mark.slow
def test_planted_texts_show_what_they_should():
    table = planted_texts.table("toy", 1.6, 16_000, 3)
    assert not table["text"].duplicated().any()
    is_shown = table["topic"] == table["occupation"]
    share = table["occupation"].map(planted_texts.SHARES)
    sign = table["gender"].map({"female": 1, "male": -1})
    expected = planted_texts.SHOWN + sign * 1.6 * (share - 0.5) / 2
    rows = pd.DataFrame({"shown": is_shown, "expected": expected, "n": 1})
    groups = rows.groupby([table["occupation"], table["gender"]]).agg({"shown": "mean", "expected": "mean", "n": "sum"})
    error = (groups["expected"] * (1 - groups["expected"]) / groups["n"]) ** 0.5
    assert ((groups["shown"] - groups["expected"]).abs() <= 4 * error + 1e-9).all()
    assert groups["expected"].between(0, 1).all()
    women = (table["gender"] == "female").groupby(table["occupation"]).mean()
    assert (women - pd.Series(planted_texts.SHARES)).abs().max() < 0.05


def test_texts_have_the_mean_of_their_words():
    texts = ["a b, b", "B c", "c"]
    words = stimuli.vocabulary(texts)
    assert words["text"].tolist() == ["B", "a", "b", "c"]
    values = np.array([[1, 1], [3, 0], [0, 6], [np.nan, np.nan]], dtype=np.float32)[:, None]
    known = Vectors(["input"], values, np.ones(4, dtype=int), np.full(4, None, dtype=object))
    means = stimuli.averaged(texts, words["text"], known)
    np.testing.assert_allclose(means.values[:, 0], [[1, 4], [1, 1], [np.nan, np.nan]])
    assert means.notes.tolist() == [None, None, "no word with a vector"]
    assert means.n_tokens.tolist() == [3, 1, 0]
