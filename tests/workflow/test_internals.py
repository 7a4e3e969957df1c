"""What workflow/engine/internals.py asks of Snakemake, on the version that is installed: a test for each reach, so
that it is plain which one a new version has broken."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ENGINE = Path("workflow/engine").absolute()

SNAKEFILE = f"""
import json
import shlex
from pathlib import Path

from snakemake.logging import logger

sys.executable = shlex.quote(sys.executable)
sys.path.append({str(ENGINE)!r})
import internals

FOUND = {{}}


def tried(reach, act, *shown):
    try:
        FOUND[reach] = act()
    except Exception as error:
        FOUND[reach] = f"{{type(error).__name__}}: {{error}}"
    if workflow.is_main_process:
        Path("found.json").write_text(json.dumps(FOUND, default=str))


rule all:
    default_target: True
    input:
        "made-x.csv",
        "old.txt",
        "forced.txt",


rule first:
    \"\"\"Make what passes. And no more.\"\"\"
    input:
        "source.txt",
    output:
        temp("passing-{{name}}.txt"),
    script:
        "make.py"


rule table_made:
    input:
        "passing-{{name}}.txt",
        "source.txt",
    output:
        "made-{{name}}.csv",
    params:
        code="its own",
    script:
        "make.py"


rule old:
    input:
        "source.txt",
    output:
        "old.txt",
    script:
        "make.py"


rule forced:
    output:
        "forced.txt",
    script:
        "make.py"


def described(rule):
    jobs = {{job.rule.name: job for job in internals.all_jobs(workflow)}}
    job = jobs[rule]
    return {{
        "message": job.message,
        "log": list(map(str, job.log)),
        "benchmark": str(job.benchmark),
        "group": job.rule.group,
        "environment": str(job.rule.conda_env),
        "params": dict(job.params.items()),
    }}


for reach in ("is_module", "is_configured", "is_dry", "is_dating", "is_in_containers", "is_in_storage", "alone"):
    tried(reach, lambda: getattr(internals, reach)(workflow))
tried("is_made", lambda: [internals.is_made(workflow, file) for file in ("made-x.csv", "nothing.txt")])
tried("is_passing", lambda: [internals.is_passing(workflow, file) for file in ("passing-x.txt", "made-x.csv")])
tried("script_of", lambda: internals.script_of(next(rule for rule in workflow.rules if rule.name == "first")))
PARAMETERS = {{"code": "ours"}}
tried("complete", lambda: internals.complete(workflow, "logs", "benchmarks", Path("."), lambda _: PARAMETERS))
if workflow.is_main_process:
    ORDER = []
    internals.before_planning(workflow, lambda: ORDER.append("before"))
    internals.before_planning(
        workflow, lambda: tried("remember_dates", lambda: internals.remember_dates(workflow, {{"source.txt": 0}}))
    )
    internals.before_planning(workflow, lambda: tried("force", lambda: internals.force(workflow, ["forced.txt"])))
    internals.once_planned(workflow, lambda: ORDER.append("planned"))
    internals.once_planned(workflow, lambda: tried("order", lambda: ORDER))
    internals.once_planned(
        workflow, lambda: tried("needed_jobs", lambda: sorted(job.rule.name for job in internals.needed_jobs(workflow)))
    )
    internals.once_planned(workflow, lambda: tried("described", lambda: [*map(described, ("first", "table_made"))]))
    internals.before_planning(workflow, lambda: tried("targets", lambda: internals.targets(workflow)))
    internals.once_planned(workflow, lambda: tried("is_run", lambda: internals.is_run(workflow)))
    internals.once_planned(workflow, lambda: tried("names_in_commands", lambda: internals.names_in_commands(workflow)))


onstart:
    tried("is_without_hooks", lambda: internals.is_without_hooks(workflow))
    FOUND["limit"] = workflow.scheduler.job_rate_limiter is not None
    tried("rest_between_jobs", lambda: internals.rest_between_jobs(workflow))
    FOUND["rests"] = workflow.scheduler.job_rate_limiter is None
    tried("record_inputs", lambda: internals.record_inputs(workflow, {{"source.txt": "planned"}}))
    tried("say_less", lambda: internals.say_less(workflow, logger))
"""


def run(folder: Path, *options: str) -> tuple[dict, str]:
    """What each reach gave in a run, and what the run showed."""
    command = [shutil.which("snakemake"), "--cores", "1", *options]
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return json.loads((folder / "found.json").read_text()), done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workflow of four rules: one whose file is older than its input, one whose file is only made by force."""
    made = tmp_path_factory.mktemp("internals")
    (made / "Snakefile").write_text(SNAKEFILE)
    (made / "analysis.yaml").write_text("dependencies: [python]\n")
    (made / "make.py").write_text("from pathlib import Path\n\nPath(snakemake.output[0]).write_text('made')\n")
    for file, age in (("source.txt", 0), ("old.txt", 1000), ("forced.txt", 1000)):
        (made / file).write_text(file)
        when = time.time() - age
        os.utime(made / file, (when, when))
    return made


@pytest.fixture(scope="module")
def dry(folder):
    return run(folder, "-n", "--rerun-triggers", "mtime")


@pytest.fixture(scope="module")
def ran(folder, dry):
    return run(folder, "--rerun-triggers", "mtime")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reach", "expected"),
    [
        ("is_module", False),
        ("is_configured", False),
        ("is_in_containers", False),
        ("is_in_storage", False),
        ("targets", []),
        ("alone", {"all": [], "old": ["old.txt"], "forced": ["forced.txt"]}),
        ("is_made", [True, False]),
        ("is_passing", [True, False]),
        ("order", ["before", "planned"]),
        ("needed_jobs", ["all", "first", "forced", "table_made"]),  # neither `old`, whose input we say is older
        ("remember_dates", None),
        ("force", None),
        ("complete", None),
    ],
)
def test_what_is_asked_before_and_after_planning(dry, ran, reach, expected):
    for asked, _ in (dry, ran):
        assert asked[reach] == expected


@pytest.mark.slow
def test_a_dry_run_is_told_from_a_run(dry, ran):
    assert [outcome["is_dry"] for outcome, _ in (dry, ran)] == [True, False]
    assert [outcome["is_dating"] for outcome, _ in (dry, ran)] == [False, False]
    assert [outcome["is_run"] for outcome, _ in (dry, ran)] == [False, True]
    assert ran[0]["is_without_hooks"] is False


def test_script_of(ran, folder):
    assert Path(ran[0]["script_of"]).resolve() == (folder / "make.py").resolve()


def test_complete_gives_rules_what_they_share(dry):
    first, made = dry[0]["described"]  # a run on this machine has no groups
    assert first["message"] == "Make what passes (name x)"
    assert first["log"] == ["logs/first/x.log"]
    assert first["benchmark"] == "benchmarks/first/x.tsv"
    assert first["environment"] == "analysis.yaml"
    assert (first["group"], first["params"]) == (None, {"code": "ours"})
    assert (made["group"], made["params"]) == ("report", {"code": "its own"})


def test_names_in_commands_are_none_on_this_machine(ran):
    assert ran[0]["names_in_commands"] == "set()"


def test_rest_between_jobs_takes_away_the_limit_that_snakemake_sets(ran):
    assert (ran[0]["rest_between_jobs"], ran[0]["limit"], ran[0]["rests"]) == (None, True, True)


def test_record_inputs_writes_the_checksums_of_the_plan(ran, folder):
    assert ran[0]["record_inputs"] is None
    records = [json.loads(path.read_text()) for path in (folder / ".snakemake/metadata").iterdir()]
    (checksums,) = (record["input_checksums"] for record in records if record["rule"] == "table_made")
    assert checksums["source.txt"] == "sha256:planned"
    assert len(checksums["passing-x.txt"]) == len("sha256:") + 64  # as Snakemake found it


def test_say_less_shows_a_line_a_job(ran):
    assert ran[0]["say_less"] is None
    lines = [re.sub(r"^\[[\d:]+\] ", "", line) for line in ran[1].splitlines() if re.match(r"\[[\d:]{8}\] ", line)]
    assert sorted(line.partition(": ")[2] for line in lines) == sorted(
        ["Make what passes (name x)", "table_made (name x)", "forced", "all"]
    )
    assert "Select jobs to execute" not in ran[1]


@pytest.mark.slow
def test_a_module_is_told_from_the_main_workflow(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "inner", ignore=shutil.ignore_patterns(".snakemake"))
    (tmp_path / "Snakefile").write_text(
        'module inner:\n    snakefile:\n        "inner/Snakefile"\n\n\nuse rule * from inner\n'
    )
    (tmp_path / "source.txt").write_text("source")
    subprocess.run(["snakemake", "-n", "made-x.csv"], cwd=tmp_path, check=True, capture_output=True)
    is_module = json.loads((tmp_path / "found.json").read_text())
    assert is_module["is_module"] is True
    assert is_module["targets"] == ["made-x.csv"]


def test_nothing_else_reaches_into_snakemake():
    """By the names of what is private, or only known from the source."""
    private = r"\._\w+ = |workflow\.(_|modifier|dag|scheduler|persistence|iocache|sourcecache|\w+_settings|executor)"
    files = [Path("workflow/Snakefile"), *Path("workflow/rules").glob("*.smk")]
    assert [(file.name, uses) for file in files for uses in re.findall(private, file.read_text())] == []
