import gzip
import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.core import resources
from herbarium.models import loading, sources
from herbarium.study import faults


def lines(tmp_path, text):
    path = tmp_path / "list.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_words_in_order_without_comments(tmp_path):
    assert resources.read_words(lines(tmp_path, "# source\nweak\nhard-working\n# more\nprotégé\n")) == [
        "weak",
        "hard-working",
        "protégé",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("weak\nstrong\nweak\n", ("list.txt, line 3", "'weak'", "line 1")),
        ("# source\nweak\n\nstrong\n", ("list.txt, line 3", "empty")),
        ("weak\n    wise\n", ("list.txt, line 2", "white space", "'wise'")),
        ("# only a comment\n", ("list.txt", "no words")),
        (b"caf\xe9\n", ("list.txt, line 1", "UTF-8")),
    ],
)
def test_faults_of_a_list_are_named_with_their_line(tmp_path, text, fault):
    path = lines(tmp_path, text)
    with refused(*fault):
        resources.read_words(path)


def test_a_missing_list_is_named(tmp_path):
    with refused("none.txt"):
        resources.read_words(tmp_path / "none.txt")


def test_a_cell_may_hold_the_sign_of_comments(tmp_path):
    rows = '"#b",not\na,"two lines\n# of a cell\n#1"\n007,1.50\n'
    path = lines(tmp_path, f"# said\n#\n\n## more\nkey,text\na,C# it is\n{rows}")
    table = resources.read_text_table(path, ["key"])
    assert table.to_numpy().tolist() == [
        *(["a", "C# it is"], ["#b", "not"], ["a", "two lines\n# of a cell\n#1"], ["007", "1.50"]),
    ]


@pytest.mark.parametrize("row", ["#1,a", "# 1,a", "#MeToo,a", "#1", '# 1,"a\nb"', '# a,b,"c'])
def test_a_comment_that_may_be_a_row_is_refused_with_its_line(tmp_path, row):
    path = lines(tmp_path, f'# said\nkey,text\n1,"two\n# lines"\n{row}\n2,b\n')
    with refused("list.txt, line 5", "#"):
        resources.read_text_table(path, ["key"])


def test_comments_may_stand_between_rows(tmp_path):
    path = lines(tmp_path, 'key,text\n# the first, of "ours", is\n\n1,"a\n\n# b"\n# the last\n2,b\n#\n')
    assert resources.read_text_table(path, ["key"]).to_numpy().tolist() == [["1", "a\n\n# b"], ["2", "b"]]


@pytest.mark.parametrize("line", ["#weak", "#MeToo", "##weak", "#1,a"])
def test_a_line_that_may_be_a_word_or_a_comment_is_refused(tmp_path, line):
    for read in (resources.read_words, resources.lines, lambda path: resources.read_table(path, ["wise"])):
        with refused("list.txt, line 2", "#"):
            read(lines(tmp_path, f"# said\n{line}\nwise\n"))


@pytest.mark.parametrize(
    "cell", ["#NAME?", "#REF!", "#DIV/0!", "#¿NOMBRE?", "#ИМЯ?", "#N/A", "#N/D", "#NV", "#########", "Err:502"]
)
@pytest.mark.parametrize("row", ["{},b", "a,{}"])
def test_what_a_spreadsheet_could_not_compute_is_refused_with_its_line(tmp_path, cell, row):
    with refused("list.txt, line 3", f"'{cell}'"):
        resources.read_text_table(lines(tmp_path, f"key,text\na,#5 is mine!\n{row.format(cell)}\n"), ["key"])


@pytest.mark.parametrize("character", "\u2028\u2029")
def test_only_a_line_feed_ends_a_line(tmp_path, character):
    path = lines(tmp_path, f"a{character}b\r\n\nc")
    assert resources.numbered(path) == [(1, f"a{character}b"), (2, ""), (3, "c")]
    assert resources.numbered(lines(tmp_path, "")) == []


ALIKE = {
    "apostrophe": ("don't", "don’t"),
    "quote": ('"so"', "“so”"),
    "dash": ("hard-working", "hard\u2011working"),
    "soft hyphen": ("hardworking", "hard\u00adworking"),
    "zero width": ("late", "la\u200bte"),
    "direction": ("late", "late\u200f"),
    "accent": ("protégé", "prote\u0301ge\u0301"),
    "wide": ("late", "ｌate"),
    "Cyrillic": ("late", "lаte"),
    "Greek": ("Otto", "Οtto"),
    "space": ("so late", "so\u00a0late"),
    "spaces": ("so late", "so  late"),
}


@pytest.mark.parametrize(("plain", "other"), ALIKE.values(), ids=ALIKE)
def test_texts_whose_words_differ_in_what_nobody_sees(plain, other):
    he, she = "He is quite {} today.", "She, the boss, is quite {} today."
    assert resources.look_alike(he.format(plain), she.format(plain)) is None
    assert resources.look_alike(he.format(other), she.format(other)) is None
    assert resources.look_alike(plain, "entirely different") is None
    assert resources.look_alike(he.format(plain), she.format(other))
    assert resources.look_alike(she.format(other), he.format(plain))


def test_what_differs_unseen_is_told_by_its_code():
    assert resources.look_alike("I don't.", "You don’t.") == "'don't.' (U+0027) and 'don’t.' (U+2019)"


def test_rows_longer_than_their_header_are_refused(tmp_path):
    with refused("list.txt, row 1", "header"):
        resources.read_table(lines(tmp_path, "a,b\n1,2,3\n4,5,6\n"), ["a"])


def test_a_mark_at_the_beginning_of_a_file_is_no_letter_of_it(tmp_path):
    assert resources.read_words(lines(tmp_path, "\ufeffwise\n")) == ["wise"]
    assert resources.read_table(lines(tmp_path, "\ufeffa,b\n1,2\n"), ["a"])["a"].tolist() == ["1"]


SLOTS = {"region", "description"}


def test_template(tmp_path):
    text = "# source\nPeople in [region] are [description].\n"
    assert resources.read_template(lines(tmp_path, text), SLOTS) == "People in [region] are [description]."


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("People in [region] are nice.\n", ("list.txt, line 1", "[description]", 0)),
        ("[region] and [region] are [description].\n", ("list.txt, line 1", "[region]", 2)),
        ("People in [region] are [description] [ADJ].\n", ("list.txt, line 1", "[ADJ]")),
        ("In [region], [description].\nOf [region], [description].\n", ("list.txt", "one template", 2)),
        ("# nothing\n", ("list.txt", "one template", 0)),
    ],
)
def test_faults_of_a_template_are_named(tmp_path, text, fault):
    with refused(*fault):
        resources.read_template(lines(tmp_path, text), SLOTS)


def test_the_published_lists_have_the_published_sizes():
    sizes = {
        topic: len(resources.read_words(f"resources/herb/descriptions/{topic}.txt"))
        for topic in ("occupation", "intelligence", "appearance", "strength", "morality")
    }
    assert sizes == {"occupation": 20, "intelligence": 25, "appearance": 25, "strength": 23, "morality": 19}


@pytest.mark.parametrize("character", ["\0", "\b", "\x1b", "\x0c", "\x7f", "\x85", "\x9b", "\ufffe"])
def test_a_control_character_is_refused_with_its_line(tmp_path, character):
    path = lines(tmp_path, f"weak\nwi{character}se\n")
    fault = ("list.txt", "UTF-8") if character == "\0" else ("list.txt, line 2", f"U+{ord(character):04X}")
    for read in (resources.read_words, lambda path: resources.read_text_table(path, ["weak"])):
        with refused(*fault):
            read(path)


def test_tabs_accents_and_joiners_are_no_control_characters(tmp_path):
    text = "a\tb\r\nprotégé\nمی\u200cخواهم\n👩\u200d🌾\n"
    assert resources.read_words(lines(tmp_path, text)) == ["a\tb", "protégé", "می\u200cخواهم", "👩\u200d🌾"]


INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u206f\u3164\ufe0f"
    "\ufeff\uffa0\U000e0001\U000e0041"
)


@pytest.mark.parametrize("character", INVISIBLE)
@pytest.mark.parametrize("word", ["{}late", "l{}ate", "late{}", "so {} late"])
def test_an_invisible_character_is_refused_in_every_list_and_table(tmp_path, character, word):
    word, code = word.format(character), f"U+{ord(character):04X}"
    path = lines(tmp_path, f"early\n{word}\n")
    if not word.startswith("\ufeff"):
        with refused("list.txt, line 2", code):
            resources.read_words(path)
    with refused("list.txt, line 1", code):
        resources.read_template(lines(tmp_path, f"[a] is so {word}"), {"a"})
    with refused("list.txt, row 1, column 'key'", code):
        path = lines(tmp_path, f'key,text\n"{word}",x\n')
        resources.check_cells(path, resources.read_text_table(path, ["key"]), ["key"])
    assert resources.sameness(word) == resources.sameness(word.replace(character, ""))


@pytest.mark.parametrize("character", ["\u200b", "\u00ad", "\u202e", "\ufeff"])
def test_texts_of_others_with_an_invisible_character_are_counted(character):
    texts = ["They are wise.", f"They a{character}re wise.", "", f"wise{character} a\u00adre"]
    ((what, n),) = resources.with_unseen(texts).items()
    assert (n, f"U+{ord(character):04X}" in what) == (2, True)
    assert resources.with_unseen(texts[::2]) == {}


def test_an_invisible_character_may_stand_where_a_comment_names_it(tmp_path):
    for comment in ("# As the authors have it, with U+200B.\n", ""):
        path = lines(tmp_path, f"{comment}key\nla\u200bte\n")
        table = resources.read_text_table(path, ["key"])
        if comment:
            resources.check_cells(path, table, ["key"])
            path = lines(tmp_path, f"{comment}la\u200bte\near\u00adly\n")
            with refused("list.txt, line 3", "U+00AD"):
                resources.read_words(path)
        else:
            with refused("list.txt, row 1", "U+200B"):
                resources.check_cells(path, table, ["key"])


SPELLED = {
    "Persian": "می‌خواهم",
    "Hindi": "क्‍ष",
    "Bengali": "র‍্য",
    "Malayalam": "അവന്‍",
    "Khmer": "ខ្ញុំ\u200bស្រឡាញ់",
    "Thai": "ภาษา\u200bไทย",
    "Mongolian": "ᠠᠯᠢᠪ\u180eᠠ",
    "emoji": "👩🏽‍🌾 ❤️‍🔥 ©️ 1️⃣",
    "flag": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Chinese": "葛\U000e0100城",
    "accents": "protégé, prote\u0301ge\u0301",
    "spaces": "1\u00a0000\u202f000",
}


@pytest.mark.parametrize("text", SPELLED.values(), ids=SPELLED)
def test_what_belongs_to_the_spelling_is_read(tmp_path, text):
    assert resources.read_words(lines(tmp_path, f"{text}\n")) == [text]
    assert resources.invisible(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("é", "e\u0301"), ("fine", "ﬁne"), ("Ａ", "A"), ("New York", "New\u00a0York")],
    ids=["composed", "ligature", "wide", "space"],
)
def test_words_that_look_alike_are_one_word(tmp_path, one, other):
    path = lines(tmp_path, f"first\n{one}\n{other}\n")
    for repeats in (False, True):
        with refused("list.txt, line 3", "line 2", "look alike"):
            resources.read_words(path, repeats)
    for check in (resources.check_distinct, resources.check_spelling):
        with refused("list.txt, row 3", "row 2", "look alike"):
            check(path, pd.Series(["first", one, other, "last"]))


def test_words_that_differ_are_not(tmp_path):
    words = ["turkey", "Turkey", "ano", "año", "ss", "ß"]
    assert resources.read_words(lines(tmp_path, "\n".join(words))) == words
    resources.check_distinct(tmp_path, pd.Series(words))


def test_a_key_that_stands_twice_is_told_with_both_rows(tmp_path):
    with refused(f"{tmp_path}, row 3", "'b'", "row 2"):
        resources.check_distinct(tmp_path, pd.Series(["a", "b", "b"]))


def test_a_device_is_no_list(tmp_path):
    (tmp_path / "list.txt").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, read in (("list.txt", resources.read_words), ("pipe.csv", sources.require_columns)):
        with refused(name, "device"):
            read(tmp_path / name)
    with refused("/dev/zero", "device"):
        loading.read_lock(Path("/dev/zero"))


def test_a_file_larger_than_anybody_writes_is_refused(tmp_path):
    with open(tmp_path / "list.txt", "wb") as file:
        file.truncate(resources.LARGEST + 1)
    for read in (resources.read_words, resources.read_table, faults.require_file):
        with refused("list.txt", "100 MB"):
            read(tmp_path / "list.txt")


def test_a_table_that_is_small_only_as_long_as_it_is_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST", 1_000_000)
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write("text\n" + "a\n" * 1_000_000)
    with refused("t.csv.gz", "1 MB"):
        sources.require_columns(tmp_path / "t.csv.gz", ["text"])


@pytest.mark.parametrize(("suffix", "comma"), [(".csv", ","), (".csv.gz", ","), (".tsv", "\t")])
def test_a_table_of_a_million_columns_is_refused_before_it_is_read(tmp_path, suffix, comma):
    path = tmp_path / f"t{suffix}"
    text = comma.join(f"c{n}" for n in range(resources.MOST_COLUMNS + 1)) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    reads = [lambda: sources.require_columns(path, ["c1"]), lambda: sources.count_rows(path)]
    for read in [*reads, lambda: resources.read_table(path, ["c1"])][: 3 if suffix == ".csv" else 2]:
        with refused(path.name, "10,001", "10,000"):
            read()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".txt", ".txt.gz"])
def test_zero_bytes_are_no_texts(tmp_path, suffix):
    """Wherever they begin: a file of nothing else takes no space on a disk, and all memory as one line."""
    path = tmp_path / f"t{suffix}"
    for text in (bytes(100), b"text\n" + b"a\n" * 600_000 + bytes(100)):
        path.write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
        with refused(path.name, "zero bytes"):
            sources.count_rows(path)
    path.write_bytes(gzip.compress(bytes(100)) if suffix.endswith("gz") else bytes(100))
    with refused(path.name, "zero bytes"):
        sources.require_columns(path, ["text"])


def test_words_are_found_whole_and_of_those_that_begin_alike_the_longest():
    pattern = resources.finder(["worker", "construction worker", "Mr.", "he"])
    text = "A construction worker, a worker; workers. Mr. Lee said he heard the her(o)."
    assert pattern.findall(text) == ["construction worker", "worker", "Mr.", "he"]
    assert resources.finder(["he"], re.IGNORECASE).findall("He said: he!") == ["He", "he"]


def test_shares_are_from_0_to_1_and_one_in_per_cent_says_how_it_is_written():
    cells = pd.Series(["0", ".83", "1"], name="accuracy")
    assert resources.shares("a.csv", cells).tolist() == [0, 0.83, 1]
    for cell, *facts in (("83", "0.83 for 83 %"), ("-1",), ("",), ("101",)):
        faulty = cells.where(cells.index != 1, cell)
        with refused("a.csv, row 2, column 'accuracy'", f"'{cell}'", "0 to 1", *facts):
            resources.shares("a.csv", faulty)


@given(
    st.one_of(
        st.integers(-(2**53), 2**53).map(str),
        st.decimals(allow_nan=False, allow_infinity=False).map(str).map(str.lower).filter(lambda text: "+" not in text),
        st.sampled_from(["1.0", "1e3", "1E-3", "-0", "0.10", "2023001", "20230011", "1234567.5", "true", "false"]),
    )
)
def test_a_number_of_json_is_the_text_that_stands_there(number):
    line = resources.json_line("t.jsonl", 1, f'{{"id": {number}, "more": [{number}]}}', ["id"], "row")
    assert line["id"] == number


@given(st.text())
def test_a_text_of_json_is_a_cell(text):
    assert resources.json_line("t.jsonl", 1, json.dumps({"id": text}), ["id"], "row") == {"id": text}


@pytest.mark.parametrize(
    "line", ["", "null", "7", "[1]", "{", '{"id": null}', '{"id": [1]}', '{"id": {}}', '{"id": NaN}', "{}", "[" * 10**5]
)
def test_a_line_of_json_without_its_cell_is_refused(line):
    with refused("t.jsonl, line 3", "row"):
        resources.json_line("t.jsonl", 3, line, ["id"], "row")


def test_a_key_that_is_given_twice_in_a_line_of_json_is_refused():
    with refused("t.jsonl, line 3", "'id'"):
        resources.json_line("t.jsonl", 3, '{"id": 1, "id": 2}', ["id"], "row")


@pytest.mark.parametrize(("suffix", "separator"), [("csv", ","), ("tsv", "\t")])
def test_a_row_that_ends_before_a_needed_cell_is_refused(tmp_path, suffix, separator):
    path = tmp_path / f"t.{suffix}"
    path.write_text("\n".join(map(separator.join, [["a", "b", "c"], ["1", "2", "3"], ["4", "5"]])))
    reads = {"csv": (resources.read_table, resources.read_text_table), "tsv": (resources.read_tabs,)}[suffix]
    for read in reads:
        with refused(f"{path.name}, row 2", "'c'"):
            read(path, ["a", "c"])
        assert read(path, ["a", "b"])["b"].tolist() == ["2", "5"]
