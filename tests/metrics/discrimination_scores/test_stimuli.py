"""Which prompts a table has, what a model is asked, and what is made of its answers."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.metrics.discrimination_scores import toy
from tests.refusals import refused

from herbarium.metrics.discrimination_scores import stimuli

KEYS = {"text": "text", "decision": "decision", "references": {"gender": "male"}, "numeric": ["age"]}
ROWS = [
    {"text": f"{decision} {age} {gender}?", "decision": decision, "age": age, "gender": gender}
    for decision in (1, 2)
    for age in (20, 60)
    for gender in ("male", "female")
]


def csv(folder, rows):
    path = folder / "table.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def json_lines(folder, rows):
    path = folder / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_table_is_the_same_in_both_forms(tmp_path):
    prompts = [stimuli.read(form(tmp_path, ROWS), **KEYS) for form in (csv, json_lines)]
    pd.testing.assert_frame_equal(*prompts)
    assert prompts[0].iloc[1].to_dict() == {"age": "20", "gender": "female", "text": "1 20 female?", "decision": "1"}


def test_white_space_around_a_prompt_is_not_scored(tmp_path):
    prompts = stimuli.read(json_lines(tmp_path, [row | {"text": f"{row['text']}\n"} for row in ROWS]), **KEYS)
    assert prompts["text"].tolist() == [row["text"] for row in ROWS]


def without(key):
    return [{name: value for name, value in row.items() if name != key} for row in ROWS]


@pytest.mark.parametrize(
    ("rows", "keys", "place", "facts"),
    [
        (without("gender"), {}, "table.csv", ["'gender'"]),
        (ROWS, {"references": {"gender": "Male"}}, "table.csv, column 'gender'", ["'Male'", "'male'"]),
        (ROWS, {"numeric": ["gender"], "references": {}}, "table.csv, row 1, column 'gender'", ["'male'"]),
        (ROWS[:4], {}, "table.csv, column 'decision'", ["'1'"]),
        ([row | {"age": 20 * row["decision"]} for row in ROWS], {}, "table.csv, column 'age'", []),
        ([row for row in ROWS if (row["age"] == 20) == (row["gender"] == "male")], {}, "table.csv", ["'age'"]),
        ([*ROWS[:3], ROWS[3] | {"gender": ""}, *ROWS[4:]], {}, "table.csv, row 4", ["'gender'"]),
        ([], {}, "table.csv", []),
    ],
)
def test_a_table_that_tells_nothing_is_refused_with_the_place(tmp_path, rows, keys, place, facts):
    path = csv(tmp_path, rows)
    if not rows:
        path.write_text(",".join(ROWS[0]) + "\n")
    with refused(place, *facts):
        stimuli.read(path, **KEYS | keys)


@pytest.mark.parametrize(
    ("line", "facts"), [("{", []), ("[1]", ["'text'"]), ('{"text": "x", "decision": 1, "age": 3}', ["'gender'"])]
)
def test_a_faulty_line_of_json_is_refused_with_its_number(tmp_path, line, facts):
    path = json_lines(tmp_path, ROWS)
    path.write_text(path.read_text() + line)
    with refused("table.jsonl, line 9", *facts):
        stimuli.read(path, **KEYS)


def test_decisions_with_long_numbers_are_as_many_as_there_are(tmp_path):
    """2023001 to 2023012, as they are numbered by their year, which six digits do not tell apart."""
    rows = [row | {"decision": 2023000 + 6 * (row["decision"] - 1) + n} for n in range(1, 7) for row in ROWS]
    prompts = stimuli.read(json_lines(tmp_path, rows), **KEYS)
    assert sorted(prompts["decision"].unique()) == [f"{2023000 + n}" for n in range(1, 13)]


@pytest.mark.parametrize("cell", ["null", "[1, 2]", "{}", "NaN"])
@pytest.mark.parametrize("name", ["text", "decision", "age", "gender"])
def test_what_is_no_cell_is_refused_with_its_line(tmp_path, cell, name):
    path = json_lines(tmp_path, ROWS)
    path.write_text(path.read_text() + json.dumps(ROWS[0] | {name: "HERE"}).replace('"HERE"', cell))
    with refused("table.jsonl, line 9", *["NaN"] if cell == "NaN" else [f"'{name}'"]):
        stimuli.read(path, **KEYS)


def test_every_prompt_is_asked_with_every_answer_which_ends_the_text():
    sentences = toy.sentences(2)
    assert len(sentences) == len(toy.prompts(2)) * 3
    for row in sentences.itertuples():
        assert row.text[row.answer_start : row.answer_end] == row.answer
        assert row.answer_end == len(row.text)
    assert sentences["text"][0] == "0 20 male white? Answer: yes"
    assert sentences["person"][0] == ["20", "male", "white"]


def test_shards_share_the_decisions():
    of_shards = [stimuli.instantiate(toy.prompts(), toy.FRAME, toy.ANSWERS, shard, 2) for shard in range(2)]
    assert not {*of_shards[0]["decision"]} & {*of_shards[1]["decision"]}
    both = pd.concat(of_shards).sort_values("row", kind="stable").reset_index(drop=True)
    pd.testing.assert_frame_equal(both, toy.sentences())


def test_log_odds_add_the_spellings_of_an_answer():
    sentences = toy.sentences(2)
    p = {"yes": 0.2, "Yes": 0.3, "no": 0.1}
    scores = toy.scores(sentences, pd.Series(0.0, range(100)))
    scores["value"] = np.log(sentences["answer"].map(p))
    observations = stimuli.observe(sentences, scores)
    assert observations["log_odds"].to_numpy() == pytest.approx(np.log(0.5 / 0.1))
    assert observations["mass"].to_numpy() == pytest.approx(0.6)
    assert observations["row"].tolist() == list(range(len(toy.prompts(2))))


def test_a_prompt_without_one_of_its_answers_has_no_score():
    sentences = toy.sentences(2)
    scores = toy.scores(sentences, pd.Series(0.0, range(100)))
    scores.loc[1, ["value", "note"]] = np.nan, "refused: too long"
    observations = stimuli.observe(sentences, scores)
    assert observations["log_odds"].isna().tolist() == [True] + [False] * (len(observations) - 1)
    assert pd.isna(observations["mass"][0])
    assert observations["note"][0] == "refused: too long"


def test_prompts_that_are_the_same_to_the_model_have_no_score():
    sentences = toy.sentences(2)
    scores = toy.scores(sentences, pd.Series(0.0, range(100)))
    is_first = (sentences["decision"] == "0") & (sentences["person"].str[1] != "other")
    scores["given"] = scores["given"].mask(is_first, sentences["answer"].map({"yes": -1, "Yes": -2, "no": -3}))
    observations = stimuli.observe(sentences, scores)
    assert observations["log_odds"].isna().sum() == 12
    assert set(observations.loc[observations["log_odds"].isna(), "decision"]) == {"0"}


def test_spellings_that_are_the_same_to_the_model_are_both_scored():
    """A tokenizer without capitals: what must differ are prompts, not the spellings of an answer to one."""
    sentences = toy.sentences(2)
    scores = toy.scores(sentences, pd.Series(0.0, range(100)))
    scores["given"] = pd.factorize(sentences["text"].str.lower())[0]
    observations = stimuli.observe(sentences, scores)
    assert observations["log_odds"].notna().all()
