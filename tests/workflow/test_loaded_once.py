"""A model is loaded once for all shards that wait for it, and its answers are those of jobs that each load it."""

import re
import shutil

import pytest
from tests.workflow.conftest import HERB, Project, copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # one small study, in jobs that share a model and in jobs that do not

SHARDS = [(stimuli, shard) for stimuli in ("herb", "herb_wordings") for shard in range(3)]
PLANS = [f"results/work/plans/tiny/{stimuli}/inputs-{shard}.parquet" for stimuli, shard in SHARDS]
ANSWERS = [f"results/work/scores/tiny/{stimuli}/shard-{shard}.parquet" for stimuli, shard in SHARDS]
TO_RUN = re.compile(r"of (\d+) inputs have answers already, (\d+) to run")


def a_study(folder, model_folder):
    project = copy_project(folder)
    shutil.copytree(model_folder("bert"), project.folder / "tiny")
    project.configure(shards=3, herb=HERB)
    return project


def answers(project):
    return [(project.folder / file).read_bytes() for file in ANSWERS]


def logs(project):
    folder = project.folder / "results/work/logs/score_shard/tiny"
    return [(folder / stimuli / f"{shard}.log").read_text() for stimuli, shard in SHARDS]


def n_loaded(project):
    return sum("Loading tiny." in log for log in logs(project))


def inputs(project):
    """The unique inputs of all shards, and how many were run."""
    digests = [store.read_frame(project.folder / plan, "plan_inputs")["digest"] for plan in PLANS]
    return len(set().union(*digests)), sum(int(run) for log in logs(project) for _, run in TO_RUN.findall(log))


@pytest.fixture(scope="module")
def alone(tmp_path_factory, model_folder):
    project = a_study(tmp_path_factory.mktemp("alone") / "study", model_folder)
    for file in ANSWERS:
        project.run(file)
    return project


@pytest.fixture
def project(tmp_path, model_folder):
    return a_study(tmp_path / "a study", model_folder)


def test_jobs_of_runs_of_their_own_load_it_each(alone):
    asked = [log for log in logs(alone) if TO_RUN.search(log)[2] != "0"]
    assert n_loaded(alone) == len(asked) > 2


def test_one_load_gives_the_answers_of_many(alone, project):
    project.run(*ANSWERS)
    assert n_loaded(project) == 1
    assert answers(project) == answers(alone)
    everything, run = inputs(project)
    assert run == everything


def test_answers_are_found_again(alone, tmp_path):
    """Those of a model with another name, in another number of shards, and by code with other messages; of code that
    answers in another way, none."""
    project = Project(shutil.copytree(alone.folder, tmp_path / "a study"))
    project.edit("workflow/scripts/herbarium/models/loading.py", "does not use ", "makes no use of ")
    project.edit("workflow/scripts/herbarium/core/console.py", "Error: ", "Mistake: ")
    (project.folder / "tiny").rename(project.folder / "small")
    project.configure(shards=2, herb=HERB, models={"small": {"path": "small", "kind": "masked"}})
    shards = [(stimuli, shard) for stimuli in ("herb", "herb_wordings") for shard in range(2)]
    scores = [f"results/work/scores/small/{stimuli}/shard-{shard}.parquet" for stimuli, shard in shards]
    project.run(*scores)
    told = [
        (project.folder / f"results/work/logs/score_shard/small/{stimuli}/{shard}.log").read_text()
        for stimuli, shard in shards
    ]
    assert [TO_RUN.search(log)[2] for log in told] == ["0"] * len(shards)
    assert not any("Loading" in log for log in told)
    project.edit("workflow/scripts/herbarium/scoring/answering.py", "_LEAST_ROWS_CPU = 64", "_LEAST_ROWS_CPU = 32")
    project.run(*scores[:1])
    first = TO_RUN.search((project.folder / "results/work/logs/score_shard/small/herb/0.log").read_text())
    assert first[1] == first[2] != "0"


@pytest.mark.nightly
def test_jobs_at_once_share_the_shards(alone, project):
    project.run(*PLANS)
    project.run(*ANSWERS, "--set-threads", "score_shard=1", cores=2)
    assert 1 <= n_loaded(project) <= 2
    assert answers(project) == answers(alone)
    everything, run = inputs(project)
    assert run == everything


@pytest.mark.nightly
def test_a_plan_of_an_earlier_run_waits_for_nothing(alone, project):
    """A word more: a shard is answered as it will be planned, and those without the word are not touched."""
    project.run(*ANSWERS)
    dates = [(project.folder / file).stat().st_mtime_ns for file in ANSWERS]
    project.write("words/body.txt", "weak\nhard-working\nloud\nshy\n")
    expected = project.jobs(*ANSWERS)["score_shard"]
    project.run(*ANSWERS)
    changed = [
        file for file, date in zip(ANSWERS, dates, strict=True) if (project.folder / file).stat().st_mtime_ns != date
    ]
    assert len(changed) == expected < len(ANSWERS)
    assert "Nothing to be done" in project.run(*ANSWERS)
