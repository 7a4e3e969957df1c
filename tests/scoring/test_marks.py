"""Marks in sentences: what they mark, and what is said of a faulty one."""

import pytest
from tests.refusals import refused

from herbarium.scoring.marks import unmark


def test_words_are_found_where_they_stand_without_marks():
    text, spans = unmark("The nurse said [asked: she] lost [hidden: her own] keys.")
    assert text == "The nurse said she lost her own keys."
    assert [(span.role, text[span.start : span.end]) for span in spans] == [("asked", "she"), ("hidden", "her own")]


def test_a_sentence_without_marks_stays_as_it_is():
    assert unmark("No mark: none (at all).") == ("No mark: none (at all).", [])


@pytest.mark.parametrize("marked", ["[asked:she] came.", "[ asked : she ] came.", "[asked: she] came."])
def test_white_space_in_a_mark_is_not_of_the_words(marked):
    text, (span,) = unmark(marked)
    assert text == "she came."
    assert (span.start, span.end) == (0, 3)


def test_marks_may_touch_and_repeat_a_role():
    text, spans = unmark("[condition: Old][asked: s] are [condition: slow]")
    assert text == "Olds are slow"
    assert [text[span.start : span.end] for span in spans] == ["Old", "s", "slow"]


@pytest.mark.parametrize(
    ("marked", "fault"),
    [
        ("She [asked: is late.", ("'[asked: is late.'", "[asked: words]")),
        ("She [asked: is [hidden: late]].", ("'[asked: is [hidden: '",)),
        ("She is] late.", ("'She is'",)),
        ("She [is] late.", ("'[is]'", "[asked: is]")),
        ("She [aksed: is] late.", ("'aksed'", "'asked'")),
        ("She [subject: is] late.", ("'subject'", "asked, condition, hidden")),
        ("She [asked: ] is late.", ("'[asked:]'",)),
    ],
)
def test_a_faulty_mark_is_told_with_what_would_be_right(marked, fault):
    with refused(None, *fault, kind=ValueError):
        unmark(marked)


@pytest.mark.parametrize(
    "marked",
    [
        *(
            "［asked: she］ came.",
            "【asked: she】 came.",
            "[asked：she] came.",
            "〔 hidden ：she〕 came.",
            "{asked: she} came.",
        ),
        *("［ａｓｋｅｄ：she］ came.", "She is [asked: late] and ［condition: old］."),
    ],
)
def test_a_mark_in_other_brackets_is_no_text(marked):
    with refused(None, "[asked: words]", kind=ValueError):
        unmark(marked)


@pytest.mark.parametrize("text", ["他【注意：慢】走。", "«asked: no»", "A state (condition: good).", "「asked」：她"])
def test_other_brackets_are_text_where_they_begin_no_mark(text):
    assert unmark(text) == (text, [])
