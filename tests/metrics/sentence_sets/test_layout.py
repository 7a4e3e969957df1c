"""Tables whose columns are not ours: a hand-made one of each shape, and what is wrong with some."""

import re

import pandas as pd
import pytest
from pydantic import ValidationError
from tests.refusals import refused

from herbarium.metrics.sentence_sets import formats, stimuli
from herbarium.metrics.sentence_sets.columns import Columns
from herbarium.metrics.sentence_sets.layout import laid_out

WIDE = "n,more,less,kind\n7,Old mills turn.,New mills turn.,age\n8, Old boats leak. ,New boats leak.,sea\n"
LONG = (
    "key\tsentence\twho\tjob\n"
    'smith.1.f\tShe is a "smith", she said.\tShe\tsmith\n'
    'smith.1.m\tHe is a "smith", he said.\tHe\tsmith\n'
    "baker.1.f\tMy aunt is a baker.\taunt\tbaker\n"
    "baker.1.m\tMy uncle is a baker.\tuncle\tbaker\n"
    "baker.1.n\tThey is a baker.\tThey\tbaker\n"
)
PARTS = {"key": r"(?P<noun>\w+)\.(?P<number>\d)\.(?P<gender>[fmn])"}
OF_LONG = {
    "text": "sentence",
    "side": "gender",
    "set": ["noun", "number"],
    "parts": PARTS,
    "only": {"gender": ["f", "m"]},
    "keep": ["job"],
}


@pytest.fixture
def lay_out(tmp_path):
    def laid(content, name="table.csv", **layout):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return laid_out(tmp_path / name, Columns(**layout).model_dump())

    return laid


def test_a_row_is_a_set_with_a_column_for_each_side(lay_out):
    table = lay_out(WIDE, text={"old": "more", "new": "less"}, group="kind")
    assert table.index.tolist() == [0, 0, 1, 1]
    assert table.to_dict("list") == {
        "id": ["1/old", "1/new", "2/old", "2/new"],
        "set": ["1", "1", "2", "2"],
        "side": ["old", "new"] * 2,
        "text": ["Old mills turn.", "New mills turn.", "Old boats leak.", "New boats leak."],
        "group": ["age", "age", "sea", "sea"],
    }


def test_a_row_is_a_sentence_with_its_side_in_part_of_a_cell(lay_out):
    table = lay_out(LONG, "table.tsv", **OF_LONG)
    assert table["set"].tolist() == ["smith/1", "smith/1", "baker/1", "baker/1"]
    assert table["side"].tolist() == ["f", "m", "f", "m"]
    assert table["text"].iloc[0] == 'She is a "smith", she said.'  # quotes mean nothing between tabs
    assert table["job"].tolist() == ["smith", "smith", "baker", "baker"]


def test_words_of_a_column_are_marked_and_pairs_of_words_belong_together(lay_out):
    values = {"who": {"She": "pronoun", "He": "pronoun", "aunt": "aunt-uncle", "uncle": "aunt-uncle"}}
    marks = {"asked": "who", "condition": "job"}
    table = lay_out(LONG, "table.tsv", **OF_LONG | {"set": ["job", "who"], "values": values, "marks": marks})
    assert table["set"].tolist() == ["smith/pronoun", "smith/pronoun", "baker/aunt-uncle", "baker/aunt-uncle"]
    assert table["text"].iloc[0] == '[asked: She] is a "[condition: smith]", she said.'  # as they are written
    assert table["text"].iloc[2] == "My [asked: aunt] is a [condition: baker]."
    text = "text,side,job,who\nMy son is a mason.,m,mason,son\nMy sons son is a mason.,f,mason,son\n"
    table = lay_out(text, text="text", side="side", set=["job"], marks={"asked": "who"})  # a word is no part of another
    assert table["text"].tolist() == ["My [asked: son] is a mason.", "My sons [asked: son] is a mason."]


def test_sets_that_cannot_be_compared_are_left_out_and_listed(tmp_path):
    rows = ["a b.,a c.,x", "same.,same.,x", "x,,x", "a player.,a pl\N{CYRILLIC SMALL LETTER A}yer.,x", "x y x,x z x,x"]
    (tmp_path / "t.csv").write_text("\n".join(["more,less,word", *rows]), encoding="utf-8")
    layout = Columns(text={"m": "more", "l": "less"}).model_dump()
    table = formats.read("table", [tmp_path / "t.csv"], reading={"columns": layout})
    assert table["set"].unique().tolist() == ["1", "5"]
    faults = formats.faults("table", [tmp_path / "t.csv"], reading={"columns": layout})
    assert faults["line"].tolist() == [2, 3, 4]
    assert faults["is_left_out"].all()
    # a word that is not there, or there twice; then no other of the sentence can be marked
    for marks in ({"asked": "word"}, {"asked": "word", "condition": "more"}):
        faults = formats.faults("table", [tmp_path / "t.csv"], reading={"columns": layout | {"marks": marks}})
        assert faults["line"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_file_in_another_encoding_is_read(suffix, tmp_path):
    separator = {"csv": ",", "tsv": "\t"}[suffix]
    text = f"old{separator}new\nDas ältere Gebäude.{separator}Das größere Gebäude.\n"
    for encoding in ("cp1252", "mac_roman", "utf-16", "UTF-8", "utf-8-sig"):
        (tmp_path / f"t.{suffix}").write_bytes(text.encode(encoding))
        layout = Columns(encoding=encoding, text={"old": "old", "new": "new"}).model_dump()
        table = stimuli.read(tmp_path / f"t.{suffix}", layout)
        assert table["text"].tolist() == ["Das ältere Gebäude.", "Das größere Gebäude."]
    (tmp_path / f"t.{suffix}").write_bytes(text.encode("cp1252"))
    with refused(f"t.{suffix}, line 2", "ascii"):
        stimuli.read(tmp_path / f"t.{suffix}", layout | {"encoding": "ascii"})


def test_a_layout_reads_what_a_table_of_ours_says(lay_out, tmp_path):
    ours = "id,set,side,text,town\n1,a,he,[asked: He] is wise.,Lima\n2,a,she,[asked: She] is wise.,Lima\n"
    (tmp_path / "ours.csv").write_text(ours)
    theirs = "who,is,word,town\nhe,He is wise.,He,Lima\nshe,She is wise.,She,Lima\n"
    (tmp_path / "theirs.csv").write_text(theirs)
    layout = Columns(text="is", side="who", set=["town"], marks={"asked": "word"}, keep=["town"]).model_dump()
    columns = ["side", "text", "marked", "group", "town", "asked_words_start", "asked_words_end"]
    expected, table = stimuli.read(tmp_path / "ours.csv"), stimuli.read(tmp_path / "theirs.csv", layout)
    pd.testing.assert_frame_equal(table[columns], expected[columns])


@pytest.mark.parametrize(
    ("layout", "facts"),
    [
        ({"text": "sentense", "side": "who", "set": ["job"]}, ("t.tsv", "'sentense'", "did you mean 'sentence'?")),
        ({"text": {"a": "sentence", "b": "sentense"}}, ("t.tsv", "'sentense'")),
        (OF_LONG | {"keep": ["jobs"]}, ("t.tsv", "'jobs'")),
        (OF_LONG | {"parts": {"key": r"(?P<noun>\w+)\.(?P<gender>[fm])"}}, ("t.tsv, row 1, column 'key'", "smith.1.f")),
        (OF_LONG | {"only": {"gender": ["x"]}}, ("t.tsv", "'x'")),
        (OF_LONG | {"only": {"gender": ["f", "ff"]}}, ("columns.only.gender", "'ff'", "'f'")),
        (OF_LONG | {"only": {"job": ["Baker", "smith"]}}, ("columns.only.job", "'Baker'", "'baker'")),
        # there, but not in a row that another column leaves
        (OF_LONG | {"only": {"gender": ["f"], "who": ["She", "He"]}}, ("columns.only.who", "'He'")),
        (OF_LONG | {"values": {"job": {"smit": "x"}}}, ("columns.values.job", "'smit'", "'smith'")),
        (OF_LONG | {"values": {"gender": {"f": "female", "n": "m"}}}, ("columns.values.gender", "'n'")),
        (OF_LONG | {"parts": {"key": r"(?P<job>.*)"}}, ("t.tsv", "'job'")),
    ],
)
def test_what_a_file_does_not_have_is_named(lay_out, layout, facts):
    with refused(*facts):
        lay_out(LONG, "t.tsv", **layout)


@pytest.mark.parametrize(
    ("layout", "fact"),
    [
        ({"text": "sentence"}, "side"),
        ({"text": {"a": "x"}, "side": "y"}, "side"),
        ({"text": "sentence", "side": "who"}, "set"),
        (OF_LONG | {"parts": {"key": "("}}, "regular expression"),
        (OF_LONG | {"parts": {"key": "x"}}, "(?P<name>"),
        (OF_LONG | {"marks": {"seen": "job"}}, "marks.seen"),
        (OF_LONG | {"only": {"gender": []}}, "only.gender"),
        (OF_LONG | {"values": {"who": {"He": "he"}}}, "values.who"),
        (OF_LONG | {"encoding": "utf8x"}, "utf8x"),
        (OF_LONG | {"encoding": "base64"}, "base64"),
    ],
)
def test_what_a_layout_lacks_is_named(layout, fact):
    with pytest.raises(ValidationError, match=re.escape(fact)):
        Columns(**layout)


def test_sets_are_told_apart_by_each_of_their_columns(lay_out):
    text = "a,b,who,is\nx/y,z,f,One.\nx/y,z,m,Two.\nx,y/z,f,Three.\nx,y/z,m,Four.\n"
    table = lay_out(text, text="is", side="who", set=["a", "b"])
    assert table.groupby("set", sort=False)["text"].agg(list).tolist() == [["One.", "Two."], ["Three.", "Four."]]
    assert table["id"].is_unique


def test_values_of_the_side_have_other_names(lay_out):
    table = lay_out(LONG, "t.tsv", **OF_LONG | {"values": {"gender": {"f": "female", "m": "male"}}})
    assert table["side"].tolist() == ["female", "male"] * 2
    assert table["id"].iloc[0] == "smith/1/female"


def test_values_name_more_than_a_table_has_only_if_it_is_a_part(lay_out):
    """As those of a card of the catalogue, of whose table a user has a few rows."""
    mapped = OF_LONG | {"values": {"gender": {"f": "female", "m": "male", "mm": "other"}}}
    assert lay_out(LONG, "t.tsv", **mapped, partial=True)["side"].unique().tolist() == ["female", "male"]
    with refused("columns.values.gender", "'mm'", "'m'"):
        lay_out(LONG, "t.tsv", **mapped)
    with refused("columns.values.gender", "'mm'", "'m'"):  # 'm' is in the file, and not among the values
        lay_out(LONG, "t.tsv", **OF_LONG, partial=True, values={"gender": {"f": "female", "mm": "male"}})


def test_every_row_is_used_or_left_out_for_a_reason(tmp_path):
    (tmp_path / "t.tsv").write_text(LONG, encoding="utf-8")
    reading = {"columns": Columns(**OF_LONG).model_dump()}
    used = formats.read("table", [tmp_path / "t.tsv"], reading=reading)
    faults = formats.faults("table", [tmp_path / "t.tsv"], reading=reading)
    assert len(used) + faults["is_left_out"].sum() == 5
    assert faults["line"].tolist() == [5]
    assert "gender" in faults["fault"].iloc[0]


def test_an_optional_part_that_is_not_there_is_empty(lay_out):
    text = "key,is\na1f,One.\na1m,Two.\nbf,Three.\nbm,Four.\n"
    parts = {"key": r"(?P<name>[ab])(?P<number>\d)?(?P<who>[fm])"}
    assert lay_out(text, text="is", side="who", set=["name", "number"], parts=parts)["set"].tolist() == [
        *["a/1", "a/1", "b/", "b/"]
    ]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("m,f,word\nHe is.,She is.,HE\nHe was.,She was.,he\n", {"marks": {"asked": "word"}}),
        ("m,f,word\nHe is.,She is.,\n", {"marks": {"asked": "word"}}),
        ("m,f\nHe is.,He is.\n", {}),
        ("m,f\nHe is.,\n", {}),
        ("m,f\nHe is.,H\N{CYRILLIC SMALL LETTER IE} is.\n", {}),
        ("m,f\nHe is.,She\N{ZERO WIDTH NO-BREAK SPACE} is.\n", {}),
        ("m,f\nnaïve,nai\N{COMBINING DIAERESIS}ve\n", {}),
    ],
)
def test_a_table_of_which_every_set_is_left_out_is_refused_with_the_reason(tmp_path, text, layout):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    reading = {"columns": Columns(text={"m": "m", "f": "f"}, **layout).model_dump()}
    fault = formats.faults("table", [tmp_path / "t.csv"], reading=reading)["fault"].iloc[0]
    with refused("t.csv", "row 1", fault):
        formats.read("table", [tmp_path / "t.csv"], reading=reading)
