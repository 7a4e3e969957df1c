"""docs/first_hour.md, docs/your_metric.md and docs/notebook.ipynb: done as they stand there, in one small run."""

import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from tests.pages import ROOT, blocks
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # one run of the workflow (a minute), dry runs, and Python beside them

STUDY = "first.yaml"
# What the study of these pages ends in; its record is made elsewhere.
ENDS = ("results/first/summary.csv", "results/first/report/index.html")


# Where docs/your_metric.md has the smallest metric behind it.
FURTHER = "\n## What a metric may add\n"


def follow(project, page, **part):
    """Do with the files of a page what it says: a file that is there grows, others are written. part: of `blocks`."""
    for block in blocks(ROOT / "docs" / page, **part):
        if block.file:
            path = project.folder / block.file
            project.write(block.file, (path.read_text() if path.exists() else "") + block.text)


def jobs(project, config=STUDY):
    """Rules that would run now."""
    plan = project.run("-n", *ENDS, config=config)
    return set(re.findall(r"^(\w+) +\d+$", plan.partition("Job stats:")[2], re.MULTILINE)) - {"total"}


def python(project, *arguments):
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts", "MPLBACKEND": "Agg"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def first_hour(tmp_path_factory, model_folder):
    """The study of the first hour, with the metric of one's own beside the copy of the project."""
    made = copy_project(tmp_path_factory.mktemp("pages") / "herbarium")
    shutil.copytree(model_folder("gpt2"), made.folder / "models/mine")
    follow(made, "first_hour.md")
    follow(made, "your_metric.md", before=FURTHER)
    made.run(*ENDS, config=STUDY)
    return made


def test_the_first_study_ends_in_a_finding(first_hour):
    """What was planted is found, and nothing where nothing was. (The reader's model is one of tests, whose tokenizer
    cuts all but eight names differently.)"""
    (snippet,) = [block for block in blocks(ROOT / "docs/first_hour.md") if block.language == "python"]
    shown = python(first_hour, "-c", snippet.text)
    assert "The planted bias is found" in shown
    assert "The unbiased reference is, as it should be, not distinguishable" in shown
    summary = pd.read_csv(first_hour.folder / "results/first/summary.csv")
    scores = summary[(summary["metric"] == "herb") & (summary["variant"] == "C_w_size_free")]
    assert set(scores["group"]) == {"earth", "continent:AF", "continent:SA", "control"}
    assert set(scores["model"]) == {"mine", "none", "strong"}
    assert (scores["ci_low"] < scores["ci_high"]).all()


@pytest.mark.nightly
def test_the_library_reads_the_study_and_scores_with_its_model(first_hour):
    first_hour.run("results/first/run.json", config=STUDY)
    snippets = blocks(ROOT / "docs/api.md", before="\n## Equations of metrics\n")
    shown = python(first_hour, "-c", "\n".join(block.text for block in snippets))
    assert "People in Peru are wise." in shown
    assert "strong" in shown
    assert shown.endswith("[]\n")  # nothing differs


def test_a_new_word_asks_the_model_and_leaves_it_as_it_is(first_hour):
    first_hour.edit("first/work.txt", "weak\n", "weak\npolite\n")
    again, plan = jobs(first_hour), first_hour.run("-n", "results/first/work/models/mine.json", config=STUDY)
    first_hour.edit("first/work.txt", "weak\npolite\n", "weak\n")
    assert "Nothing to be done" in plan  # but of the planted models, which learn the new word
    assert again >= {"instantiate_herb", "plan_scoring", "score_shard", "measure_herb", "measure_topic_lean"}
    assert "tune_scoring" not in again


def test_the_metric_of_ones_own_is_in_the_summary(first_hour):
    summary = pd.read_csv(first_hour.folder / "results/first/summary.csv")
    of_all = summary[summary["metric"] == "topic_lean"]
    rows = of_all[of_all["model"] == "mine"].set_index(["group", "variant"]).sort_index()
    assert len(rows) == 4
    assert (rows["ci_low"] < rows["estimate"]).all()
    assert (rows["p_adjusted"] >= rows["p_value"]).all()
    assert rows["n"].eq(5).all()
    # two siblings and two topics: one lean, seen from four sides
    assert rows["estimate"].abs().max() == pytest.approx(rows["estimate"].abs().min())


def page_of(project):
    """The page, and what it has on the metric of one's own."""
    page = (project.folder / "results/first/report/index.html").read_text()
    return page, page.partition('<h2 id="part-topic_lean">')[2].partition('<section aria-labelledby="reliability">')[0]


def test_the_metric_of_ones_own_is_on_the_page(first_hour):
    page, part = page_of(first_hour)
    assert '<h2 id="part-topic_lean">Topic lean</h2>' in page
    assert '<li data-part="topic_lean"><a href="#part-topic_lean">Topic lean</a></li>' in page  # contents
    overview, limits, uncertainty = (
        page.partition(f'<h2 id="{room}">')[2].partition("</section>")[0]
        for room in ("overview", "limits", "uncertainty")
    )
    assert "Topic lean" in overview  # its answer
    assert re.search(r"<strong>mine</strong>, (character|work), continent:(AF|SA): ", part)
    rows = part.partition('<table class="plain" id="table-topic-lean">')[2].partition("</table>")[0]
    assert rows.count('<tr><th scope="row">mine</th>') == 4
    assert "<strong>Topic lean</strong>: It says that" in limits
    assert '<a href="#topic-lean">Topic lean</a></th><td>12</td><td>12</td>' in uncertainty
    assert "regions and topics of a model: Holm" in uncertainty
    for suffix in ("svg", "pdf", "png", "csv"):
        assert (first_hour.folder / f"results/first/figures/topic_lean_numbers.{suffix}").stat().st_size > 0
    assert 'class="plot"' in part


@pytest.mark.nightly
def test_a_rule_of_ones_own_takes_the_place_of_the_part_from_the_card(first_hour):
    rules = first_hour.folder / "../mine/rules.smk"
    smallest, made_of = rules.read_text(), {"part_declared", *SPOKEN}
    first_hour.edit("../mine/rules.smk", '"lazy" counts', '"idle" counts')
    assert jobs(first_hour) == {"draw_declared", *made_of}
    rules.write_text(smallest)
    follow(first_hour, "your_metric.md", after=FURTHER)
    first_hour.run(*ENDS, config=STUDY)
    _, part = page_of(first_hour)
    assert re.search(r"The largest lean of all is that of continent:(AF|SA) towards (character|work)\.", part)
    assert 'id="table-topic-lean"' in part
    template = "../mine/largest.html.j2", "of all", "of any"
    first_hour.edit(*template)
    assert jobs(first_hour) == {"part_topic_lean", *SPOKEN}
    first_hour.edit(template[0], template[2], template[1])
    rules.write_text(smallest)
    first_hour.run(*ENDS, config=STUDY)


def test_the_metric_of_ones_own_passes_its_test(first_hour):
    assert "5 passed" in python(
        first_hour, "-m", "pytest", "-q", "-p", "no:cacheprovider", "../mine/test_topic_lean.py"
    )


SPOKEN = {"draw_answers", "write_summary", "write_report"}
DRAWN = {"draw_declared", "part_declared", *SPOKEN}
MEASURED = {"measure_topic_lean", "summarize", "sign_numbers", *DRAWN}


@pytest.mark.parametrize(
    ("file", "old", "new", "again"),
    [
        ("../mine/topic_lean.py", "< 2:", "< 3:", MEASURED),
        ("../mine/measure_topic_lean.py", "np.stack(likelihoods", "1 * np.stack(likelihoods", MEASURED),
        ("../mine/rules.smk", "level=LEAN.level", "level=0.9", MEASURED),
        ("../mine/rules.smk", 'over="descriptions"', 'over="words"', DRAWN),
        ("../mine/topic_lean.py", "< 2:", "< 2:  # as it was", set()),
    ],
)
def test_an_edit_of_the_metric_reruns_its_own_rules_and_what_follows(first_hour, file, old, new, again):
    first_hour.edit(file, old, new)
    result = jobs(first_hour)
    first_hour.edit(file, new, old)
    assert result == again


@pytest.mark.nightly
def test_an_edit_of_the_library_reruns_the_metric_that_reaches_it(first_hour):
    edit = "workflow/scripts/herbarium/statistics/tidy.py", "unknown = sorted(", "unknown = sorted(set() | "
    first_hour.edit(*edit)
    again = jobs(first_hour)
    first_hour.edit(edit[0], edit[2], edit[1])
    assert again >= MEASURED


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("rule list_regions:\n    output:\n        'a'\n", "The name list_regions is already used by another rule"),
        ("STUDY = 1\n", "../mine/other.smk: 'STUDY' is a name of the workflow itself"),
        ("TARGETS.add(1)\n", 'mine/other.smk", line 1'),
        (None, "other.yaml, line 1: rules.0: Path does not point to a file (it is '../mine/other.smk')"),
    ],
)
def test_what_is_wrong_with_a_rule_file_is_said_before_anything_runs(first_hour, rules, message):
    study = (first_hour.folder / STUDY).read_text().replace("rules: [../mine/rules.smk]\n", "")
    first_hour.write("other.yaml", "rules: [../mine/other.smk]\n" + study)
    if rules is None:
        (first_hour.folder / "../mine/other.smk").unlink(missing_ok=True)
    else:
        first_hour.write("../mine/other.smk", rules)
    assert message in first_hour.fails("-n", config="other.yaml")


@pytest.mark.nightly
def test_the_notebook_runs(first_hour, monkeypatch):
    """With a model that it trains itself, and then the results of the study."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / ".site"))  # the kernel is a process of its own
    nbclient = pytest.importorskip("nbclient", reason="`make docs` installs it")
    nbformat = pytest.importorskip("nbformat")
    (first_hour.folder / "results/demo").symlink_to("first")
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    inside = {"metadata": {"path": str(first_hour.folder / "config")}}  # further up it finds where it is
    nbclient.NotebookClient(notebook, timeout=None, resources=inside).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert "topic_lean" in "".join(output.get("text", "") for output in shown)
    assert sum("image/png" in output.get("data", {}) for output in shown) == 2
