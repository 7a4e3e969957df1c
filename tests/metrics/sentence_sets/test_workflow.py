"""Sentences of one's own through the workflow: docs/your_sentences.md as it stands there, and other contrasts."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from tests.pages import ROOT, blocks
from tests.reports import table, words
from tests.sets import MADE, PAIRS
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow  # three runs of the workflow, two models trained (two minutes together)

PAGE = ROOT / "docs/your_sentences.md"
STUDY = "pronouns.yaml"
TABLE = "resources/sentence_sets/pronouns/sentences.csv"


def of_language(language):
    return [block for block in blocks(PAGE) if block.language == language]


def run(project, command, **environment):
    return subprocess.run(
        command,
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The page, done: its file written, its commands run."""
    made = copy_project(tmp_path_factory.mktemp("sentences") / "herbarium")
    (study,) = of_language("yaml")
    made.write(study.file, study.text)
    (commands,) = of_language("bash")
    for command in commands.text.splitlines():
        made.follow(command)
    return made


def test_the_page_says_what_the_metric_takes():
    (study,) = of_language("yaml")
    assert study.file == STUDY
    lines = study.text.splitlines()
    text = lines[lines.index("sentence_sets:") :]
    assert len(text) == 7
    assert "The last seven lines define the metric." in PAGE.read_text(encoding="utf-8")


def test_its_first_pair_is_that_of_the_example():
    sentences = (ROOT / TABLE).read_text(encoding="utf-8").splitlines()
    first = [line for line in sentences if not line.startswith("#")][:3]
    shown = [
        line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "| nurse" in line
    ]
    assert shown == [line.split(",") for line in first[1:]]


def test_the_numbers_of_the_page_are_those_of_a_planted_preference(followed):
    (snippet,) = of_language("python")
    shown = run(followed, [sys.executable, "-c", snippet.text])
    assert shown.returncode == 0, shown.stderr
    assert "planted-strong" in shown.stdout
    numbers = pd.read_csv(followed.folder / "results/pronouns/tables/sentence_sets_numbers.csv")
    assert numbers["group"].tolist() == ["all", "all", "care", "care", "technical", "technical"]
    assert numbers["n"].tolist() == [10, 10, 5, 5, 5, 5]
    strong, none = (numbers[numbers["model"] == f"planted-{name}"] for name in ("strong", "none"))
    assert (strong["ci_low"] > 0).all()
    assert (strong["ci_low"].to_numpy() > none["estimate"].to_numpy()).all()
    assert strong["p_value"].tolist() == [2 / 2**10, 2 / 2**5, 2 / 2**5]
    assert strong["note"].iloc[1:].eq("5 units can give no p below 0.062: a test needs at least 6").all()
    _, printed = of_language("text")
    rows = [line.split() for line in printed.text.splitlines()[1:]]
    assert [row[:2] for row in rows] == numbers[["group", "model"]].to_numpy().tolist()
    # another processor gives other digits
    assert [float(row[2]) for row in rows] == pytest.approx(numbers["estimate"].tolist(), abs=0.4)


def test_a_number_is_that_of_the_library(followed):
    results = followed.folder / "results/pronouns"
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    rows = sentences[(sentences["model"] == "planted-strong") & (sentences["set"] == "nurse")]
    texts = rows["text"].tolist()
    spans = {"asked": [(text.index(f" {side} ") + 1,) * 2 for side, text in zip(rows["side"], texts, strict=True)]}
    spans["asked"] = [(start, start + len(side)) for (start, _), side in zip(spans["asked"], rows["side"], strict=True)]
    expected = herbarium.score(texts, results / "work/testbed/planted-strong", "slot", spans=spans)
    assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def test_everything_that_the_page_names_is_there(followed):
    results = followed.folder / "results/pronouns"
    for file in ("figures/sentence_sets_forest.png", "summary.csv", "tables/sentence_sets_sentences.csv"):
        assert (results / file).stat().st_size > 0
    both = [
        store.read_frame(results / f"work/replicates/sentence_sets/planted-{name}/pronouns.parquet", "replicates")
        for name in ("none", "strong")
    ]
    assert both[0].groupby("group").size().to_dict() == {"all": 1000, "care": 1000, "technical": 1000}
    assert both[0]["replicate"].equals(both[1]["replicate"])
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert len(table(page, "table-sentence-sets-pronouns")) == 6
    assert "Sentence sets: differences" in words(page)  # the panel of the calibration


def test_the_messages_of_the_page_are_those_that_are_given(followed):
    messages, _ = of_language("text")
    spoiled = [
        ("librarian,she", "librarian,hee"),
        ("midwife-he,midwife,he,", "# "),
        ("[asked: he] knew", "[asked: he knew"),
    ]
    whole = (followed.folder / TABLE).read_text(encoding="utf-8")
    for message, (old, new) in zip(messages.text.splitlines(), spoiled, strict=True):
        followed.edit(TABLE, old, new)
        log = followed.fails("-n", config=STUDY)
        followed.write(TABLE, whole)
        assert message in log


def test_another_unit_scores_nothing_again(followed):
    assert "nothing to be done" in followed.run(config=STUDY).lower()
    followed.edit(STUDY, "unit: occupation", "unit: group")
    plan = followed.run("-n", config=STUDY).partition("Job stats:")[2].partition("\ntotal")[0]
    followed.edit(STUDY, "unit: group", "unit: occupation")
    jobs = {line.split()[0] for line in plan.splitlines() if line and line[0].isalpha()} - {"job"}
    assert jobs >= {"measure_sentence_sets", "table_sentence_sets", "draw_sentence_sets", "part_sentence_sets"}
    assert not jobs & {"instantiate_sentence_sets", "plan_scoring", "score_shard", "gather_scores", "train_testbed"}


# --- other contrasts, of real models ---

CANDIDATES = [("peru", "Peru"), ("zealand", "New Zealand"), ("snow", "☃")]


@pytest.fixture(scope="module")
def contrasted(tmp_path_factory, model_folder):
    """A masked and a causal model, shares of pairs and candidates of a slot, one of which no tokenizer knows."""
    made = copy_project(tmp_path_factory.mktemp("contrasts"))
    for name, family in (("tiny", "bert"), ("next", "llama")):
        shutil.copytree(model_folder(family), made.folder / name)
    pairs = [
        (f"{word}-{side}", word, side, f"People in {place} are {word}.", "")
        for word in ("weak", "wise", "shy", "loud")
        for side, place in CANDIDATES[:2]
    ]
    slots = [
        (f"{word}-{side}", word, side, f"People in [asked: {place}] are {word}.", group)
        for word, group in (("weak", "a"), ("wise", "a"), ("shy", "b"), ("loud", "b"))
        for side, place in (CANDIDATES if word == "loud" else [*CANDIDATES[:2], ("snow", "Fiji")])
    ]
    for name, rows in (("pairs", pairs), ("slots", slots)):
        rows = pd.DataFrame(rows, columns=["id", "set", "side", "text", "group"])
        made.write(f"{name}.csv", rows.to_csv(index=False))
    study = {
        "results": "results",
        "models": {"tiny": {"path": "tiny", "kind": "masked"}, "next": {"path": "next", "kind": "causal"}},
        "sentence_sets": {
            "pairs": {
                "table": "pairs.csv",
                "models": ["tiny", "next"],
                "quantity": "likelihood",
                "contrast": "share",
                "sides": ["peru", "zealand"],
            },
            "slots": {
                "table": "slots.csv",
                "models": ["tiny"],
                "quantity": "slot",
                "contrast": "candidates",
                "sides": [side for side, _ in CANDIDATES],
                "bootstrap": {"replicates": 0},
            },
            # a set of the catalogue, with an imitation of its file
            "indibias": {"table": str(MADE["indibias"](made.folder)), "set": "indibias"},
        },
    }
    made.write("study.yaml", yaml.safe_dump(study))
    made.run("sentence_sets", "results/report/index.html")
    return made


def test_masked_and_causal_models_stand_side_by_side(contrasted):
    sentences = pd.read_csv(contrasted.folder / "results/tables/sentence_sets_sentences.csv")
    for model, quantity, kind in (("tiny", "pll", "masked"), ("next", "ll", "causal")):
        rows = sentences[(sentences["model"] == model) & (sentences["stimuli"] == "pairs")]
        expected = herbarium.score(rows["text"].tolist(), contrasted.folder / model, quantity, kind=kind)
        assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)
    numbers = pd.read_csv(contrasted.folder / "results/summary.csv")
    shares = numbers[numbers["variant"] == "likelihood_share"]
    assert shares["model"].tolist() == ["tiny", "next"]
    assert shares["n"].eq(4).all()
    assert shares["note"].str.startswith("4 units can give no p below 0.12").all()


def test_a_set_of_the_catalogue_is_measured_in_all_models_that_can_be(contrasted):
    sentences = pd.read_csv(contrasted.folder / "results/tables/sentence_sets_sentences.csv")
    rows = sentences[(sentences["stimuli"] == "indibias") & (sentences["model"] == "next")]
    assert rows["text"].tolist() == [text for pair in PAIRS[:2] for text in pair]
    expected = herbarium.score(rows["text"].tolist(), contrasted.folder / "next", "ll", kind="causal")
    assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)
    numbers = pd.read_csv(contrasted.folder / "results/summary.csv")
    assert set(numbers.loc[numbers["variant"] == "pair_likelihood_share", "model"]) == {"tiny", "next"}
    faults = pd.read_csv(contrasted.folder / "results/tables/sentence_sets_faults.csv")
    assert faults.loc[faults["stimuli"] == "indibias", ["line", "is_left_out"]].to_numpy().tolist() == [[3, True]]


def test_a_set_with_a_refused_candidate_is_left_out_and_said_to_be(contrasted):
    numbers = pd.read_csv(contrasted.folder / "results/summary.csv")
    frame = numbers[numbers["unit"] == "slots"].set_index(["group", "variant"])
    assert frame.loc["all", "n"].eq(3).all()
    assert frame.loc["b", "n"].eq(1).all()
    assert frame.loc["b", "note"].str.contains("1 of 2 sets left out: a sentence has no score").all()
    of_all = frame.loc["all", "estimate"]
    preferences = of_all[~of_all.index.str.endswith("_bound")]
    assert len(preferences) == len(CANDIDATES)
    assert preferences.sum() == pytest.approx(0, abs=1e-9)
    sentences = pd.read_csv(contrasted.folder / "results/tables/sentence_sets_sentences.csv")
    refused = sentences[sentences["value"].isna()]
    assert refused["id"].tolist() == ["loud-snow"]
    assert "knows no part of the asked_words" in refused["note"].iloc[0]
    page = (contrasted.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert len(table(page, "table-sentence-sets-slots")) == 9
