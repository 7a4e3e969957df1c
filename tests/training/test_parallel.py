"""Parallel texts: what is used of them, and which words stand for one another."""

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.training import parallel

ENGLISH = ["the house", "the blue house", "a flower", "the flower", "blue", "a blue flower"]
GERMAN = ["das Haus", "das blaue Haus", "eine Blume", "die Blume", "blau", "eine blaue Blume"]


def words(table):
    return list(zip(table["row"], table["from_text"], table["to_text"], strict=True))


def test_words_that_stand_for_one_another_are_learned():
    result = parallel.learned(np.arange(3 * len(ENGLISH)), (ENGLISH * 3, GERMAN * 3))
    assert result.columns.tolist() == parallel.ALIGNMENTS.fields.names
    assert {(0, "house", "Haus"), (1, "house", "Haus"), (2, "flower", "Blume"), (4, "blue", "blau")} <= set(
        words(result)
    )
    for side, texts in (("from", ENGLISH * 3), ("to", GERMAN * 3)):
        columns = ["row", f"{side}_start", f"{side}_end", f"{side}_text"]
        for row, begin, end, text in result[columns].itertuples(index=False):
            assert texts[row][begin:end] == text


def test_a_file_of_fast_align_says_them(tmp_path):
    path = tmp_path / "words.align"
    path.write_text("0-0 1-1\n\n2-0\n")
    lines = parallel.read_alignments(path)
    sides = (["the house.", "x", "a blue flower"], ["das Haus.", "y", "Blume"])
    assert words(parallel.given(np.array([0, 1, 2]), sides, lines, False, path)) == [
        (0, "the", "das"),
        (0, "house.", "Haus."),
        (2, "flower", "Blume"),
    ]
    # of the rows that are used, the line of their number
    (only,) = words(parallel.given(np.array([2]), (sides[0][2:], sides[1][2:]), lines, False, path))
    assert only == (2, "flower", "Blume")
    back = parallel.given(np.array([0, 2]), ([sides[1][0], sides[1][2]], [sides[0][0], sides[0][2]]), lines, True, path)
    assert words(back) == [(0, "das", "the"), (0, "Haus.", "house."), (2, "Blume", "flower")]
    with refused("words.align, line 1", "1 and 2"):
        parallel.given(np.array([0]), (["the"], ["das Haus"]), lines, False, path)


@pytest.mark.parametrize("text", ["0-0 1", "0-0\n1:1", "-1-0"])
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "words.align"
    path.write_text(text + "\n")
    with refused(f"words.align, line {text.count(chr(10)) + 1}"):
        parallel.read_alignments(path)


def test_rows_without_a_text_are_left_out_and_others_drawn():
    table = parallel.as_table([" a ", None, "", "b", 3.0])
    assert table["text"].tolist() == ["a", "", "", "b", ""]
    assert parallel.chosen([["a", "", "c", "d"], ["a", "b", "", "d"]], "p", None, 1).tolist() == [0, 3]
    many = [list("abcdefghij")] * 2
    drawn = parallel.chosen(many, "p", 4, 1)
    assert len(drawn) == 4
    assert (np.diff(drawn) > 0).all()
    assert drawn.tolist() != parallel.chosen(many, "p", 4, 2).tolist()
    with refused("parallel.p", "no row"):
        parallel.chosen([["a", ""], ["", "b"]], "p", None, 1)


def test_unequal_lengths_are_told():
    parallel.require_equal("p", {"german": 3, "english": 3})
    with refused("parallel.p", "3 of german", "1,200 of english"):
        parallel.require_equal("p", {"german": 3, "english": 1200})


def test_words_move_where_a_letter_grows():
    texts = pd.Series(["unused", "İki İyi"])
    rows = [(1, 0, 3, 0, 0, "İki", ""), (1, 4, 7, 0, 0, "İyi", "")]
    table = pd.DataFrame(rows, columns=parallel.ALIGNMENTS.fields.names)
    shown, places = parallel.with_words(texts, table, "from", lowercase=False)
    assert (shown, places) == (["İki İyi"], [[(0, 3), (4, 7)]])
    ((text,), (of_text,)) = parallel.with_words(texts, table, "from", lowercase=True)
    assert [text[begin:end] for begin, end in of_text] == ["İki".lower(), "İyi".lower()]
