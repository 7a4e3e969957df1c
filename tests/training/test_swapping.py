"""Gender swapped in texts: by hand, undone again, and against WinoBias, whose two halves are each other's swap."""

import csv
import re
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.training import english, swapping

FOLDER = "resources/swaps"
SWAPS = swapping.read_pairs(f"{FOLDER}/english_gender.csv")
PUBLISHED = swapping.read_directed(f"{FOLDER}/english_gender_published.csv")
OCCUPATIONS = """
driver,supervisor,janitor,cook,mover,laborer,construction worker,chief,developer,carpenter,manager,lawyer,farmer,
salesperson,physician,guard,analyst,mechanic,sheriff,CEO,attendant,cashier,teacher,nurse,assistant,secretary,auditor,
cleaner,receptionist,clerk,counselor,designer,hairdresser,writer,housekeeper,baker,accountant,editor,librarian,tailor
""".replace("\n", "").split(",")


# --- by hand ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The man gave the girl his book.", "The woman gave the boy her book."),
        ("She saw him. HE SAW HER!", "He saw her. SHE SAW HIM!"),
        ("Mr. King's wife, Ma'am?", "Mrs. Queen's husband, Sir?"),
        ("MRS. Jones and Mr Smith", "MR. Jones and Mrs Smith"),
        ("It is hers, not his.", "It is his, not hers."),
        ("Her car hit his.", "His car hit hers."),
        ("I told her that he'd visit her mother-in-law.", "I told him that she'd visit his father-in-law."),
        ("his or her job; his/her job", "her or his job; her/his job"),
        ("his recently published book", "her recently published book"),
        ("He called her recently.", "She called him recently."),
        ("Saw her, didn't know, wouldn't.", "Saw him, didn't know, wouldn't."),
        ("her badly, sadly, madly. Badly", "him badly, sadly, madly. Badly"),
        ("her only son and her 'friend'", "his only daughter and his 'friend'"),
        ("her well-known novel", "his well-known novel"),
        ("The fiancée thanked the heroes.", "The fiancé thanked the heroines."),
        ("kings\tand \n\n queens  \u00a0 …", "queens\tand \n\n kings  \u00a0 …"),
    ],
)
def test_a_swap_by_hand_and_back(text, expected):
    there = swapping.swapped(text, SWAPS)
    assert (there.text, there.n_ambiguous) == (expected, 0)
    assert swapping.swapped(expected, SWAPS) == (text, there.n_swapped, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Theman womanly heroic manta mankind",
        "man2 2man man_ _her fiance\u0301",
        "hE LaDy gIRL",
        "Ms. Poe will miss a lord",
        "",
    ],
)
def test_what_is_no_word_of_the_list_stays(text):
    assert swapping.swapped(text, SWAPS) == (text, 0, 0)


@pytest.mark.parametrize(
    ("text", "expected", "n_ambiguous"),
    [
        ("They made her laugh.", "They made his laugh.", 1),  # a guess, and a wrong one
        ("He drove her home.", "She drove his home.", 1),
        ("She gave him flowers.", "He gave her flowers.", 1),  # right, but her flowers may be whose?
        ("Hers won, and she won.", "His won, and he won.", 1),
        ("Yes, ma’am", "Yes, sir", 1),  # the straight apostrophe would come back
    ],
)
def test_what_cannot_be_undone_is_counted(text, expected, n_ambiguous):
    there = swapping.swapped(text, SWAPS)
    assert (there.text, there.n_ambiguous) == (expected, n_ambiguous)


def test_words_are_counted():
    assert swapping.swapped("He, his son and the king; nobody else.", SWAPS).n_swapped == 4


# --- undone ---

WORDS = [
    *(cased(word) for word in SWAPS.replacements for cased in (str.lower, str.capitalize, str.upper)),
    *[
        *("the", "of", "gave", "to", "quickly", "back", "flowers", "or", "and", "made", "tailor", "x'y", "12", "é"),
        *("-in-", "'s"),
    ],
]
TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", ", ", ".\n", "/", "-", " “", "”"]))
).map(lambda pieces: "".join(word + between for word, between in pieces))


@given(TEXTS | st.text())
def test_a_swap_without_ambiguity_is_undone_by_another(text):
    there = swapping.swapped(text, SWAPS)
    if not there.n_ambiguous:
        assert swapping.swapped(there.text, SWAPS) == (text, there.n_swapped, 0)


@given(TEXTS)
def test_a_swap_changes_words_of_the_list_alone(text):
    """Taken to pieces, both texts differ in words of the list, and in nothing between them."""
    pieces = [
        re.split(r"(ma'am|mrs?\.|\W+)", side, flags=re.IGNORECASE)
        for side in (text, swapping.swapped(text, SWAPS).text)
    ]
    kept = [[piece for piece in of_side if piece.lower() not in SWAPS.replacements] for of_side in pieces]
    between = [[piece for piece in of_side if piece] for of_side in kept]
    assert between[0] == between[1]


@pytest.mark.parametrize("word", sorted(SWAPS.replacements.keys() - {"her", "his"}))
def test_each_word_comes_back(word):
    there = swapping.swapped(f"{word}.", SWAPS)
    assert there.n_swapped == 1
    assert there.text != f"{word}."
    assert swapping.swapped(there.text, SWAPS).text == f"{word}."


def test_a_pair_takes_one_article():
    import inflect  # which takes two seconds

    article = inflect.engine().a
    pairs = pd.read_csv(f"{FOLDER}/english_gender.csv", comment="#")
    for male, female in pairs[["male", "female"]].itertuples(index=False):
        assert article(male).split()[0] == article(female).split()[0], (male, female)


# --- WinoBias ---


@pytest.mark.parametrize("occupation", OCCUPATIONS)
def test_an_occupation_of_winobias_stays(occupation):
    for text in (f"The {occupation} paid.", f"the {occupation}s", occupation.upper()):
        assert swapping.swapped(text, SWAPS).text == text


def test_the_occupations_are_those_of_winobias(shared):
    files = [shared / "data/winobias" / f"{gender}_occupations.txt" for gender in ("male", "female")]
    assert [line for file in files for line in file.read_text().split("\n") if line] == OCCUPATIONS


def winobias(shared):
    """Pairs of sentences, each way round; marks of mentions are taken out."""

    def sentences(side, kind, split):
        text = (shared / f"data/winobias/{side}_stereotyped_type{kind}.txt.{split}").read_text()
        return [re.sub(r"^\d+ ?|[\[\]]", "", line).strip() for line in text.split("\n") if line.strip()]

    for kind in (1, 2):
        for split in ("dev", "test"):
            pairs = list(zip(*(sentences(side, kind, split) for side in ("pro", "anti")), strict=True))
            yield from pairs
            yield from ((b, a) for a, b in pairs)


def test_her_and_his_in_winobias(shared):
    """The figures of docs/swaps.md: (word, its counterpart) -> words; right; decided; right among the decided."""
    counts = {("her", "him"): Counter(), ("her", "his"): Counter(), ("his", "her"): Counter()}
    for text, other in winobias(shared):
        words, others = (list(re.finditer(r"\w+", side)) for side in (text, other))
        if len(words) != len(others):
            continue
        for word, gold in zip(words, others, strict=True):
            count = counts.get((word[0].lower(), gold[0].lower()))
            if count is not None:
                is_determiner, is_sure = english.is_determiner(text, *word.span())
                is_right = is_determiner == ((word[0].lower(), gold[0].lower()) != ("her", "him"))
                count.update(words=1, right=is_right, decided=is_sure, both=is_right and is_sure)
    numbers = {
        pair: tuple(count[name] for name in ("words", "right", "decided", "both")) for pair, count in counts.items()
    }
    assert numbers == {
        ("her", "him"): (702, 645, 652, 645),
        ("her", "his"): (183, 183, 167, 167),
        ("his", "her"): (183, 183, 167, 167),
    }


def test_most_sentences_of_winobias_become_those_of_the_other_half(shared):
    pairs = list(winobias(shared))
    exact = [sum(swapping.swapped(text, swaps).text == other for text, other in pairs) for swaps in (SWAPS, PUBLISHED)]
    assert (len(pairs), *exact) == (3168, 3058, 2907)


def test_her_and_his_in_wikipedia(shared):
    """him and his are what her would be in a swapped text, so that a text of our own gives the answer: the snippets of
    GAP (Webster et al. 2018)."""
    counts = {"him": Counter(), "his": Counter()}
    for split in ("development", "test", "validation"):
        with open(shared / f"data/gap/gap-{split}.tsv", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                for word in re.finditer(r"\b(?:him|his)\b", row["Text"], re.IGNORECASE):
                    is_determiner, is_sure = english.is_determiner(row["Text"], *word.span())
                    is_right = is_determiner == (word[0].lower() == "his")
                    count = counts[word[0].lower()]
                    count.update(words=1, right=is_right, decided=is_sure, both=is_right and is_sure)
    numbers = {
        word: tuple(count[name] for name in ("words", "right", "decided", "both")) for word, count in counts.items()
    }
    assert numbers == {"him": (915, 805, 849, 805), "his": (3428, 3382, 3237, 3191)}


# --- as published ---


def test_the_published_dictionary_is_that_of_the_authors_lists(shared):
    """As word_swapper.py loads them: the first list in one direction, then the second in both."""
    general, extra = (
        [line.split() for line in (shared / f"data/winobias/{name}.txt").read_text().split("\n") if line.strip()]
        for name in ("generalized_swaps", "extra_gendered_words")
    )
    loaded = dict(general)
    for word, other in extra:
        loaded |= {word: other, other: word}
    assert len(loaded) == 251
    published = {word: of_part[""] for word, of_part in PUBLISHED.replacements.items() if "" in of_part}
    assert published == loaded
    assert PUBLISHED.replacements.keys() - published.keys() == {"her"}


def test_the_published_dictionary_has_its_known_faults():
    words = {word: of_part[""] for word, of_part in PUBLISHED.replacements.items() if "" in of_part}
    lost = {word for word, other in words.items() if words.get(other) != word and word not in ("him", "his")}
    assert lost == {
        *["chairmen", "chairwomen", "gal", "gals", "guy", "guys", "groom", "grooms", "lord", "lords", "mentleman"],
        *["miss", "ms."],
    }
    assert words["tailor"] == "seamstress"
    assert {"adultor", "godess", "barnoesses", "seamstress'", "mentleman"} <= words.keys()
    assert "hers" not in words
    assert swapping.swapped("The tailor gave the groom hers.", PUBLISHED) == (
        "The seamstress gave the bride hers.",
        2,
        1,
    )
    assert swapping.swapped("The tailor gave the groom hers.", SWAPS) == ("The tailor gave the bride his.", 2, 0)


def test_the_clean_list_has_every_other_word_of_the_published_one():
    gone = PUBLISHED.replacements.keys() - SWAPS.replacements.keys()
    assert gone == {
        *["adultor", "adultors", "adultress", "adultresses", "barnoesses", "godess", "godesses", "heros", "mentleman"],
        *["bridegroom", "bridegrooms", "governor", "governors", "governess", "governesses", "lord", "lords", "miss"],
        *["ms.", "tailor", "tailors", "seamstress", "seamstress'"],
    }


# --- corpora ---


def test_a_corpus_by_hand():
    texts = ["He left.", "It rained.", "I saw her."]
    one, two = (swapping.corpus(texts, SWAPS, two_sided) for two_sided in (False, True))
    assert [tuple(row) for row in one.to_numpy()] == [
        (0, "swapped", "She left.", 1, 0),
        (1, "original", "It rained.", 0, 0),
        (2, "swapped", "I saw him.", 1, 0),
    ]
    assert [(row.text_id, row.side, row.text) for row in two.itertuples()] == [
        (0, "original", "He left."),
        (0, "swapped", "She left."),
        (1, "original", "It rained."),
        (2, "original", "I saw her."),
        (2, "swapped", "I saw him."),
    ]


def test_a_corpus_without_a_word_of_the_list_is_refused():
    with refused("english_gender.csv", "none of the 2 texts"):
        swapping.corpus(["It rains.", "Elle arrive."], SWAPS, True)


# --- names ---


def test_names_are_numbered_as_they_are_mentioned():
    text = "Mary Poe met Jim. Jim's dog bit Poe; Mary Poe laughed at Jimmy, E2."
    assert swapping.anonymised(text, ["Jim", "Poe", "Mary Poe"]) == (
        "E1 met E3. E3's dog bit E4; E1 laughed at Jimmy, E2."
    )
    assert swapping.anonymised(text, []) == text


@given(st.lists(st.sampled_from(["Jim", "Mary Poe", "he", "Her", "the waiter", "it", "E1", "Poe,"]), max_size=12))
def test_names_are_taken_out_before_the_swap_or_behind_it(words):
    """But of a word that is no name: what is swapped and what is numbered do not meet."""
    text, names = " ".join(words), ["Jim", "Poe", "Mary Poe"]
    assert swapping.anonymised(swapping.swapped(text, SWAPS).text, names) == (
        swapping.swapped(swapping.anonymised(text, names), SWAPS).text
    )


def test_an_empty_name_is_refused():
    with refused(None, "names"):
        swapping.anonymised("a", ["Jim", " "])


# --- faults of a list ---


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (["king,queen,", "lord,lady,", "gentleman,lady,"], ("pairs.csv, row 3", "'lady'", "row 2", "undone")),
        (["king,queen,", "queen,drag queen,"], ("pairs.csv, row 2", "'queen'", "row 1")),
        (["king,queen,", "king,queen,"], ("pairs.csv, row 2", "'king'", "row 1")),
        (["him,her,object", "his,her,"], ("pairs.csv, row 2", "'her'", "row 1")),
        (["his,her,", "him,her,object"], ("pairs.csv, row 2", "'her'", "row 1")),
        (["king,king,"], ("pairs.csv, row 1", "'king'")),
        (["king,,"], ("pairs.csv, row 1", "''", "'female'")),
        (["King,queen,"], ("pairs.csv, row 1", "'King'")),
        (["him,her,verb"], ("pairs.csv, row 1", "'verb'", "determiner, object, pronoun")),
        (["him,her,object", "his,her,pronoun"], ("pairs.csv, row 1", "'her'", "object, pronoun")),
        ([], ("pairs.csv", "no rows")),
    ],
)
def test_a_list_that_cannot_be_undone_is_refused(tmp_path, rows, fault):
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["male,female,part", *rows]))
    with refused(*fault):
        swapping.read_pairs(path)


def test_a_directed_list_has_each_word_once(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("word,replacement,part\nlord,lady,\nlady,gentleman,\nlord,dame,\n")
    with refused("words.csv, row 3", "'lord'", "row 1"):
        swapping.read_directed(path)


def test_a_list_may_stand_for_another_language(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("male,female,part\nroi,reine,\n")
    assert swapping.swapped("Le roi.", swapping.read_pairs(path)) == ("Le reine.", 1, 0)
