"""Content that is there more than once."""

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from herbarium.statistics import repeats

TEXT = "Café owners can't drive."
COPIES = {
    "as it is": TEXT,
    "capitals": TEXT.upper(),
    "spaces": f"  {TEXT.replace(' ', '  ')}\t",
    "no-break space": TEXT.replace(" ", "\u00a0"),
    "decomposed": unicodedata.normalize("NFD", TEXT),
    "no full stop": TEXT.removesuffix("."),
    "typographic apostrophe": TEXT.replace("'", "\u2019"),
    "zero-width space": TEXT.replace("drive", "dri\u200bve"),
    "soft hyphen": TEXT.replace("drive", "dri\u00adve"),
    "full width": TEXT.replace("drive", "\uff44\uff52\uff49\uff56\uff45"),
}
OTHERS = [
    "Cafe owners can't drive.",
    "Café owners can drive.",
    "Café-owners drive can't",
    "क",
    "की",
    "कि",
    "?",
    "!",
    "+",
    "-",
]


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_copy_has_the_same_content(copy):
    assert repeats.content(copy) == repeats.content(TEXT)


def test_other_words_are_other_content():
    assert len({repeats.content(text) for text in [TEXT, *OTHERS]}) == 1 + len(OTHERS)


@given(st.lists(st.sets(st.integers(0, 12), max_size=3), max_size=12))
def test_units_are_alike_if_a_chain_of_keys_joins_them(keys):
    joined = [{number} for number in range(len(keys))]
    for _ in keys:
        joined = [
            {other for at in group for other in range(len(keys)) if other == at or keys[other] & keys[at]}
            for group in joined
        ]
    assert repeats.clusters(keys) == [min(group) for group in joined]


def test_units_that_differ_keep_their_names():
    names = ["b", "a", "b", "c"]
    assert repeats.firsts(names, [["x"], ["y"], ["z"], ["w"]]).tolist() == names
    assert repeats.firsts(names, [["x"], ["y"], ["z"], ["z"]]).tolist() == ["b", "a", "b", "b"]
    assert repeats.alike(pd.Series(["One.", "two", " one "], name="text")).tolist() == ["One.", "two", "One."]
    assert repeats.remark(3, 3, "texts") is None
    assert "3 texts" in repeats.remark(3, 2, "texts")
