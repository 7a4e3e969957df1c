"""Sentences of one's own: how they are read, what is refused, and how they are laid out for scoring."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import transformers
from tests.refusals import refused

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.metrics.sentence_sets import stimuli
from herbarium.scoring.planning import Planner
from herbarium.scoring.quantities import QUANTITIES
from herbarium.scoring.sentences import sentence_id

EXAMPLE = Path("resources/sentence_sets/pronouns/sentences.csv")
HEAD = "id,set,side,text,group,town"
ROWS = [
    "1,a,he,[asked: He] is [condition: weak].,x,Lima",
    "2,a,she,[asked: She] is [condition: weak].,x,Lima",
    "3,b,she,[asked: She] is [condition: wise].,x,Cusco",
    "4,b,he,[asked: He] is [condition: wise].,x,Cusco",
]
SIDES = ["he", "she"]
COLUMNS_OF = {"unit": "set", "crossed_with": None, "each": None}


@pytest.fixture
def written(tmp_path):
    def write(*rows, head=HEAD):
        path = tmp_path / "sentences.csv"
        path.write_text("\n".join(["# a comment", head, *rows]) + "\n", encoding="utf-8")
        return path

    return write


def check(path, sides=SIDES, unit="set", contrast="pairs", score="pll"):
    stimuli.check(path, stimuli.read(path), sides, [unit], contrast, score)


def test_sentences_are_read_with_the_places_of_their_marks(written):
    table = stimuli.read(written(*ROWS))
    assert table["text"].tolist() == ["He is weak.", "She is weak.", "She is wise.", "He is wise."]
    assert stimuli.slots(table) == {"asked_words": "asked", "condition_words": "condition"}
    cut = [
        text[a:b]
        for text, a, b in zip(table["text"], table["condition_words_start"], table["condition_words_end"], strict=True)
    ]
    assert cut == ["weak", "weak", "wise", "wise"]
    assert stimuli.covariates(table) == ["town"]


def test_the_right_answer_of_a_question_is_one_of_its_sides(written):
    sides = ["biased", "counter", "unknown"]
    rows = [
        f"{n},{name},{side},{side} {name},,{answer}"
        for n, (name, side, answer) in enumerate(
            (name, side, answer) for name, answer in (("a", "unknown"), ("b", "biased")) for side in sides
        )
    ]
    path = written(*rows, head="id,set,side,text,group,correct")
    stimuli.check(path, stimuli.read(path), sides, ["set", "correct"], "bbq", "pll")
    path = written(*(row.replace(",,biased", ",,bias") for row in rows), head="id,set,side,text,group,correct")
    with refused("sentences.csv, row 4, column 'correct'", "'bias'", "'biased'"):
        stimuli.check(path, stimuli.read(path), sides, ["set", "correct"], "bbq", "pll")


@pytest.mark.parametrize(
    ("he", "she"),
    [
        ("He isn't late.", "She isn’t late."),
        ("He is late.", "She is\u00a0late."),
        ("[asked: He] is l\u00adate.", "[asked: She] is late."),
    ],
)
def test_sides_that_differ_in_what_nobody_sees_are_refused(written, he, she):
    assert len(stimuli.read(written(*ROWS, f"5,c,he,{he},x,Lima", f"6,d,she,{she},x,Lima"))) == 6
    with refused("sentences.csv, row 6, column 'text'", "row 5", "look alike"):
        stimuli.read(written(*ROWS, f"5,c,he,{he},x,Lima", f"6,c,she,{she},x,Lima"))


def test_what_differs_beside_the_marked_words_is_told_by_row(written):
    assert stimuli.faults(written(*ROWS)) == []
    rows = [
        *ROWS[:3],
        "4,b,he,[asked: He] was [condition: wise].,x,Cusco",
        *(f"{n},c,{side},{side}.,x,Lima" for n, side in ((5, "he"), (6, "she"))),
    ]
    (fault,) = stimuli.faults(written(*rows))  # of the set c nothing is marked
    assert (fault["file"], fault["line"], fault["is_left_out"]) == ("sentences.csv", 4, False)
    assert "in more than the marked words" in fault["fault"]


def test_our_example_has_minimal_pairs():
    assert stimuli.faults(EXAMPLE) == []


def test_marks_groups_and_covariates_are_optional(written):
    table = stimuli.read(written("1,a,he,He is.", "2,a,she,She is.", head="id,set,side,text"))
    assert stimuli.slots(table) == {}
    assert table["group"].tolist() == ["", ""]
    assert stimuli.stimuli_of(stimuli.instantiate(table, SIDES, "pll")).fields.names == [
        "sentence_id",
        *stimuli.COLUMNS,
    ]


def test_a_role_may_be_marked_twice(written):
    table = stimuli.read(written("1,a,he,[hidden: He] lost [hidden: his] way.", "2,a,she,She lost [hidden: her] way."))
    assert stimuli.slots(table) == {"hidden_words": "hidden", "hidden_words_2": "hidden"}
    assert table["hidden_words_2_start"].isna().tolist() == [False, True]


def test_names_like_numbers_and_nothings_stay_text(written):
    table = stimuli.read(written("01,1,NA,He is.,null,1.0", "02,1,nan,She is.,null,1.0"))
    assert table[["id", "side", "group", "town"]].to_numpy().tolist() == [
        ["01", "NA", "null", "1.0"],
        ["02", "nan", "null", "1.0"],
    ]


@pytest.mark.parametrize(
    ("row", "place", "message"),
    [
        ("4,b,he,[asked: He is wise.,x,Cusco", "row 4, column 'text'", "is not closed; a mark is [asked: words]"),
        ("4,b,he,[asket: He] is wise.,x,Cusco", "row 4, column 'text'", "did you mean 'asked'?"),
        ("3,b,he,He is wise.,x,Cusco", "row 4", "'3' is listed twice"),
        (" 4,b,he,He is wise.,x,Cusco", "row 4", "white space around"),
        ("4,b,he,,x,Cusco", "row 4", "'' in the column 'text' is empty"),
        ("4,b,he,He is wise., x,Cusco", "row 4", "' x' in the column 'group'"),
        ("4,b,he,He is wise, and old.,x,Cusco", "row 4", "more cells than the header has columns; put a cell"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_place(written, row, place, message):
    with pytest.raises(HerbariumError) as fault:
        stimuli.read(written(*ROWS[:3], row))
    assert str(fault.value).startswith(str(written(*ROWS)))
    assert place in str(fault.value)
    assert message in str(fault.value)


@pytest.mark.parametrize("name", ["sentence_id", "quantity", "batch", "value", "unit", "asked_words_start"])
def test_a_column_that_would_get_lost_is_refused(written, name):
    with refused("sentences.csv", f"'{name}'"):
        stimuli.read(written(*ROWS, head=HEAD.replace("town", name)))


def test_a_missing_column_is_named(written):
    with refused("sentences.csv", "'set'", "id,set,side,text"):
        stimuli.read(written(*ROWS, head=HEAD.replace("set", "pair")))


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        (ROWS[:3], {}, "row 3: the set 'b' has no sentence with the side 'he'."),
        (
            [*ROWS, "5,b,he,He is bold.,x,Cusco"],
            {},
            "row 5, column 'side': the set 'b' has 'he' already in row 4; each side occurs once in a set.",
        ),
        (
            [*ROWS[:3], "4,b,hee,He is.,x,Cusco"],
            {},
            "row 4, column 'side': 'hee' is not one of the sides; did you mean 'he'?",
        ),
        (ROWS, {"sides": ["she", "they"]}, "row 1, column 'side': 'he' is not one of the sides; did you mean 'she'?"),
        (
            [*ROWS[:3], "4,b,he,She is wise.,x,Cusco"],
            {},
            "row 4, column 'text': the set 'b' has the same sentence twice",
        ),
        ([*ROWS[:3], "4,b,he,[hidden: She] is wise.,x,Cusco"], {}, "compared sentences must differ"),
        (
            [*ROWS[:3], "4,b,he,He is wise.,y,Cusco"],
            {},
            "row 4, column 'group': 'y', but 'x' in row 3; all sentences of the set 'b' must have the same.",
        ),
        (
            [*ROWS[:3], "4,b,he,He is wise.,x,Lima"],
            {"unit": "town"},
            "row 4, column 'town': 'Lima', but 'Cusco' in row 3",
        ),
        (
            ROWS,
            {"unit": "twon"},
            "the column 'twon' is missing; did you mean 'town'?",
        ),
        ([*ROWS[:3], "4,b,he,He is wise.,x,"], {"unit": "town"}, "row 4: '' in the column 'town' is empty"),
        (
            [row.replace(",x,Cusco", ",y,Cusco") for row in ROWS],
            {},
            "row 3, column 'group': the group 'y' has one pair, from which nothing can be said",
        ),
        (
            [row.replace(",x,", ",all,") for row in ROWS],
            {},
            "row 1, column 'group': 'all' is the name for all sets together",
        ),
        (
            [*ROWS[:3], "4,b,he,[asked: He] is wise.,x,Cusco"],
            {"score": "association"},
            "row 4, column 'text': 'association' needs words marked [condition: …] in every sentence.",
        ),
        (
            [row.replace("[asked: He]", "He") for row in ROWS],
            {"score": "slot"},
            "row 1, column 'text': 'slot' needs words marked [asked: …]",
        ),
    ],
)
def test_what_does_not_fit_together_is_told_with_its_place(written, rows, more, message):
    path = written(*rows)
    with pytest.raises(HerbariumError) as fault:
        check(path, **more)
    assert str(fault.value).startswith(str(path))
    assert message in str(fault.value)


def test_one_pair_without_a_group_is_not_refused(written):
    check(written("1,a,he,He is.,,", "2,a,she,She is.,,"))


# --- laid out ---


def test_sentences_stand_set_by_set_in_the_order_of_the_sides(written):
    table = stimuli.read(written(*ROWS))
    for sides in (SIDES, SIDES[::-1]):
        result = stimuli.instantiate(table, sides, "pll")
        assert result["set"].tolist() == ["a", "a", "b", "b"]
        assert result["side"].tolist() == sides * 2


def test_ids_depend_on_what_is_scored_alone(written):
    table = stimuli.read(written(*ROWS))
    frame = stimuli.instantiate(table, SIDES, "slot").set_index("id")["sentence_id"]
    assert frame["1"] == sentence_id("[asked: He] is [condition: weak].")
    moved = stimuli.instantiate(table.assign(group="", town="z"), SIDES, "slot").set_index("id")["sentence_id"]
    assert (moved == frame).all()
    paired = stimuli.instantiate(table, SIDES, "cps").set_index("id")["sentence_id"]
    assert paired["1"] == sentence_id("he\x1fHe is weak.\x1fShe is weak.")


def test_a_file_of_them_can_be_planned_by_every_score(written, tmp_path, model_folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert"))
    sentences = [
        "1,a,he,People in [asked: Peru] are [condition: weak].,,",
        "2,a,she,People in [asked: New Zealand] are [condition: weak].,,",
    ]
    table = stimuli.read(written(*sentences))
    for score, kinds in stimuli.SCORES.items():
        laid_out = stimuli.instantiate(table, SIDES, score)
        store.write_table(tmp_path / "0.parquet", stimuli.stimuli_of(laid_out), laid_out)
        (read,) = store.read_pieces([tmp_path / "0.parquet"], "sentence_sets_stimuli")
        roles = stimuli.slots(laid_out)
        for kind, quantities in kinds.items():
            assert all(kind in QUANTITIES[quantity] for quantity in quantities)
            if kind == "masked":
                asked = {"quantities": quantities, "slots": list(roles), "roles": roles}
                plan = Planner(tokenizer, 64, False).add_stimuli(read, asked)
                assert plan.sentences["note"].null_count == len(quantities) * len(read)


def test_a_word_that_the_tokenizer_does_not_know_is_named_by_its_role(written, tmp_path, model_folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert"))
    laid_out = stimuli.instantiate(stimuli.read(written("1,a,he,People are [asked: ☃].,,")), ["he"], "slot")
    store.write_table(tmp_path / "0.parquet", stimuli.stimuli_of(laid_out), laid_out)
    (read,) = store.read_pieces([tmp_path / "0.parquet"])
    asked = {"quantities": ["slot"], "slots": ["asked_words"], "roles": {"asked_words": "asked"}}
    (note,) = Planner(tokenizer, 64, False).add_stimuli(read, asked).sentences["note"].to_pylist()
    assert note == "refused: the tokenizer knows no part of the asked_words, only [UNK]"


# --- observed ---


def scores(ids, values, quantity, note=None):
    return pd.DataFrame(
        {"sentence_id": ids, "quantity": quantity, "value": values, "n_tokens": 3, "given": ids, "note": note}
    )


def test_an_association_is_of_the_slot_less_its_prior(written):
    laid_out = stimuli.instantiate(stimuli.read(written(*ROWS)), SIDES, "association")
    ids = laid_out["sentence_id"]
    both = pd.concat([scores(ids, [-1, -2, -3, np.nan], "slot", "said"), scores(ids, [-4, -4, -4, -4], "slot_prior")])
    result = stimuli.observe(laid_out, both, "association", COLUMNS_OF | {"unit": "town"})
    assert result["value"].fillna(0).tolist() == [3, 2, 1, 0]
    assert result["unit"].tolist() == ["Lima", "Lima", "Cusco", "Cusco"]
    assert result["note"].eq("said").all()


@pytest.mark.parametrize("quantity", ["pll", "ll"])
def test_a_likelihood_is_what_the_kind_of_model_gives(written, quantity):
    laid_out = stimuli.instantiate(stimuli.read(written(*ROWS)), SIDES, "likelihood")
    result = stimuli.observe(laid_out, scores(laid_out["sentence_id"], -1.5, quantity), "likelihood", COLUMNS_OF)
    assert result["value"].eq(-1.5).all()
    assert result["unit"].equals(result["set"])


@pytest.mark.parametrize("quantity", ["slot", "ll_asked"])
def test_a_mean_of_marked_words_is_per_token(written, quantity):
    laid_out = stimuli.instantiate(stimuli.read(written(*ROWS)), SIDES, "slot_mean")
    result = stimuli.observe(laid_out, scores(laid_out["sentence_id"], -1.5, quantity), "slot_mean", COLUMNS_OF)
    assert result["value"].eq(-0.5).all()


# --- ours ---


def test_the_example_has_ten_pairs_that_differ_in_the_asked_word_alone():
    table = stimuli.read(EXAMPLE)
    check(EXAMPLE, unit="occupation", score="slot")
    assert len(table) == 20
    assert table.groupby("group")["set"].nunique().to_dict() == {"care": 5, "technical": 5}
    words = [
        text[:start] + "…" + text[end:]
        for text, start, end in table[["text", "asked_words_start", "asked_words_end"]].itertuples(index=False)
    ]
    assert table.assign(words=words).groupby("set")["words"].nunique().eq(1).all()
