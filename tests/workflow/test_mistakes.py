"""A plain mistake ends Snakemake with one plain message, in a dry run as in a job."""

import shutil

import pytest
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # each starts snakemake (seconds)


@pytest.fixture(scope="module")
def study(tmp_path_factory, model_folder):
    """A copy of the project in which nothing ever runs."""
    made = copy_project(tmp_path_factory.mktemp("mistakes"))
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    return made


def says_once(output, message):
    assert output.count(message) == 1, output
    assert f"Error: {message}" in output or f"\n  - {message}" in output
    for noise in ("Traceback", "CalledProcessError", "WorkflowError:\nE", ".smk", "line 1,", "HerbariumError"):
        assert noise not in output
    return True


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": {"tiny": {"path": "tiny", "kind": "seq2seq"}}}, "models.tiny: BertForMaskedLM is not a seq2seq"),
        ({"lock": "words/body.txt"}, "words/body.txt: its lines should be `organisation/name: commit`"),
        (
            {"regions": {"countries": ["de"]}},
            "{folder}/case.yaml, line 9: regions.countries: 'de' is not a code; did you",
        ),
    ],
    ids=["kind", "lock", "configuration"],
)
def test_a_dry_run_says_it_once(study, changes, message):
    study.configure(**changes)
    (study.folder / "study.yaml").rename(study.folder / "case.yaml")
    output = study.fails("-n", config="case.yaml")
    assert says_once(output, message.format(folder=study.folder))


def test_a_configuration_that_snakemake_cannot_read(study):
    (study.folder / "case.yaml").write_text("models:\n\ttiny: {}\n")
    assert says_once(study.fails("-n", config="case.yaml"), "case.yaml is not valid YAML, line 2: it has a tab")


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("results/sumary.csv", "did you mean 'results/summary.csv'?"),
        ("nothing", "valid: "),
    ],
)
def test_a_target_that_is_not_there_is_no_fault_of_a_rule_file(study, target, hint):
    study.configure()
    assert says_once(study.fails("-n", target), f"No rule to produce {target}; {hint}")


def test_a_job_says_it_once(project):
    project.run("results/work/stimuli/herb/0.parquet")
    path = project.folder / "results/work/stimuli/herb/0.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    output = project.fails("results/work/plans/tiny/herb/inputs-0.parquet")
    assert output.count("results/work/stimuli/herb/0.parquet is damaged") == 1
    assert "Error in rule plan_scoring" in output
    assert "log: results/work/logs/plan_scoring/tiny/herb/0.log" in output
    assert "Traceback" not in output
    assert "CalledProcessError" not in output


def test_a_job_that_is_killed_is_told_as_such(project):
    project.edit(
        "workflow/scripts/list_regions.py", "made = begin", "import os\n\nos.kill(os.getpid(), 9)\nmade = begin"
    )
    assert "died with <Signals.SIGKILL: 9>" in project.fails("results/work/regions.parquet")
