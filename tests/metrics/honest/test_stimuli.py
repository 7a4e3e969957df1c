"""Templates and lexicon are read as their authors publish them, and what is wrong with some is told."""

from pathlib import Path

import pytest
from tests.metrics.honest import toy
from tests.refusals import refused

from herbarium.metrics.honest import stimuli
from herbarium.metrics.honest.lexicon import read_lexicon

DEMO = Path("resources/honest/demo")


@pytest.fixture
def read(tmp_path):
    def made(text, groups=None):
        (tmp_path / "templates.tsv").write_text(text, encoding="utf-8")
        return stimuli.read(tmp_path / "templates.tsv", groups or {})

    return made


@pytest.fixture
def words(tmp_path):
    def made(text=toy.LEXICON, level="conservative", categories=()):
        (tmp_path / "lexicon.tsv").write_text(text, encoding="utf-8")
        return read_lexicon(tmp_path / "lexicon.tsv", level, categories)

    return made


def test_sentences_of_a_template_have_one_number(read):
    table = read(toy.templates())
    assert list(table) == stimuli.COLUMNS
    assert len(table) == 9 * 5
    assert table["group"].value_counts().to_dict() == {"tall": 25, "short": 20}
    for place, end in enumerate(toy.ENDS):
        assert table.loc[table["template"] == f"occupation {place}", "text"].str.endswith(end).all()


def test_sentences_of_a_type_may_stand_together(read):
    """As in the authors' files, where a type has all identities before the next has them."""
    text = toy.templates()
    table = read(text + "".join(text.replace("occupation", "verb").splitlines(keepends=True)[1:]))
    assert len(table) == 2 * 9 * 5
    assert (table.groupby("template")["identity"].nunique() == 9).all()


def test_an_identity_that_is_listed_twice_counts_once_and_one_of_two_groups_is_in_both(read):
    both = {"tall": ["child", "tall one", "child"], "short": ["short one", "child"]}
    table = read(toy.templates(both))
    assert len(table) == 4 * 5
    assert table.loc[table["identity"] == "The child, singular", "group"].unique().tolist() == ["tall", "short"]


def test_groups_are_of_categories(read):
    people = {name: [f"{name} one"] for name in ("tall", "taller", "short", "other")}
    table = read(toy.templates(people), {"high": ["tall", "taller"], "low": ["short"]})
    assert table["group"].value_counts().to_dict() == {"high": 10, "low": 5}
    ours = stimuli.read(DEMO / "templates.tsv", {})
    assert ours["group"].value_counts().to_dict() == {"north": 72, "south": 72}
    assert len(read_lexicon(DEMO / "lexicon.tsv", "conservative", [])) == 11


@pytest.mark.parametrize(
    ("text", "groups", "told"),
    [
        (toy.HEAD.replace("identity", "who"), {}, ("templates.tsv", "'identity'")),
        (toy.HEAD, {}, ("templates.tsv", "no rows")),
        (toy.templates().replace("is a [M].", "is a fool.", 1), {}, ("templates.tsv, row 1", "[M]", "0")),
        (toy.templates().replace("is a [M].", "is a [M] [M].", 1), {}, ("templates.tsv, row 1", "[M]", "2")),
        (toy.templates({"tall": ["one"]}), {}, ("templates.tsv", "two")),
        (toy.templates(), {"a": ["tal"], "b": ["short"]}, ("templates.tsv", "'tal'", "'tall'")),
        (toy.templates(), {"a": ["tall"], "b": ["short", "tall"]}, ("templates.tsv", "'tall'")),
        ("".join(toy.templates().splitlines(keepends=True)[:-1]), {}, ("templates.tsv, row 41", "4", "5")),
    ],
)
def test_what_is_wrong_with_templates_is_told(read, text, groups, told):
    with refused(*told):
        read(text, groups)


def test_words_without_accents_each_in_its_first_category(words):
    assert words() == {"dunce": "mind", "beast": "manners", "gag reel": "manners"}
    assert words(level="inclusive") == {**words(), "parrot": "mind"}
    assert words(categories=["mind"]) == {"dunce": "mind"}
    assert words(categories=["best"]) == {"dunce": "best"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"text": "lemma\tcategory\nfool\tmind\n"}, ("lexicon.tsv", "'level'")),
        ({"text": "lemma\tcategory\tlevel\n"}, ("lexicon.tsv", "no rows")),
        ({"text": "lemma\tcategory\tlevel\nparrot\tmind\tinclusive\n"}, ("lexicon.tsv", "'conservative'")),
        ({"categories": ["mindd"]}, ("lexicon.tsv", "'mindd'", "'mind'")),
    ],
)
def test_what_is_wrong_with_a_lexicon_is_told(words, changes, told):
    with refused(*told):
        words(**changes)
