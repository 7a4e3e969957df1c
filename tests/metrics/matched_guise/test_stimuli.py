"""Lists of pairs, prompts, attributes and ratings, and the sentences made of them."""

import numpy as np
import pytest
from tests.metrics.matched_guise import toy
from tests.refusals import refused

from herbarium.metrics.matched_guise import planted, stimuli
from herbarium.metrics.matched_guise.stimuli import Lists

ENGLISH = "resources/matched_guise/english"


@pytest.fixture
def files(tmp_path):
    """Writes the lists, of which each is given, or as it should be."""

    def write(**texts):
        contents = {
            "pairs": "I be home\tI am home\n",
            "attributes": "kind\nrude\n",
            "prompts": '"[text]," says one who is [attribute].\n',
            "ratings": "attribute,rating\nkind,1\nrude,-1.5\n",
        } | texts
        for name, text in contents.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return {name: tmp_path / name for name in contents}

    return write


def test_lists_are_read(files):
    assert stimuli.read(**files()) == Lists(
        [("I be home", "I am home")],
        ["kind", "rude"],
        ['"[text]," says one who is [attribute].'],
        {"kind": 1.0, "rude": -1.5},
    )


@pytest.mark.parametrize("kind", ["traits", "occupations"])
def test_our_own_lists_are_read(kind):
    places = {name: f"{ENGLISH}/{kind}_{name}" for name in ("prompts.txt", "ratings.csv")}
    lists = stimuli.read(f"{ENGLISH}/pairs.txt", f"{ENGLISH}/{kind}.txt", places["prompts.txt"], places["ratings.csv"])
    assert len(lists.pairs) == len(lists.attributes) == len(lists.ratings) == 12


@pytest.mark.parametrize(
    ("name", "text", "place", "facts"),
    [
        ("pairs", "I be home I am home\n", "pairs, line 1", ["tab"]),
        ("pairs", "a\tb\nI be\tI am\tI was\n", "pairs, line 2", ["tab"]),
        ("pairs", "I be\t \n", "pairs, line 1", ["tab"]),
        ("pairs", "a\tb\n\n", "pairs, line 2", ["tab"]),
        ("pairs", "I am home\tI am home\n", "pairs, line 1", ["'I am home'"]),
        ("pairs", "a\tb\na\tb\n", "pairs, row 2", ["row 1"]),
        ("pairs", "", "pairs", ["no pairs"]),
        ("attributes", "kind\nrude\nkind\n", "attributes, line 3", ["'kind'", "line 1"]),
        ("prompts", "They are [attribute].\n", "prompts, line 1", ["[text]"]),
        ("prompts", '# ours\n"[text]." They are.\n', "prompts, line 2", ["[attribute]"]),
        ("prompts", "[attribute], who says [text]\n", "prompts, line 1", ["[text]", "[attribute]"]),
        ("prompts", "[text] is an [attribute]\n", "prompts", ["'kind'"]),
        ("ratings", "attribute,rating\nkind,1\nrood,0\n", "ratings", ["'rood'", "rude"]),
        ("ratings", "attribute,rating\nkind,1\nkind,0\n", "ratings, row 2", ["'kind'"]),
        ("ratings", "attribute,rating\nkind,high\nrude,0\n", "ratings, row 1", ["'high'"]),
        ("ratings", "attribute,rating\nkind,inf\nrude,0\n", "ratings, row 1", ["'inf'"]),
        ("ratings", "attribute,rating\nkind,1\nrude,1\n", "ratings", ["equal"]),
        ("ratings", "attribute,score\nkind,1\n", "ratings", ["'rating'"]),
    ],
)
def test_what_is_wrong_is_told_with_its_place(files, name, text, place, facts):
    with refused(place, *facts):
        stimuli.read(**files(**{name: text}))


def test_an_article_takes_the_attributes_that_it_fits():
    fits = {
        (article, attribute): stimuli.takes(f"[text] is {article}[attribute]", attribute)
        for article in ("a ", "an ", "")
        for attribute in ("cook", "artist")
    }
    assert [place for place, fit in fits.items() if not fit] == [("a ", "artist"), ("an ", "cook")]
    assert stimuli.takes("A man says [text]; he is [attribute]", "artist")  # an article elsewhere says nothing


def test_a_sentence_is_a_guise_in_a_prompt_with_the_place_of_the_attribute():
    table = stimuli.instantiate(toy.LISTS, 2)
    assert len(table) == 6 * 2 * 7 * 2
    assert table["sentence_id"].is_unique
    first = table.iloc[0]
    assert first["text"] == 'They say: "I be at home." They are kind.'
    assert first["text"][first["attribute_start"] : first["attribute_end"]] == "kind"
    assert table.groupby("pair")["unit"].first().tolist() == [0, 0, 1, 1, 2, 2]
    assert set(table["guise"][::2]) == {"dialect"}


def test_a_difference_is_the_mean_over_prompts_of_dialect_minus_standard():
    sentences = stimuli.instantiate(toy.LISTS, 1)
    scores = toy.scores(sentences, -0.5)
    value = dict(zip(scores["sentence_id"], scores["value"], strict=True))
    for row in stimuli.observe(sentences, scores).sample(5, random_state=0).itertuples():
        of_row = sentences[(sentences["pair"] == row.pair) & (sentences["attribute"] == row.attribute)]
        means = {name: np.mean([value[key] for key in rows["sentence_id"]]) for name, rows in of_row.groupby("guise")}
        assert row.difference == pytest.approx(means["dialect"] - means["standard"])


def test_what_was_refused_or_is_the_same_to_the_model_has_no_difference():
    sentences = stimuli.instantiate(toy.LISTS, 1)
    scores = toy.scores(sentences, -0.5)
    lost, alike = (sentences.query(f"pair == {pair} and attribute == 'kind'").index for pair in (0, 1))
    scores.loc[lost[0], ["value", "note"]] = [np.nan, "refused: too long"]
    scores.loc[alike[:2], "given"] = -1
    table = stimuli.observe(sentences, scores)
    lacking = table[table["difference"].isna()]
    assert lacking[["pair", "attribute"]].to_numpy().tolist() == [[0, "kind"], [1, "kind"]]
    assert lacking["note"].str.startswith("refused").all()
    assert table.loc[table["attribute"] == "tall", "rating"].isna().all()


def test_sentences_tell_what_was_asked():
    of_sentences, lists = stimuli.asked(stimuli.instantiate(toy.LISTS, 1)), toy.LISTS
    assert of_sentences.prompts == lists.prompts
    assert sorted(of_sentences.attributes) == sorted(lists.attributes)
    assert of_sentences.ratings == lists.ratings
    assert planted.expected(of_sentences, 1.5) == pytest.approx(planted.expected(lists, 1.5))
