"""Countries exchanged in texts: by hand, form by form, and as evenly as a search through all choices."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.core.random import stream
from herbarium.core.resources import read_text_table
from herbarium.training import country_swapping

FOLDER = "resources/swaps"
ENGLISH = country_swapping.read_terms(f"{FOLDER}/english_countries.csv")


def exchanged(text, target):
    mentions = ENGLISH.mentions(text)
    return ENGLISH.replaced(text, mentions, target), sum(not mention.is_sure for mention in mentions)


# --- terms in a text ---


@pytest.mark.parametrize(
    ("text", "expected", "n_ambiguous"),
    [
        ("France's president left FRANCE.", "Iran's president left IRAN.", 0),
        ("A French town, a Frenchwoman, an old Frenchman", "An Iranian town, an Iranian, an old Iranian", 0),
        ("A FRENCH TOWN", "AN IRANIAN TOWN", 0),
        ("French people like France.", "Iranians like Iran.", 0),
        ("An American, and an American soldier", "A Spaniard, and a Spanish soldier", 0),
        ("An American met us.", "A Spanish met us.", 0),  # a limit: a verb behind it looks like its noun
        ("Americans left the United States.", "Spaniards left Spain.", 0),
        ("He is American.", "He is Spanish.", 1),
        ("the French; in French", "the Iranian; in Iranian", 2),
        ("South Koreans and a South Korean firm in South Korea", "Greeks and a Greek firm in Greece", 0),
        ("North Korea, New Mexico, Latin American", "North Korea, New Mexico, Latin American", 0),
        ("america, Americana, french, Francesca", "america, Americana, french, Francesca", 0),
    ],
)
def test_a_term_becomes_another_in_its_form(text, expected, n_ambiguous):
    target = {"France": "Iran", "America": "Spain", "Korea": "Greece", "Mexico": "Cuba"}
    assert exchanged(text, target) == (expected, n_ambiguous)


@pytest.mark.parametrize("region", ENGLISH.regions)
@pytest.mark.parametrize("form", ["name", "adjective", "singular", "plural"])
def test_each_form_is_written_and_read(region, form):
    text = {"name": "In Peru we", "adjective": "The Peru town", "singular": "It was a Peru.", "plural": "The Peru."}[
        form
    ]
    term = ENGLISH.written[region][form]
    mentions = ENGLISH.mentions(text.replace("Peru", term))
    assert [(mention.region, mention.form) for mention in mentions] == [(region, form)]


def test_articles_are_the_spoken_ones():
    import inflect  # which takes two seconds

    article = inflect.engine().a
    assert {term: article(term).split()[0] for term in ENGLISH.articles} == ENGLISH.articles


@pytest.mark.parametrize(("language", "n"), [("english", 30), ("spanish", 30), ("german", 27)])
def test_lists_have_the_targets_of_categorical_bias(language, n):
    terms = country_swapping.read_terms(f"{FOLDER}/{language}_countries.csv")
    targets = read_text_table(
        f"resources/categorical_bias/{language}/grammatical/targets.csv", ["key", "set", "target"]
    )
    base = targets[targets["set"] == "base"]
    if language == "german":
        base = base[base["aus"] == "aus"]
    assert {region: forms["name"] for region, forms in terms.written.items()} == dict(
        zip(base["key"], base["target"], strict=True)
    )
    assert len(terms.regions) == n


def test_other_languages_have_their_own_forms():
    german = country_swapping.read_terms(f"{FOLDER}/german_countries.csv")
    text = "Frankreichs Nachbar Deutschland, an Spanien"
    target = {"France": "China", "Germany": "Saudi", "Spain": "Italy"}
    assert german.replaced(text, german.mentions(text), target) == "Chinas Nachbar Saudi-Arabien, an Italien"


# --- a corpus ---

TEXTS = [
    *["America is large."] * 40,
    *["An American and a Frenchman in France."] * 15,
    *["Cuba, Syria and Iran; Iran again."] * 9,
    "It rained.",
]


@pytest.mark.parametrize("two_sided", [False, True])
def test_a_corpus(two_sided):
    table = country_swapping.corpus(TEXTS, ENGLISH, 3, two_sided)
    sides = [("swapped",)] * 64 if not two_sided else [("original", "swapped")] * 64
    assert table.groupby("text_id")["side"].agg(tuple).to_list() == [*sides, ("original",)]
    assert table[table["side"] == "original"]["text"].to_list() == [TEXTS[n] for n in range(0 if two_sided else 64, 65)]
    for row in table[table["side"] == "swapped"].itertuples():
        before, after = (ENGLISH.mentions(text) for text in (TEXTS[row.text_id], row.text))
        assert [mention.form for mention in before] == [mention.form for mention in after]
        assert row.n_swapped == len(before)
        pairs = {(a.region, b.region) for a, b in zip(before, after, strict=True)}
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)  # one to one, within the text
        assert all(a != b for a, b in pairs)


def test_a_corpus_is_balanced():
    one = country_swapping.corpus(TEXTS, ENGLISH, 3, False)
    counts = country_swapping.texts_per_country(one["text"], ENGLISH)
    # 40 texts on one country, 15 on two, 9 on three: 97 in 30 countries
    assert sorted(counts) == [3] * 23 + [4] * 7
    two = country_swapping.corpus(TEXTS, ENGLISH, 3, True)
    both = country_swapping.texts_per_country(two["text"], ENGLISH)
    assert both["America"] == 55  # all of its originals, and no copy
    # the other 97 + 97 - 55 in 29 countries; France has 15 already
    assert both["France"] == 15
    assert both.drop(["America", "France", "Cuba", "Syria", "Iran"]).max() <= 9


def test_the_seed_decides():
    one, again, other = (country_swapping.corpus(TEXTS, ENGLISH, seed, False) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert not one["text"].equals(other["text"])


def test_a_term_that_is_lost_in_a_longer_name_is_counted(tmp_path):
    path = tmp_path / "terms.csv"
    path.write_text("region,term,form\nFrance,France,name\nAmerica,America,name\n,South America,other\n")
    table = country_swapping.corpus(["In South France.", "France!"], country_swapping.read_terms(path), 1, False)
    assert table[["text", "n_ambiguous"]].to_numpy().tolist() == [["In South America.", 1], ["America!", 0]]


def test_a_corpus_without_a_country_is_refused():
    with refused("english_countries.csv", "none of the 1 texts"):
        country_swapping.corpus(["The turkey, on china."], ENGLISH, 1, False)


# --- which country becomes which ---

N = 4
CORPORA = st.lists(st.sets(st.integers(0, N - 1), max_size=N).map(sorted), max_size=5)
COUNTS = st.lists(st.integers(0, 4), min_size=N, max_size=N).map(np.array)


def smallest(mentioned, counts):
    """The least sum of squares, through all choices of countries."""
    reached = {tuple(counts.tolist())}
    for numbers in mentioned:
        sets = [
            chosen
            for chosen in itertools.combinations(range(N), len(numbers))
            if chosen != tuple(numbers) or len(numbers) != 1
        ]
        reached = {tuple(n + (k in chosen) for k, n in enumerate(before)) for before in reached for chosen in sets}
    return min(sum(n * n for n in after) for after in reached)


@given(CORPORA, COUNTS, st.integers(0, 3))
def test_countries_are_as_even_as_can_be(mentioned, counts, seed):
    given_counts = counts.copy()
    targets = country_swapping.assigned(mentioned, counts, stream(seed, "test"))
    assert (counts == given_counts).all()
    after = Counter(country for of_text in targets for country in of_text.values())
    assert sum((n + after[k]) ** 2 for k, n in enumerate(counts.tolist())) == smallest(mentioned, counts)
    for numbers, of_text in zip(mentioned, targets, strict=True):
        assert list(of_text) == numbers
        assert len(set(of_text.values())) == len(numbers)
        assert all(country != other for country, other in of_text.items())


@pytest.mark.parametrize(
    ("mentioned", "counts"),
    [
        ([[0], [0], [0], [1]], [0, 0, 0, 0]),
        ([[0], [0], [1], [0, 1]], [0, 3, 2, 2]),
        ([[0], [0], [0], [0, 2]], [2, 1, 2, 2]),
    ],
)
@pytest.mark.parametrize("seed", range(20))
def test_what_a_first_choice_spoils_is_put_right(mentioned, counts, seed):
    """Few texts can become the first country; whatever came before them, they do."""
    targets = country_swapping.assigned(mentioned, np.array(counts), stream(seed, "test"))
    after = Counter(country for of_text in targets for country in of_text.values())
    assert sum((n + after[k]) ** 2 for k, n in enumerate(counts)) == smallest(mentioned, np.array(counts))


def test_texts_on_one_country_alone_never_become_it():
    targets = country_swapping.assigned([[0]] * 6, np.zeros(3, int), stream(0, "test"))
    assert Counter(of_text[0] for of_text in targets) == {1: 3, 2: 3}


def test_choices_that_are_equally_even_are_equally_likely():
    """Of three countries, a text on the first becomes one on the second or the third."""
    drawn = [country_swapping.assigned([[0]], np.zeros(3, int), stream(seed, "test"))[0][0] for seed in range(400)]
    assert drawn.count(1) == pytest.approx(200, abs=50)  # five standard errors
    # two countries among themselves: each is the other
    assert country_swapping.assigned([[0, 1]], np.zeros(2, int), stream(0, "test")) == [{0: 1, 1: 0}]


# --- faults of a list ---

TABLE = ["France,France,name,a", "France,French,adjective,a", "Iran,Iran,name,an", "Iran,Iranian,adjective,an"]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([*TABLE, "Peru,Iran,name,a"], ("terms.csv, row 5", "'Iran'", "row 3, for 'Iran'")),
        ([*TABLE, "Iran,Iran,name,an"], ("terms.csv, row 5", "'Iran'", "as name", "row 3")),
        ([*TABLE, "Iran,,name,an"], ("terms.csv, row 5", "''", "'term'")),
        ([*TABLE, ",Persia,name,a"], ("terms.csv, row 5", "''", "'region'")),
        ([*TABLE, "Iran,Old Iran,other,"], ("terms.csv, row 5", "'Old Iran'")),
        ([*TABLE, "Peru,Peru,name,the"], ("terms.csv, row 5", "'Peru'", "'the'")),
        ([*TABLE, "Peru,Peru,name,a"], ("terms.csv", "'Peru'", "adjective", "'France'")),
        (TABLE[:2], ("terms.csv", "one region")),
    ],
)
def test_a_list_with_a_fault_is_refused(tmp_path, rows, fault):
    path = tmp_path / "terms.csv"
    path.write_text("\n".join(["region,term,form,a", *rows]))
    with refused(*fault):
        country_swapping.read_terms(path)
