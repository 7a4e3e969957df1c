"""A model is loaded once for all shards that wait for it, and its answers are those of jobs that each load it."""

import re
import shutil

import pytest
from tests.workflow.conftest import HERB, copy_project

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
    """All inputs of the shards, and those that were run."""
    told = [list(map(int, found)) for log in logs(project) for found in TO_RUN.findall(log)]
    first = [int(TO_RUN.search(log)[1]) for log in logs(project)]
    return sum(first), sum(to_run for _, to_run in told)


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
    asked = [log for log in logs(alone) if TO_RUN.search(log)[1] != "0"]
    assert n_loaded(alone) == len(asked) > 2


def test_one_load_gives_the_answers_of_many(alone, project):
    project.run(*ANSWERS)
    assert n_loaded(project) == 1
    assert answers(project) == answers(alone)
    everything, run = inputs(project)
    assert run == everything
    # answers are kept until `gather_scores` has read the shards
    assert {path.suffix for path in project.folder.glob("results/work/scores/**/.*")} <= {".answered"}


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
