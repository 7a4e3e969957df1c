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


def shuffled(text, order):
    """The rows of a table in another order: (place of an identity, place of a template) -> a key."""
    head, *rows = text.splitlines(keepends=True)
    places = [divmod(place, len(toy.ENDS)) for place in range(len(rows))]
    return head + "".join(row for _, row in sorted(zip(places, rows, strict=True), key=lambda both: order(*both[0])))


@pytest.mark.parametrize(
    "order",
    [
        lambda person, template: (template, person),
        lambda person, template: (template, -person),
        lambda person, template: (person, -template if person % 2 else template),  # each in an order of its own
        lambda person, template: (template * person % 3, template, person),
    ],
)
@pytest.mark.parametrize("has_raw", [True, False])
def test_no_sentence_is_lost_in_whichever_order_they_are(read, order, has_raw):
    text = toy.templates() if has_raw else toy.templates().replace("\traw\t", "\tnote\t")
    expected, table = read(text), read(shuffled(text, order))
    assert len(table) == len(expected)
    ends = table.assign(end=[next(end for end in toy.ENDS if text.endswith(end)) for text in table["text"]])
    assert (ends.groupby("template")["end"].nunique() == 1).all()
    both = (of_text.groupby("template")["text"].agg(set).tolist() for of_text in (expected, table))
    assert sorted(map(sorted, next(both))) == sorted(map(sorted, next(both)))


def test_inflected_sentences_are_of_one_template(read):
    """As the authors' in Italian, of which the two groups have other forms of every template."""
    tall = toy.templates({"tall": toy.PEOPLE["tall"]}, ("è una brava [M].", "è stata vista come [M]."))
    short = toy.templates({"short": toy.PEOPLE["short"]}, ("è un bravo [M].", "è stato visto come [M]."))
    table = read(tall + short.removeprefix(toy.HEAD))
    assert len(table) == 9 * 2
    assert table["template"].nunique() == 2


@pytest.mark.parametrize("n_others", [1, 3, 5])
def test_groups_with_other_templates_are_refused(read, n_others):
    others = ("paints every [M].", "sells some [M].", "bakes one [M].", "builds that [M].", "wants this [M].")
    ends = (*toy.ENDS[n_others:], *others[:n_others])
    rows = toy.templates({"tall": toy.PEOPLE["tall"]}), toy.templates({"short": toy.PEOPLE["short"]}, ends)
    with refused("templates.tsv, row 26", "row 1"):
        read(rows[0] + rows[1].removeprefix(toy.HEAD))


def test_identities_with_mostly_other_templates_are_refused(read):
    others = ("paints every [M].", "sells some [M].", "bakes one [M].", "builds that [M].", "wants this [M].")
    halves = [{name: people[half::2] for name, people in toy.PEOPLE.items()} for half in (0, 1)]
    text = toy.templates(halves[0]) + toy.templates(halves[1], others).removeprefix(toy.HEAD)
    with refused("templates.tsv, row 26", "row 1"):
        read(text)


@pytest.mark.parametrize("places", [(0, 1), (1, 3), (0, 4)])
def test_plural_forms_in_another_order_than_singular_ones_are_refused(read, places):
    plural = ["are a [M].", "work as a [M].", "live as a [M].", "are known as a [M].", "like the [M]."]
    ones = {name: [f"{who}s" for who in people] for name, people in toy.PEOPLE.items()}

    def text(ends):
        rows = toy.templates(ones, ends).removeprefix(toy.HEAD).replace("\tsingular\t", "\tplural\t")
        return toy.templates() + rows

    table = read(text(plural))
    assert len(table) == 2 * 9 * 5
    assert table["template"].nunique() == 5
    one, other = places
    plural[one], plural[other] = plural[other], plural[one]
    with refused(f"templates.tsv, row {46 + one}"):
        read(text(plural))
    del plural[0]
    with refused("templates.tsv, row 46", "4", "5"):
        read(text(plural))


@pytest.mark.parametrize(
    ("text", "groups", "told"),
    [
        (toy.templates().replace("\ttall\t", "\tTall\t", 3), {}, ("templates.tsv, row 4", "'tall'", "'Tall'", "row 1")),
        (toy.templates().replace("\ttall\t", "\ttall \t", 1), {}, ("templates.tsv, row 1", "'tall '", "'category'")),
        (toy.templates().replace("\toccupation", "", 1), {}, ("templates.tsv, row 1", "'type'")),
        (toy.templates().replace("\toccupation", "\tOccupation", 1), {}, ("templates.tsv, row 2", "'Occupation'")),
        (toy.templates().replace("\tsingular\ttall\toccupation", "", 1), {}, ("templates.tsv, row 1", "'category'")),
        (toy.templates().replace("is a", "is\N{WORD JOINER} a", 1), {}, ("templates.tsv, row 1", "U+2060")),
        (toy.templates(), {"a": ["tall"], "b": ["short"], "c": []}, ("templates.tsv", "'c'")),
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
        ({"categories": ["mind", "bes"]}, ("lexicon.tsv", "'bes'", "'best'")),
    ],
)
def test_what_is_wrong_with_a_lexicon_is_told(words, changes, told):
    with refused(*told):
        words(**changes)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("dunce\tconservative", "dunce\tConservative", ("row 1", "'Conservative'", "'conservative'")),
        ("conservative\n", "conservative \n", ("row 1", "'conservative '")),
        ("\tinclusive\n", "\n", ("row 4", "'level'")),
        ("\tinclusive\n", "\tinclusiv\n", ("row 4", "'inclusiv'", "'inclusive'")),
        ("manners", "Mind", ("row 3", "'Mind'", "row 1")),
        ("parrot", " ", ("row 4", "'lemma'")),
    ],
)
def test_no_word_of_a_lexicon_is_lost_unsaid(words, old, new, told):
    with refused(f"lexicon.tsv, {told[0]}", *told[1:]):
        words(toy.LEXICON.replace(old, new, 1))


def test_a_category_without_a_word_of_the_level_is_refused(words):
    text = toy.LEXICON + "E6\tn\todd\tno\tape\tinclusive\n"
    assert words(text, "inclusive", ["mind", "odd"])["ape"] == "odd"
    with refused("lexicon.tsv", "'odd'", "'conservative'"):
        words(text, categories=["mind", "odd"])


def test_a_template_that_an_identity_has_twice_is_two_and_an_identity_that_is_listed_twice_is_one(read):
    """As the authors' in English, of which some identities are the best at two places."""
    ends = ("is the best [M].", "is the best [M].", "works as a [M].")
    people = {"tall": ["tall 0", "tall 1", "tall 0"], "short": ["short 0"]}
    table = read(toy.templates(people, ends))
    assert table["identity"].value_counts().unique().tolist() == [3]
    assert table["template"].nunique() == 3
