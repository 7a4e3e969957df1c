"""Killed with SIGKILL at random moments: nothing half-written is seen, nothing finished is done again, and in the end
every file is what it would have been.

HERBARIUM_KILLS=30 kills thirty runs instead of the few, others each time, that a night has time for.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time

import psutil
import pytest
from tests import warm
from tests.workflow.conftest import HERB, copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # a whole study, and one more in pieces

KILLS = int(os.environ.get("HERBARIUM_KILLS", "3"))
# A job of these rules, Snakemake alone, which leaves its jobs behind, or all at once as when the power fails: in the
# order of a study, so that one run meets them all.
VICTIMS = (
    *("instantiate_herb", "snakemake", "plan_scoring", "score_shard", "everything", "gather_scores"),
    *("measure_herb", "snakemake", "ablate_herb", "summarize", "draw_herb", "everything", "record_run"),
)


def jobs_below(process):
    """The running scripts of a run, by rule."""
    children = {}
    for child in process.children(recursive=True):
        try:
            script = re.search(r"tmp\w+\.(\w+)\.py", " ".join(child.cmdline()))
        except psutil.Error:
            continue
        if script and child.name().startswith("python"):
            children[script[1]] = child
    return children


def run_until_killed(project, victim, delay):
    """Start a run, kill the victim a moment after it is seen, and give what the run said."""
    command = ["snakemake", "--cores", "2", "--resources", "gpu=1", "--configfile", "study.yaml"]
    text = project.folder / "said.txt"
    with open(text, "w") as output:
        main = subprocess.Popen(
            command,
            cwd=project.folder,
            env={**os.environ, "PYTHONPATH": "", "HERBARIUM_PYTHON": warm.python()},  # a job ends with its client
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        process = psutil.Process(main.pid)
        while main.poll() is None:
            jobs = jobs_below(process)
            if victim in jobs or (jobs and victim in ("snakemake", "everything")):
                time.sleep(delay)
                if victim == "everything":
                    os.killpg(main.pid, signal.SIGKILL)
                elif victim == "snakemake":
                    main.kill()
                elif jobs[victim].is_running():
                    jobs[victim].kill()
                break
            time.sleep(0.05)
        main.wait()
    return text.read_text()


def jobs_in(log):
    """What a run said of its jobs: those that it began and those that it finished, by their messages."""
    begun = dict(re.findall(r"^Job (\d+): (.*)$", log, re.MULTILINE))
    finished = re.findall(r"^Finished jobid: (\d+) ", log, re.MULTILINE)
    return set(begun.values()), {begun[job] for job in finished if job in begun}


def a_study(folder, model_folder):
    project = copy_project(folder)
    shutil.copytree(model_folder("bert"), project.folder / "tiny")
    project.configure(herb=HERB)
    return project


@pytest.mark.parametrize("n", [1, KILLS])
@pytest.mark.nightly
def test_a_study_that_is_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path, model_folder, n):
    undisturbed, project = (a_study(tmp_path / name, model_folder) for name in ("undisturbed", "a study"))
    undisturbed.run()
    chance = random.Random(time.time_ns())  # another moment each time: the outcome must depend on none
    done, kills, victims = set(), 0, []
    while kills < n:
        left = min(n - kills, len(VICTIMS))
        victims = victims or [VICTIMS[place] for place in sorted(chance.sample(range(len(VICTIMS)), left))]
        victim = victims.pop(0)
        log = run_until_killed(project, victim, chance.uniform(0, 2))
        kills += 1
        for path in project.results().values():
            if not path.name.startswith(".") and not path.name.endswith("-metadata.json"):
                store.examine(path)  # raises where it is not whole
        begun, ended = jobs_in(log)
        assert not begun & done, f"{kills}: {victim}: done again"
        done |= ended
        if "Nothing to be done" in log or "(100%) done" in log:
            project.run("--delete-all-output")
            done, victims = set(), []
        elif victim in ("snakemake", "everything"):
            project.run("--unlock")
    begun, _ = jobs_in(project.run())
    assert not begun & done
    expected, result = undisturbed.results(), project.results()
    result = {place: path for place, path in result.items() if not place.endswith(".partial")}
    assert result.keys() == expected.keys()
    assert [place for place in expected if expected[place].read_bytes() != result[place].read_bytes()] == []


@pytest.mark.parametrize("first", [pytest.param("herb", marks=pytest.mark.nightly), "herb_wordings"])
def test_a_shard_that_is_killed_keeps_its_answers(tmp_path, model_folder, first):
    """Whether it is killed in the job of the shard, or in another one that goes on with it. first: the stimuli whose
    job runs first."""
    # answers are kept after each pass, and a run with DIE kills itself behind the first; the code is the same without
    undisturbed, project = (a_study(tmp_path / name, model_folder) for name in ("undisturbed", "a study"))
    for one in (undisturbed, project):
        one.write("words/mind.txt", "".join(f"wise {n}\n" for n in range(60)))
        one.configure(shards=1, herb=HERB | {"map_description": "loud"})
        answering, sharing = (f"workflow/scripts/herbarium/scoring/{name}.py" for name in ("answering", "sharing"))
        one.edit(answering, "_KEEP_AFTER = 60", "_KEEP_AFTER = 0")
        one.edit(answering, "_KEEP_SHARE = 20", "_KEEP_SHARE = 0")
        one.edit(answering, "wanted = pass_tokens or tokens_a_pass(model, device)", "wanted = 64")  # several passes
        keep = "            archive.keep(self.place, device, inputs, requests, values)\n"
        die = (
            '            if os.environ.get("DIE") == self.shard.title and np.isfinite(values).any():\n'
            "                os.kill(os.getpid(), 9)\n"
        )
        one.edit(sharing, keep, f"{keep}{die}")
    shards = [f"results/work/scores/tiny/{stimuli}/shard-0.parquet" for stimuli in ("herb", "herb_wordings")]
    undisturbed.run(*shards)
    project.run(*(f"results/work/plans/tiny/{stimuli}/inputs-0.parquet" for stimuli in ("herb", "herb_wordings")))
    prioritized = "--prioritize", f"results/work/scores/tiny/{first}/shard-0.parquet"
    output = project.fails(*shards, *prioritized, DIE="tiny herb shard 0")
    killed = re.findall(r"^Killed by the system: .*", output, re.MULTILINE)
    assert len(killed) == 1, output
    for fact in ("model tiny", f"logs/score_shard/tiny/{first}/0.log"):
        assert fact in killed[0]
    assert output.count("`shards`") == 1
    scores = project.folder / "results/work/scores/tiny"
    assert not list(scores.glob("*/shard-*"))
    assert len(list((project.folder / "results/work/answers").glob("*/*.parquet"))) == len({"herb", first})
    project.run(*shards)
    logs = project.folder / "results/work/logs/score_shard/tiny"
    told = {file.parent.name: file.read_text() for file in logs.glob("*/0.log")}
    counts = {
        name: re.findall(r"of (\d+) inputs have answers already, (\d+) to run", log) for name, log in told.items()
    }
    n_run = sum(int(to_run) for of_log in counts.values() for _, to_run in of_log)
    assert 0 < n_run < sum(int(of_log[0][0]) for of_log in counts.values())
    assert first == "herb" or "Loading" not in told[first]
    for shard in shards:
        assert (project.folder / shard).read_bytes() == (undisturbed.folder / shard).read_bytes()
