"""The commands of docs/developers.md, done as they stand there, on a smaller study."""

import subprocess

import pytest
from tests.pages import blocks
from tests.workflow.conftest import HERB, ROOT

pytestmark = pytest.mark.nightly  # one small run, and one of its jobs twice more
SMALLER = {
    "config/demo_full.yaml": "study.yaml",
    "config/demo.yaml": "study.yaml",
    "results/demo/summary.parquet": "results/summary.parquet",
}
MODULE = "herbarium/core/store.py"


def test_one_job_can_be_debugged_and_all_be_listed(project):
    project.configure(herb=HERB)
    project.run("results/summary.parquet")
    job, debugger, listed = (block.text for block in blocks(ROOT / "docs/developers.md"))
    for old, new in SMALLER.items():
        job, listed = job.replace(old, new), listed.replace(old, new)

    def shell(command, typed=""):
        done = subprocess.run(command, shell=True, cwd=project.folder, input=typed, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shell(job)
    made = (project.folder / "results/summary.parquet").read_bytes()
    lines = (ROOT / "workflow/scripts" / MODULE).read_text().splitlines()
    where = next(number for number, line in enumerate(lines, 1) if "return file.read(columns=columns)" in line)
    stopped = shell(debugger, f"b {MODULE}:{where}\nc\nwhere\ncl 1\nc\nq\n")
    assert f"{MODULE}({where})" in stopped
    assert (project.folder / "results/summary.parquet").read_bytes() == made

    (project.folder / "tests/workflow").mkdir(parents=True)
    (project.folder / "tests/workflow/jobs.py").write_text((ROOT / "tests/workflow/jobs.py").read_text())
    shell(listed)
    assert '"rule": "score_shard"' in (project.folder / "jobs.jsonl").read_text()
