import pytest

from herbarium.core import resources
from herbarium.core.errors import HerbariumError


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
    ("text", "message"),
    [
        ("weak\nstrong\nweak\n", "line 3: 'weak' stands already in line 1"),
        ("# source\nweak\n\nstrong\n", "line 3: the line is empty"),
        ("weak\n    wise\n", "line 2: white space around 'wise'"),
        ("# only a comment\n", "the list has no word"),
        (b"caf\xe9\n", "not UTF-8"),
    ],
)
def test_faults_of_a_list_are_named_with_their_line(tmp_path, text, message):
    path = lines(tmp_path, text)
    with pytest.raises(HerbariumError, match=message) as caught:
        resources.read_words(path)
    assert str(path) in str(caught.value)


def test_a_missing_list_is_named(tmp_path):
    with pytest.raises(HerbariumError, match=r"none\.txt: no such file"):
        resources.read_words(tmp_path / "none.txt")


def test_a_cell_may_hold_the_sign_of_comments(tmp_path):
    path = lines(tmp_path, "# said\nkey,text\na,C# it is\n#b,not\n007,1.50\n")
    table = resources.read_text_table(path, ["key"])
    assert table.to_numpy().tolist() == [["a", "C# it is"], ["007", "1.50"]]


def test_rows_longer_than_their_header_are_refused(tmp_path):
    with pytest.raises(HerbariumError, match="a row has more cells than the header"):
        resources.read_table(lines(tmp_path, "a,b\n1,2,3\n4,5,6\n"), ["a"])


def test_a_mark_at_the_beginning_of_a_file_is_no_letter_of_it(tmp_path):
    assert resources.read_words(lines(tmp_path, "\ufeffwise\n")) == ["wise"]
    assert resources.read_table(lines(tmp_path, "\ufeffa,b\n1,2\n"), ["a"])["a"].tolist() == ["1"]


SLOTS = {"region", "description"}


def test_template(tmp_path):
    text = "# source\nPeople in [region] are [description].\n"
    assert resources.read_template(lines(tmp_path, text), SLOTS) == "People in [region] are [description]."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("People in [region] are nice.\n", r"the slot \[description\] must stand once"),
        ("[region] and [region] are [description].\n", "it stands 2 times"),
        ("People in [region] are [description] [ADJ].\n", r"unknown slot \[ADJ\]"),
        ("In [region], [description].\nOf [region], [description].\n", "one template is wanted, 2 are there"),
        ("# nothing\n", "one template is wanted, 0 are there"),
    ],
)
def test_faults_of_a_template_are_named(tmp_path, text, message):
    with pytest.raises(HerbariumError, match=message):
        resources.read_template(lines(tmp_path, text), SLOTS)


def test_the_published_lists_have_the_published_sizes():
    sizes = {
        topic: len(resources.read_words(f"resources/herb/descriptions/{topic}.txt"))
        for topic in ("occupation", "intelligence", "appearance", "strength", "morality")
    }
    assert sizes == {"occupation": 20, "intelligence": 25, "appearance": 25, "strength": 23, "morality": 19}
