"""docs/your_sentences.md as it stands there."""

import os
import subprocess
import sys

import pandas as pd
import pytest
from tests.pages import ROOT, blocks
from tests.reports import table, words
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store

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


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_number_is_that_of_the_library(followed):
    results = followed.folder / "results/pronouns"
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    rows = sentences[(sentences["model"] == "planted-strong") & (sentences["set"] == "nurse")]
    texts = rows["text"].tolist()
    spans = {"asked": [(text.index(f" {side} ") + 1,) * 2 for side, text in zip(rows["side"], texts, strict=True)]}
    spans["asked"] = [(start, start + len(side)) for (start, _), side in zip(spans["asked"], rows["side"], strict=True)]
    expected = herbarium.score(texts, results / "work/testbed/planted-strong", "slot", spans=spans)
    assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-5)


@pytest.mark.nightly
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


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_another_unit_scores_nothing_again(followed):
    assert "nothing to be done" in followed.run(config=STUDY).lower()
    followed.edit(STUDY, "unit: occupation", "unit: group")
    plan = followed.run("-n", config=STUDY).partition("Job stats:")[2].partition("\ntotal")[0]
    followed.edit(STUDY, "unit: group", "unit: occupation")
    jobs = {line.split()[0] for line in plan.splitlines() if line and line[0].isalpha()} - {"job"}
    assert jobs >= {"measure_sentence_sets", "table_sentence_sets", "draw_sentence_sets", "part_sentence_sets"}
    assert not jobs & {"instantiate_sentence_sets", "plan_scoring", "score_shard", "gather_scores", "train_testbed"}
