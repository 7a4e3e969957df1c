"""Lists of ours and of the authors, and dictionaries."""

import json
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.languages import lists, numbers, score
from herbarium.metrics.languages.spaces import Space
from herbarium.vectors import pairs

FORMS = ["masculine", "feminine"]
# How the feminine form ends where there are two.
FEMININE = {
    "english": "ess|woman|euse|enne|lady|maid",
    "french": "e|maid",
    "german": "in|frau",
    "spanish": "a|triz",
}


@cache
def ours(language):
    return lists.read(f"resources/languages/{language}", lists.LISTS)


def occupations(language):
    return ours(language).occupations


@pytest.mark.parametrize(("language", "feminine"), FEMININE.items())
def test_our_lists(language, feminine):
    """Feminine forms end as those of their language do, masculine ones otherwise, and both begin alike; no form is that
    of two occupations, and concepts stand in the order of English."""
    rows, seeds, english = occupations(language), ours(language).seeds, ours("english")
    assert len(rows) >= 60
    assert len(seeds) == 12
    nouns, words = (set(table[FORMS].stack()) for table in (rows, seeds))
    assert not words & nouns
    assert not any(word.split()[1:] for word in words | nouns)  # files of vectors have single words
    assert (seeds["masculine"] != seeds["feminine"]).all()
    capitals = {word for word in words | nouns if word[0].isupper()}
    assert capitals >= nouns if language == "german" else not capitals
    for table in (rows, seeds):
        forms = pd.concat([table["masculine"], table.loc[table["masculine"] != table["feminine"], "feminine"]])
        assert forms[forms.str.casefold().duplicated()].tolist() == []
    two = rows.query("masculine != feminine")
    ends = {form: two[form].str.contains(f"(?:{feminine})$") for form in FORMS}
    assert two.loc[~ends["feminine"], "feminine"].tolist() == []
    assert two.loc[ends["masculine"], "masculine"].tolist() == []
    begin = two[FORMS].map(lambda word: _without_accents(word.casefold())[:2])
    assert two[begin["masculine"] != begin["feminine"]].to_numpy().tolist() == []
    concepts = rows["concept"].tolist()
    assert concepts == [concept for concept in english.occupations["concept"] if concept in concepts]
    assert seeds["concept"].tolist() == english.seeds["concept"].tolist()
    for name in (
        "occupations.csv",
        "seeds.csv",
    ):  # an accent of its own would be another word
        text = Path(f"resources/languages/{language}/{name}").read_text(encoding="utf-8")
        assert text == unicodedata.normalize("NFC", text)
        cells = [cell for line in text.splitlines() if not line.startswith("#") for cell in line.split(",")]
        assert [cell for cell in cells if cell != cell.strip()] == []


def test_a_form_of_both_genders_is_that_of_the_language():
    languages = ("english", "french", "spanish", "german")
    strong = [len(occupations(language).query("masculine != feminine")) for language in languages]
    assert strong == sorted(set(strong))
    assert len(set.intersection(*(set(occupations(language)["concept"]) for language in languages))) >= 60


def _without_accents(word):
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def test_an_occupation_of_one_form_has_no_gender_to_hard_debiasing():
    """Else a debiased source would have it as a man's or a woman's word, and its gap would be of that."""
    gendered = {word for pair in pairs.read([Path("resources/vectors/english_pairs.csv")]) for word in pair}
    of_one_form = occupations("english").query("masculine == feminine")["masculine"]
    assert sorted(gendered & set(of_one_form)) == []


def test_the_page_says_how_many_pairs_there_are():
    page = Path("docs/metrics/languages.md").read_text(encoding="utf-8")
    tables = [occupations(language) for language in ("english", "spanish", "german", "french")]
    for rows in (tables, [table.query("masculine != feminine") for table in tables]):
        assert "{}, {}, {} and {}".format(*map(len, rows)) in page


@pytest.fixture
def folder(tmp_path):
    def write(masculine, feminine, seeds, code="xx"):
        (tmp_path / f"{code}_male_def_occ").write_text(masculine, encoding="utf-8")
        (tmp_path / f"{code}_female_def_occ").write_text(feminine, encoding="utf-8")
        text = seeds if isinstance(seeds, str) else json.dumps(seeds)
        (tmp_path / f"{code}_gender_pairs.json").write_text(text, encoding="utf-8")
        return tmp_path

    return write


SEEDS = [["ella", "él"], ["mujer", "hombre"]]


def test_the_authors_files(folder):
    """Made up in their format: a tab too many in places, pairs that stand there twice, the feminine seed first."""
    where = folder("cook\tcoco\t\nsmith\t\therro\ncook\tcoco\n", "cook\tcoca\nsmith\therra\nchef\tcoca\n", SEEDS)
    word_lists = lists.read(where, lists.MIBS, "xx")
    assert word_lists.occupations.to_numpy().tolist() == [["cook", "coco", "coca"], ["smith", "herro", "herra"]]
    assert word_lists.seeds[["masculine", "feminine"]].to_numpy().tolist() == [["él", "ella"], ["hombre", "mujer"]]
    assert word_lists.n_repeated == 1


def test_of_english_the_authors_have_one_word_on_a_line(folder):
    word_lists = lists.read(folder("waiter\ncook\n", "waitress\ncook\n", SEEDS, "en"), lists.MIBS, "en")
    assert word_lists.occupations.to_numpy().tolist() == [["waiter", "waiter", "waitress"], ["cook", "cook", "cook"]]


@pytest.mark.parametrize(
    ("masculine", "feminine", "seeds", "fault"),
    [
        ("a\nb\n", "a\n", SEEDS, ("/xx_female_def_occ", "1 words", "xx_male_def_occ has 2")),
        ("a\nb\n", "a\nb\n", "[1, 2]", ("/xx_gender_pairs.json", "JSON")),
        ("a\nb\n", "a\nb\n", "{", ("/xx_gender_pairs.json", "JSON")),
        ("a\n", "b\n", SEEDS, ("", "1 pair of occupations")),
        ("a\nb\n", "c\nd\n", SEEDS[:1], ("", "1 pair of seeds")),
    ],
)
def test_faulty_files_of_the_authors(folder, masculine, feminine, seeds, fault):
    made = folder(masculine, feminine, seeds)
    with refused(f"{made}{fault[0]}", *fault[1:]):
        lists.read(made, lists.MIBS, "xx")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("concept,masculine\na,b\n", ("/occupations.csv", "'feminine'")),
        ("concept,masculine,feminine\na,b,c\nd,b,c\n", ("/occupations.csv, row 2", "'b, c'", "row 1")),
        ("concept,masculine,feminine\na,b,c\na,d,e\n", ("/occupations.csv, row 2", "'a'", "row 1")),
        ("concept,masculine,feminine\na,b,\nd,e,f\n", ("/occupations.csv, row 1", "''", "'feminine'")),
        ("concept,masculine,feminine\na,b,c\n", ("", "1 pair of occupations")),
    ],
)
def test_faulty_lists(tmp_path, text, fault):
    (tmp_path / "occupations.csv").write_text(text)
    (tmp_path / "seeds.csv").write_text("concept,masculine,feminine\nm,n,o\np,q,r\n")
    with refused(f"{tmp_path}{fault[0]}", *fault[1:]):
        lists.read(tmp_path, lists.LISTS)


def test_a_dictionary_of_muse_and_a_vocabulary(tmp_path):
    path = tmp_path / "es-en.txt"
    path.write_text("# by hand\nperro dog\nperro\thound\n\nperro dog\ngato cat\n", encoding="utf-8")
    assert lists.read_dictionary(path).to_numpy().tolist() == [["perro", "dog"], ["perro", "hound"], ["gato", "cat"]]
    for text, *fault in (("perro\n", "es-en.txt, line 1", "'perro'"), ("\n", "es-en.txt", "no word")):
        path.write_text(text)
        with refused(*fault):
            lists.read_dictionary(path)
    path.write_text("perro dog\ngato cat\n")
    (tmp_path / "test.txt").write_text("gato cat\nluna moon\n")
    with refused("test.txt", "1 of its 2", "es-en.txt", "'gato'"):  # of what was learned a test says nothing
        lists.read_dictionaries(path, tmp_path / "test.txt")
    path.write_text("# a list\nsol\nluna\n\nsol\n")
    assert lists.read_vocabulary(path) == ["sol", "luna"]


def test_dictionaries_of_the_demo_are_of_no_occupation_or_seed():
    texts = [path.read_text() for path in Path("resources/languages/demo").glob("*.txt")]
    for language in ("english", "spanish"):
        assert not set(" ".join(texts).split()) & set(pd.concat(ours(language)[:2])[FORMS].stack())


@pytest.mark.parametrize("language", FEMININE)
def test_random_vectors_have_an_in_bias_too(language):
    words = pd.Index(sorted(set(pd.concat(ours(language)[:2])[FORMS].stack())))
    values = []
    for seed in range(20):
        vectors = np.random.default_rng(seed).normal(size=(len(words), 64))
        values.append(score.in_bias(numbers.gaps(ours(language), Space(words, vectors)).gaps).mean())
    assert 0.035 <= np.mean(values) <= 0.045  # about .04, as docs/metrics/languages.md says
