"""Sentences of one's own: how they are read, what is refused, and how they are laid out for scoring."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import transformers
from tests.refusals import refused

from herbarium.core import store
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
    places = table[["text", "condition_words_start", "condition_words_end"]].itertuples(index=False)
    assert [text[start:end] for text, start, end in places] == ["weak", "weak", "wise", "wise"]
    assert stimuli.covariates(table) == ["town"]


def test_the_right_answer_of_a_question_is_one_of_its_sides(written):
    sides = ["biased", "counter", "unknown"]
    answers, head = (("a", "unknown"), ("b", "biased")), "id,set,side,text,group,correct"
    rows = [f"{name}{side},{name},{side},{side} {name},,{answer}" for name, answer in answers for side in sides]
    path = written(*rows, head=head)
    stimuli.check(path, stimuli.read(path), sides, ["set", "correct"], "bbq", "pll")
    path = written(*(row.replace(",,biased", ",,bias") for row in rows), head=head)
    with refused("sentences.csv, row 4, column 'correct'", "'bias'", "'biased'"):
        stimuli.check(path, stimuli.read(path), sides, ["set", "correct"], "bbq", "pll")


@pytest.mark.parametrize(
    ("he", "she"),
    [
        ("He isn't late.", "She isn’t late."),
        ("He is late.", "She is\u00a0late."),
        ("[asked: He] is naïve.", "[asked: She] is nai\u0308ve."),
    ],
)
def test_sides_that_differ_in_what_nobody_sees_are_refused(written, he, she):
    assert len(stimuli.read(written(*ROWS, f"5,c,he,{he},x,Lima", f"6,d,she,{she},x,Lima"))) == 6
    with refused("sentences.csv, row 6, column 'text'", "row 5", "look alike"):
        stimuli.read(written(*ROWS, f"5,c,he,{he},x,Lima", f"6,c,she,{she},x,Lima"))


@pytest.mark.parametrize("column", ["id", "set", "side", "text", "group", "town"])
def test_no_cell_that_is_read_has_an_invisible_character(written, column):
    cells = dict(
        zip(("id", "set", "side", "text", "group", "town"), ("5", "cc", "he", "He is.", "xx", "Lima"), strict=True)
    )
    rows = [cells, cells | {"id": "6", "side": "she", "text": "She is."}]
    rows[1] |= {column: rows[1][column][:1] + "\N{SOFT HYPHEN}" + rows[1][column][1:]}
    with refused(f"sentences.csv, row 6, column '{column}'", "U+00AD"):
        table = stimuli.read(written(*ROWS, *(",".join(row.values()) for row in rows)))
        stimuli.check("sentences.csv", table, ["he", "she"], ["town"], "pairs", "pll")


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


def test_marks_groups_and_covariates_are_optional(written):
    table = stimuli.read(written("1,a,he,He is.", "2,a,she,She is.", head="id,set,side,text"))
    assert stimuli.slots(table) == {}
    assert table["group"].tolist() == ["", ""]
    names = stimuli.stimuli_of(stimuli.instantiate(table, SIDES, "pll")).fields.names
    assert names == ["sentence_id", *stimuli.COLUMNS]
    table = stimuli.read(
        written("01,a,NA,[hidden: He] lost [hidden: his] way.,,", "2,a,nan,She lost [hidden: her].,null,1.0")
    )
    assert stimuli.slots(table) == {"hidden_words": "hidden", "hidden_words_2": "hidden"}  # a role marked twice
    assert table["hidden_words_2_start"].isna().tolist() == [False, True]
    # names like numbers and nothings stay text
    cells = table[["id", "side", "group", "town"]].to_numpy().tolist()
    assert cells == [["01", "NA", "", ""], ["2", "nan", "null", "1.0"]]


@pytest.mark.parametrize(
    ("row", "place", "facts"),
    [
        ("4,b,he,[asked: He is wise.,x,Cusco", "row 4, column 'text'", ["[asked: words]"]),
        ("4,b,he,[asket: He] is wise.,x,Cusco", "row 4, column 'text'", ["'asked'"]),
        ("3,b,he,He is wise.,x,Cusco", "row 4", ["'3'", "twice"]),
        (" 4,b,he,He is wise.,x,Cusco", "row 4", ["white space"]),
        ("4,b,he,,x,Cusco", "row 4", ["''", "'text'"]),
        ("4,b,he,He is wise., x,Cusco", "row 4", ["' x'", "'group'"]),
        ("4,b,he,He is wise, and old.,x,Cusco", "row 4", ["more cells"]),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_place(written, row, place, facts):
    with refused(f"sentences.csv, {place}", *facts):
        stimuli.read(written(*ROWS[:3], row))


@pytest.mark.parametrize("name", ["sentence_id", "quantity", "batch", "value", "unit", "asked_words_start"])
def test_a_column_that_would_get_lost_is_refused(written, name):
    with refused("sentences.csv", f"'{name}'"):
        stimuli.read(written(*ROWS, head=HEAD.replace("town", name)))
    with refused("sentences.csv", "'set'", "id,set,side,text"):
        stimuli.read(written(*ROWS, head=HEAD.replace("set", "pair")))


@pytest.mark.parametrize(
    ("last", "more", "place", "facts"),
    [
        ([], {}, "row 3", ["'b'", "'he'"]),
        ([ROWS[3], "5,b,he,He is bold.,x,Cusco"], {}, "row 5, column 'side'", ["'b'", "'he'", "row 4"]),
        (["4,b,hee,He is.,x,Cusco"], {}, "row 4, column 'side'", ["'hee'", "'he'"]),
        (ROWS[3:], {"sides": ["she", "they"]}, "row 1, column 'side'", ["'he'", "'she'"]),
        (["4,b,he,She is wise.,x,Cusco"], {}, "row 4, column 'text'", ["'b'", "twice"]),
        (["4,b,he,[hidden: She] is wise.,x,Cusco"], {}, "row 4, column 'text'", ["differ"]),
        (["4,b,he,He is wise.,y,Cusco"], {}, "row 4, column 'group'", ["'y'", "'x'", "row 3", "'b'"]),
        (["4,b,he,He is wise.,x,Lima"], {"unit": "town"}, "row 4, column 'town'", ["'Lima'", "'Cusco'", "row 3"]),
        (ROWS[3:], {"unit": "twon"}, "sentences.csv", ["'twon'", "'town'"]),
        (["4,b,he,He is wise.,x,"], {"unit": "town"}, "row 4", ["''", "'town'"]),
        (["4,b,he,[asked: He] is wise.,x,Cusco"], {"score": "association"}, "row 4, column 'text'", ["[condition: …]"]),
    ],
)
def test_what_does_not_fit_together_is_told_with_its_place(written, last, more, place, facts):
    path = written(*ROWS[:3], *last)
    with refused(f"{path}, {place}" if place != path.name else path, *facts):
        check(path, **more)


@pytest.mark.parametrize(
    ("old", "new", "score", "place", "facts"),
    [
        (",x,Cusco", ",y,Cusco", "pll", "row 3, column 'group'", ["'y'", "one pair"]),
        (",x,", ",all,", "pll", "row 1, column 'group'", ["'all'"]),
        ("[asked: He]", "He", "slot", "row 1, column 'text'", ["'slot'", "[asked: …]"]),
    ],
)
def test_what_all_rows_lack_is_told(written, old, new, score, place, facts):
    path = written(*(row.replace(old, new) for row in ROWS))
    with refused(f"{path}, {place}", *facts):
        check(path, score=score)
    check(written("1,a,he,He is.,,", "2,a,she,She is.,,"))  # one pair without a group


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


def scores(ids, values, quantity, note=None):
    columns = {"quantity": quantity, "value": values, "n_tokens": 3, "given": ids, "note": note}
    return pd.DataFrame({"sentence_id": ids} | columns)


def test_an_association_is_of_the_slot_less_its_prior(written):
    laid_out = stimuli.instantiate(stimuli.read(written(*ROWS)), SIDES, "association")
    ids = laid_out["sentence_id"]
    both = pd.concat([scores(ids, [-1, -2, -3, np.nan], "slot", "said"), scores(ids, [-4, -4, -4, -4], "slot_prior")])
    result = stimuli.observe(laid_out, both, "association", COLUMNS_OF | {"unit": "town"})
    assert result["value"].fillna(0).tolist() == [3, 2, 1, 0]
    assert result["unit"].tolist() == ["Lima", "Lima", "Cusco", "Cusco"]
    assert result["note"].eq("said").all()


@pytest.mark.parametrize(
    ("score", "quantity", "value"),
    [
        *(("likelihood", quantity, -1.5) for quantity in ("pll", "ll")),
        *(("slot_mean", quantity, -0.5) for quantity in ("slot", "ll_asked")),  # per token
    ],
)
def test_a_likelihood_is_what_the_kind_of_model_gives(written, score, quantity, value):
    laid_out = stimuli.instantiate(stimuli.read(written(*ROWS)), SIDES, score)
    result = stimuli.observe(laid_out, scores(laid_out["sentence_id"], -1.5, quantity), score, COLUMNS_OF)
    assert result["value"].eq(value).all()
    assert result["unit"].equals(result["set"])


def test_the_example_has_ten_pairs_that_differ_in_the_asked_word_alone():
    table = stimuli.read(EXAMPLE)
    assert stimuli.faults(EXAMPLE) == []
    check(EXAMPLE, unit="occupation", score="slot")
    assert len(table) == 20
    assert table.groupby("group")["set"].nunique().to_dict() == {"care": 5, "technical": 5}
    words = [
        text[:start] + "…" + text[end:]
        for text, start, end in table[["text", "asked_words_start", "asked_words_end"]].itertuples(index=False)
    ]
    assert table.assign(words=words).groupby("set")["words"].nunique().eq(1).all()


def test_a_sample_has_whole_sets_in_their_order_and_is_said():
    table = pd.DataFrame({"set": [f"s{n // 2:02}" for n in range(40)], "text": [str(n) for n in range(40)]})
    sample, note = stimuli.sampled(table, 6, np.random.default_rng(1))
    assert sample["set"].nunique() == 6
    assert len(sample) == 12
    assert sample["text"].astype(int).is_monotonic_increasing
    assert "6 of 20 sets" in note
    again, _ = stimuli.sampled(table, 6, np.random.default_rng(1))
    assert again.equals(sample)
    whole, note = stimuli.sampled(table, 20, np.random.default_rng(1))
    assert whole.equals(table)
    assert note is None
