"""docs/first_hour.md, docs/your_metric.md and docs/notebook.py: done as they stand there, in one small run."""

import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from tests.pages import ROOT, blocks
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # one run of the workflow (half a minute), a dry run, and Python beside them

STUDY = "first.yaml"


def follow(project, page):
    """Do with the files of a page what it says: a diff is an edit, a file that is there grows, others are written."""
    for block in blocks(ROOT / "docs" / page):
        if block.language == "diff":
            old, new = ([line[1:] for line in block.text.splitlines() if line[0] == sign] for sign in "-+")
            project.edit(block.file, "\n".join(old), "\n".join(new))
        elif block.file:
            path = project.folder / block.file
            project.write(block.file, (path.read_text() if path.exists() else "") + block.text)


def python(project, *arguments):
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts", "MPLBACKEND": "Agg"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def first_hour(tmp_path_factory, model_folder):
    """The study of the first hour, with the metric of one's own in it."""
    made = copy_project(tmp_path_factory.mktemp("pages"))
    shutil.copytree(model_folder("bert"), made.folder / "models/mine")
    follow(made, "first_hour.md")
    follow(made, "your_metric.md")
    made.run("results/first/summary.csv", config=STUDY)  # figures and report are run elsewhere
    return made


def test_the_first_study_gives_numbers_with_intervals(first_hour):
    (snippet,) = [block for block in blocks(ROOT / "docs/first_hour.md") if block.language == "python"]
    shown = python(first_hour, "-c", snippet.text)
    assert "continent:SA" in shown
    summary = pd.read_csv(first_hour.folder / "results/first/summary.csv")
    scores = summary[(summary["metric"] == "herb") & (summary["variant"] == "C_w_size_free")]
    assert set(scores["group"]) == {"earth", "continent:SA", "continent:OC"}
    assert (scores["ci_low"] < scores["ci_high"]).all()


def test_a_new_word_asks_the_model_and_leaves_it_as_it_is(first_hour):
    first_hour.edit("first/work.txt", "weak\n", "weak\npolite\n")
    plan = first_hour.run("-n", config=STUDY)
    first_hour.edit("first/work.txt", "weak\npolite\n", "weak\n")
    jobs = set(re.findall(r"^(\w+) +\d+$", plan, re.MULTILINE))
    assert jobs >= {"instantiate_herb_probe", "plan_scoring", "score_shard", "measure_herb", "measure_topic_lean"}
    assert not jobs & {"resolve_model", "tune_scoring", "embed_regions"}


def test_the_metric_of_ones_own_is_in_the_summary(first_hour):
    summary = pd.read_csv(first_hour.folder / "results/first/summary.csv")
    own = summary[summary["metric"] == "topic_lean"].set_index(["group", "variant"]).sort_index()
    assert len(own) == 4
    assert (own["ci_low"] < own["estimate"]).all()
    assert (own["p_adjusted"] >= own["p_value"]).all()
    assert own["n"].eq(5).all()
    # two siblings and two topics: one lean, seen from four sides
    assert own["estimate"].abs().max() == pytest.approx(own["estimate"].abs().min())


def test_the_metric_of_ones_own_passes_its_test(first_hour):
    assert "4 passed" in python(first_hour, "-m", "pytest", "-q", "tests/metrics/test_topic_lean.py")


def test_the_notebook_runs(first_hour):
    results = first_hour.folder / "results"
    (results / "demo").symlink_to("first")
    (results / "first/testbed").mkdir()
    (results / "first/testbed/planted-strong").symlink_to(first_hour.folder / "models/mine")
    shown = python(first_hour, str(ROOT / "docs/notebook.py"))
    assert "topic_lean" in shown
    assert "from -" in shown
    for name in ("heatmap", "continents"):
        assert (results / f"notebook/{name}.png").stat().st_size > 0
