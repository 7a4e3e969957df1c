"""A study on a real Slurm through profiles/slurm. `make test-slurm` makes the cluster (tests/slurm/on_cluster.sh)."""

import os
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.workflow.conftest import STUDY, Project, copy_project

PAGE = Path("docs/cluster.md").read_text()
NUMBERS, RECORD = "results/work/metrics/herb/tiny.parquet", "results/work/models/spare.json"
# The cluster keeps no accounts; a job of seconds is looked for after a second, not after 40.
HERE = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1"]
# A job of the cluster that needs more than it asks for at first.
SCARCE = """import os
if "SLURM_JOB_ID" in os.environ and snakemake.resources.mem_mb < 10000:
    raise MemoryError("more than was asked for")
"""
# Once its shard is answered, but not written, the job of the first shard has a more urgent job take its GPU; only once,
# as a file remembers when it starts again. Slurm may start the other shard's job first, which then answers both.
PREEMPTED = """import os, subprocess
if snakemake.wildcards.shard == "0" and "SLURM_JOB_ID" in os.environ and not os.path.exists("preempted"):
    open("preempted", "x").close()
    subprocess.run(["sbatch", "--partition=urgent", "--gpus=1", "--output=/dev/null", "--wrap=true"], check=True)
    time.sleep(300)
"""


def answer(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def on_cluster() -> bool:
    if shutil.which("scontrol") is None:
        return False
    text = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True).stdout
    return re.search(r"^ClusterName += herbarium$", text, re.MULTILINE) is not None


pytestmark = [
    pytest.mark.slow,  # runs a small study, its second half both here and on the cluster (some minutes)
    pytest.mark.skipif(not on_cluster(), reason="takes a Slurm cluster of its own: `make test-slurm` makes one"),
]


@pytest.fixture(scope="module")
def studies(tmp_path_factory, model_folder):
    """A study whose second half this machine has done, and the same when the cluster has."""
    alone = copy_project(tmp_path_factory.mktemp("alone"))
    for name in ("tiny", "spare"):
        shutil.copytree(model_folder("bert"), alone.folder / name)
    models = {name: {"path": name, "kind": "masked"} for name in ("tiny", "spare")}
    # of the published wording alone: others are stimuli of their own
    as_published = dict.fromkeys(("pad_mean", "no_full_stop", "odd_spaces"), False)
    herb = {**STUDY["herb"], "models": ["tiny"], "released": as_published}
    alone.configure(models=models, herb=herb)
    alone.edit("workflow/scripts/resolve_model.py", "made = begin(", f"{SCARCE}made = begin(")
    after_answers = "if snakemake.resources.gpu and model"
    alone.edit("workflow/scripts/score_shard.py", after_answers, f"{PREEMPTED}{after_answers}")
    plans = [f"results/work/plans/tiny/herb/inputs-{shard}.parquet" for shard in range(STUDY["shards"])]
    alone.run("results/work/models/tiny.json", *plans)
    cluster = Project(tmp_path_factory.mktemp("cluster") / "study")
    shutil.copytree(alone.folder, cluster.folder)
    cluster.write(
        "profiles/slurm/partitions.yaml", textwrap.dedent(re.search(r" +partitions:\n(?:    .+\n)+", PAGE)[0])
    )
    cluster.edit(
        "profiles/slurm/config.yaml", "executor: slurm", "executor: slurm\nslurm-partition-config: partitions.yaml"
    )
    with subprocess.Popen(
        ["snakemake", NUMBERS, RECORD, "--profile", "profiles/slurm", "--configfile", "study.yaml", *HERE],
        cwd=cluster.folder,
        env={**os.environ, "PYTHONPATH": ""},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as run:
        alone.run(NUMBERS)
        text, _ = run.communicate()
    assert run.returncode == 0, text
    return alone, cluster


@pytest.fixture(scope="module")
def jobs(studies):
    """The jobs of a rule or group in the order of their starts, each as its fields in Slurm's memory."""
    lines = answer("scontrol", "--oneliner", "show", "job").splitlines()
    all_jobs = sorted((dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines), key=lambda job: job["StartTime"])
    return lambda name: [job for job in all_jobs if job.get("Comment", "").startswith(f"rule_{name}")]


def test_the_cluster_finds_the_numbers_of_one_machine(studies):
    here, there = (pq.read_table(study.folder / NUMBERS) for study in studies)
    assert here.num_rows > 0
    assert there.equals(here)


def test_each_shard_has_the_gpu_to_itself(jobs):
    first, second = jobs("score_shard")
    assert first["TresPerJob"] == second["TresPerJob"] == "gres:gpu:1"
    assert first["Partition"] == "gpu"
    assert second["StartTime"] >= first["EndTime"]


def test_a_shard_whose_node_is_taken_goes_on_where_it_was(studies, jobs):
    _, cluster = studies
    (taken,) = [job for job in jobs("score_shard") if job["Restarts"] != "0"]
    assert (taken["Restarts"], taken["JobState"]) == ("1", "COMPLETED")
    log = (cluster.folder / "results/work/logs/score_shard/tiny/herb/0.log").read_text()
    assert re.search(r"(\d+) of \1 inputs have answers already, 0 to run", log)


def test_metrics_of_a_model_share_a_job_that_asks_for_no_gpu(jobs):
    (job,) = jobs("herb")
    assert job["Comment"] == "rule_herb_assemble_herb_measure_herb"
    assert "TresPerJob" not in job
    assert job["Partition"] == "cpu"


def test_a_job_that_failed_is_tried_again_with_more_memory_and_time(jobs):
    first, second = jobs("resolve_model")
    assert [first["JobState"], second["JobState"]] == ["FAILED", "COMPLETED"]
    assert [first["MinMemoryNode"], second["MinMemoryNode"]] == ["8000M", "16000M"]
    assert [first["TimeLimit"], second["TimeLimit"]] == ["01:00:00", "02:00:00"]


def test_slurm_takes_the_commands_of_the_page(jobs):
    (job,) = jobs("herb")
    commands = re.findall(r"^(?:squeue|scontrol|scancel) .+$", PAGE, re.MULTILINE)
    assert len(commands) > 3
    for command in commands:
        answer(*shlex.split(command.replace("RUN_ID", job["JobName"]).replace("JOB_ID", job["JobId"])))
