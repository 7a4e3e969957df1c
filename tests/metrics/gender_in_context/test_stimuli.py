import re

import pandas as pd
from tests.refusals import refused

from herbarium.core.resources import read_text_table
from herbarium.metrics.gender_in_context import counts, stimuli

SIDES = ["feminine", "masculine"]
NEUTRAL = [("the", "a"), ("because", "and")]


def sentences(*sets):
    """Each set: the two texts, the word, the side of its stereotype."""
    rows = [
        {"set": f"s{number}", "side": side, "text": text, "occupation": word, "stereotype": stereotype}
        for number, (texts, word, stereotype) in enumerate(sets)
        for side, text in zip(SIDES, texts, strict=True)
    ]
    return pd.DataFrame(rows)


COOK = ("The cook phoned the guard because she was late.", "The cook phoned the guard because he was late.")
GUARD = ("She said that the guard had left.", "He said that the guard had left.")


def laid_out(*sets, stereotype="stereotype"):
    words, design, left_out = stimuli.instantiate(sentences(*sets), "occupation", stereotype, SIDES, NEUTRAL)
    asked = [text[start:end] for text, start, end in words[["text", "start", "end"]].itertuples(index=False)]
    return words, design, left_out, asked


def test_both_sides_of_a_pair_and_each_neutral_swap_of_its_first():
    words, design, left_out, asked = laid_out((COOK, "cook", "feminine"))
    assert left_out == []
    assert asked == ["cook"] * 6
    assert design["swap"].tolist() == ["gender"] * 2 + ["the → a"] * 2 + ["because → and"] * 2
    assert design["side"].tolist() == [0, 1] * 3
    assert words["text"].tolist() == [
        *COOK,
        COOK[0],
        "A cook phoned a guard because she was late.",
        COOK[0],
        "The cook phoned the guard and she was late.",
    ]
    assert design["stereotype"].tolist() == [0] * 6


def test_what_a_reader_from_left_to_right_has_seen():
    _, design, _, _ = laid_out((COOK, "cook", ""), (GUARD, "guard", ""))
    of_gender = design[design["swap"] == "gender"]
    assert of_gender["is_seen"].tolist() == [False, False, True, True]
    # the article before the word is seen, the conjunction behind it is not
    assert design.loc[design["swap"] == "the → a", "is_seen"].all()
    assert not design.loc[design["swap"] == "because → and", "is_seen"].any()


def test_the_word_itself_is_never_swapped():
    neutral = [("cook", "guard")]
    _, design, _ = stimuli.instantiate(sentences((COOK, "cook", "")), "occupation", None, SIDES, neutral)
    assert set(design["swap"]) == {"gender"}
    assert design["stereotype"].isna().all()


def test_sets_that_cannot_be_compared_are_told():
    _, design, left_out, _ = laid_out((COOK, "cook", ""), (COOK, "nurse", ""), ((GUARD[0], GUARD[0]), "guard", ""))
    assert design["pair"].unique().tolist() == [0]
    assert left_out == ["s1: a sentence lacks the word 'nurse'", "s2: the sentences are equal"]
    with refused("s0", "'nurse'"):
        laid_out((COOK, "nurse", ""))


def test_a_column_that_is_not_there_is_told():
    with refused(None, "'stereotypes'", "'stereotype'"):
        laid_out((COOK, "cook", ""), stereotype="stereotypes")


def test_an_empty_neutral_word_is_told(tmp_path):
    (tmp_path / "n.csv").write_text("word,replacement\nthe,\n")
    with refused("n.csv, row 1", "''", "'replacement'"):
        stimuli.read_neutral(tmp_path / "n.csv")


def test_our_neutral_swaps_have_no_gender():
    gendered = set(
        pd.read_csv("resources/swaps/english_gender.csv", comment="#")[["male", "female"]].to_numpy().ravel()
    )
    ours = stimuli.read_neutral("resources/gender_in_context/neutral_swaps.csv")
    assert len(set(ours)) == len(ours) > 15
    assert not gendered & {word for pair in ours for word in pair}


def test_an_empty_word_is_nowhere():
    with refused("s0", "''"):
        laid_out((COOK, "", ""))


def test_a_word_with_two_stereotypes_is_refused():
    with refused(None, "'stereotype'", "cook: 'feminine', 'masculine'"):
        laid_out((COOK, "cook", "feminine"), (COOK, "Cook", "masculine"), (GUARD, "guard", "feminine"))
    laid_out((COOK, "cook", "feminine"), (COOK, "cook", "masculine"), stereotype=None)
    table = sentences((COOK, "cook", "feminine"))
    table.loc[1, "stereotype"] = None
    with refused(None, "'stereotype'", "cook: '', 'feminine'"):
        stimuli.instantiate(table, "occupation", "stereotype", SIDES, NEUTRAL)


def test_a_stereotype_that_is_no_side_is_refused_unless_it_is_none():
    laid_out((COOK, "cook", "feminine"), (GUARD, "guard", "neither"), (GUARD, "guards", ""))
    for other in ("Feminine", "feminin"):
        with refused(None, f"'{other}'", "'feminine'"):
            laid_out((COOK, "cook", other), (GUARD, "guard", "masculine"))
    with refused(None, "'f'", "feminine", "masculine"):
        laid_out((COOK, "cook", "f"), (GUARD, "guard", "m"))


def test_in_our_pairs_the_pronoun_comes_before_every_occupation():
    pairs = read_text_table("resources/gender_in_context/pronoun_first.csv", ["id"])
    occupations = counts.read_occupations("resources/gender_in_context/occupations.csv")
    words, design, left_out = stimuli.instantiate(pairs, "occupation", "stereotype", SIDES, [])
    assert left_out == []
    assert design["is_seen"].all()
    assert len(words) == len(design) == 2 * 3 * len(occupations)
    sides = [SIDES[side] for side in design["stereotype"]]
    assert dict(zip(design["word"].str.lower(), sides, strict=True)) == occupations
    pronouns = {("She", "He"), ("she", "he"), ("Her", "His")}
    for _, pair in pairs.groupby("set"):
        she, he = (re.findall(r"\w+", text) for text in pair.set_index("side").loc[SIDES, "text"])
        assert {(one, other) for one, other in zip(she, he, strict=True) if one != other} <= pronouns


def test_words_that_come_after_what_differs():
    texts = ["She is a cook.", "He is a cook.", "The nurse said she slept.", "The nurse said he slept."]
    sentences = pd.DataFrame({"text": texts, "set": list("aabb"), "side": ["f", "m"] * 2})
    sentences["occupation"] = ["cook", "cook", "nurse", "nurse"]
    assert stimuli.words_behind(sentences, "occupation", ["f", "m"]) == {"cook"}
