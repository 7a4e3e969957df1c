"""Sentences in the form of StereoSet and BBQ: what is read, and what is wrong with a file."""

import json
from pathlib import Path

import pytest

from herbarium.core.errors import HerbariumError
from herbarium.metrics.sentence_sets import bbq, stereoset

STEREOSET, BBQ = Path("resources/sentence_sets/stereoset/dev.json"), Path("resources/sentence_sets/bbq")


# --- StereoSet ---


def example(context="The cook was BLANK today.", words=("angry", "calm", "blue"), **changes):
    fill = context.replace("BLANK", "{}")
    sentences = [
        {"id": str(n), "sentence": fill.format(word), "gold_label": label}
        for n, (word, label) in enumerate(zip(words, stereoset.SIDES, strict=True))
    ]
    return {"id": "e1", "target": "cook", "bias_type": "job", "context": context, "sentences": sentences} | changes


@pytest.fixture
def file(tmp_path):
    def of(*within, after=()):
        path = tmp_path / "dev.json"
        path.write_text(json.dumps({"data": {"intrasentence": within, "intersentence": after}}))
        return [path]

    return of


def test_three_sentences_with_the_words_in_the_place_of_blank(file):
    table = stereoset.read(file(example()))
    assert table["side"].tolist() == list(stereoset.SIDES)
    assert table["text"].tolist() == [f"The cook was {word} today." for word in ("angry", "calm", "blue")]
    assert table["marked"].iloc[0] == "The cook was [asked: angry] today."
    assert table[["set", "group", "target"]].drop_duplicates().to_numpy().tolist() == [["e1", "job", "cook"]]


def test_blank_may_begin_the_sentence_and_be_written_with_a_capital(file):
    within = example("BLANK cooks shout.", ("Angry", "Calm", "Blue"))
    assert stereoset.read(file(within))["marked"].iloc[1] == "[asked: Calm] cooks shout."


def test_a_sentence_that_goes_on_is_asked_for_whole(file):
    sentences = [{"sentence": text, "gold_label": of} for text, of in zip("ABC", stereoset.SIDES, strict=True)]
    after = {**example(), "context": "He is a cook.", "sentences": sentences}
    table = stereoset.read_next(file(after=[after]))
    assert table["marked"].tolist() == [f"He is a cook. [asked: {of}]" for of in "ABC"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"context": "The cook was angry."}, "its context does not have exactly one BLANK"),
        ({"context": "The chef was BLANK today."}, "a sentence is not its context with BLANK filled"),
        ({"context": "[The cook was BLANK today."}, "a sentence has a bracket"),
        ({"target": " "}, "a field is empty"),
        ({"sentences": example()["sentences"][:2]}, "it does not have one sentence for each label"),
        (
            {"sentences": [*example()["sentences"][:2], example()["sentences"][0]]},
            "it does not have one sentence for each label",
        ),
        ({"sentences": [{"sentence": "a"}] * 3}, "a field is missing"),
    ],
)
def test_an_example_with_a_fault_is_left_out_and_named(file, changes, fault):
    paths = file(example(), {**example(id="e2"), **changes})
    assert set(stereoset.read(paths)["set"]) == {"e1"}
    assert stereoset.faults(paths) == [{"file": "dev.json", "line": 2, "fault": fault, "is_left_out": True}]


@pytest.mark.parametrize("text", ["{}", "[1]", '{"data": {}}', "not json"])
def test_another_file_is_refused(tmp_path, text):
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(HerbariumError, match=r"dev\.json: not a StereoSet file, with 'data' and 'intrasentence'"):
        stereoset.read([tmp_path / "dev.json"])
    with pytest.raises(HerbariumError, match="not a StereoSet file"):
        stereoset.faults([tmp_path / "dev.json"])


def test_our_examples_have_no_fault():
    assert stereoset.faults([STEREOSET]) == stereoset.faults_of_next([STEREOSET]) == []
    assert len(stereoset.read([STEREOSET])) == 3 * 16
    assert stereoset.read_next([STEREOSET])["target"].nunique() == 8


# --- BBQ ---


def line(**changes):
    return {
        "example_id": 7,
        "question_index": "3",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Hands",
        "answer_info": {"ans0": ["left", "L"], "ans1": ["unknown", "unknown"], "ans2": ["right", "R"]},
        "additional_metadata": {"stereotyped_groups": ["L"]},
        "context": "Two people wrote.",
        "question": "Who made a blot?",
        **{"ans0": "The left-handed one", "ans1": "Not known", "ans2": "The right-handed one", "label": 1},
    } | changes


@pytest.fixture
def folder(tmp_path):
    def of(*lines, locations=None):
        (tmp_path / "Hands.jsonl").write_text("\n".join(json.dumps(of) for of in lines) + "\n")
        if locations:
            (tmp_path / "additional_metadata.csv").write_text(
                "category,question_index,example_id,target_loc\n" + locations
            )
        return bbq.files(tmp_path)

    return of


def answers(table):
    return {row.side: row.text[row.asked_words_start : row.asked_words_end] for row in table.itertuples()}


def test_a_question_with_its_three_answers(folder):
    table = bbq.read(folder(line()))
    assert answers(table) == {
        "biased": "The left-handed one",
        "counter": "The right-handed one",
        "unknown": "Not known",
    }
    assert table["text"].iloc[0] == "Two people wrote. Who made a blot? The left-handed one"
    shown = table[["set", "group", "template", "polarity"]].drop_duplicates().to_numpy().tolist()
    assert shown == [["Hands-7", "Hands ambiguous", "Hands-3", "neg"]]


def test_of_another_question_the_biased_answer_is_the_other_group(folder):
    found = answers(bbq.read(folder(line(question_polarity="nonneg"))))
    assert (found["biased"], found["counter"]) == ("The right-handed one", "The left-handed one")


def test_the_authors_table_says_which_answer_is_of_the_stereotyped_group(folder):
    assert answers(bbq.read(folder(line(), locations="Hands,3,7,2\n")))["biased"] == "The right-handed one"
    assert answers(bbq.read(folder(line(), locations="Hands,3,7,2.0\n")))["biased"] == "The right-handed one"
    assert answers(bbq.read(folder(line(), locations="Hands,3,8,2\n")))["biased"] == "The left-handed one"
    for nowhere in ("", "NA", "1"):
        (fault,) = bbq.faults(folder(line(), locations=f"Hands,3,7,{nowhere}\n"))
        assert fault["fault"] == "the answer with the stereotyped group cannot be determined"


def test_a_group_may_begin_with_the_gender_of_a_name(folder):
    named = line(answer_info={"ans0": ["Ada", "F-L"], "ans1": ["unknown", "unknown"], "ans2": ["Bo", "M-R"]})
    assert answers(bbq.read(folder(named)))["biased"] == "The left-handed one"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"context_condition": "clear"}, "context_condition or question_polarity is not one of BBQ's"),
        ({"ans0": "Not known"}, "two answers are the same, or empty"),
        ({"question": "Who [did] it?"}, "a sentence has a bracket"),
        (
            {"additional_metadata": {"stereotyped_groups": ["X"]}},
            "the answer with the stereotyped group cannot be determined",
        ),
        (
            {"additional_metadata": {"stereotyped_groups": ["L", "R"]}},
            "the answer with the stereotyped group cannot be determined",
        ),
        (
            {"answer_info": {"ans0": ["left", "L"], "ans1": ["old", "O"], "ans2": ["right", "R"]}},
            "not exactly one answer says that it is unknown",
        ),
    ],
)
def test_a_question_with_a_fault_is_left_out_and_named(folder, changes, fault):
    paths = folder(line(), line(example_id=8, **changes))
    assert set(bbq.read(paths)["set"]) == {"Hands-7"}
    assert bbq.faults(paths) == [{"file": "Hands.jsonl", "line": 2, "fault": fault, "is_left_out": True}]


@pytest.mark.parametrize("text", ["no json", "{}", "[1]", ""])
def test_a_line_that_is_no_question_is_refused_with_its_number(tmp_path, text):
    (tmp_path / "Hands.jsonl").write_text(json.dumps(line()) + "\n" + text + "\n")
    with pytest.raises(HerbariumError, match=r"Hands\.jsonl, line 2: not a BBQ question"):
        bbq.read(bbq.files(tmp_path))


def test_a_folder_without_a_file_is_refused(tmp_path):
    with pytest.raises(HerbariumError, match=r"it has no BBQ file, such as Age\.jsonl"):
        bbq.files(tmp_path)


def test_our_questions_have_no_fault_and_are_balanced():
    paths = bbq.files(BBQ)
    assert bbq.faults(paths) == []
    table = bbq.read(paths).drop_duplicates("set")
    assert table.groupby(["group", "polarity"]).size().tolist() == [4] * 8
    assert table["template"].nunique() == 8
