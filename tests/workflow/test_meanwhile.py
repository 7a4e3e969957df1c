"""What people edit while a study runs: no job reads it as if it were what the run was planned from."""

import json

import pytest

pytestmark = pytest.mark.slow  # a few small jobs, twice (fifteen seconds)

RULE = """
rule {name}:
    input:
        "edited",
        {given},
    output:
        f"{{STUDY.results}}/measured/{name}.json",
    script:
        "{name}.py"
"""
# The person who edits, before all others.
EDITS = r"""
rule edit:
    output:
        touch("edited"),
    shell:
        "echo stupid >> words/mind.txt; echo '# that is all' >> words/body.txt; echo ' ' >> tiny/config.json; "
        "echo 'LETTERS = 2' > mine/counting/score.py"
"""
SCRIPT = """
from counting.score import LETTERS
from herbarium.core import store
from herbarium.core.step import begin

made = begin(snakemake)
words = [open(file).read() for file in snakemake.input]
{then}
store.write_record(snakemake.output[0], {{"words": words}}, made)
"""
# What each job is given, what it does further, and what its error names, if it has one.
JOBS = {
    "same": ("lists=[]", "", None),
    "comment": ('lists="words/body.txt"', "", None),
    "list": ('lists="words/mind.txt"', "", "words/mind.txt"),
    "other": ('table="words/mind.txt"', "", "words/mind.txt"),
    "model": ('weights="tiny/config.json"', "", "tiny/config.json"),
    "module": ("lists=[]", "words.append(LETTERS)", "mine/counting/score.py"),
    "restored": ('lists="words/back.txt"', "open('words/back.txt', 'w').write('wise\\n')", None),
    "late": ('lists="words/late.txt"', "open('words/late.txt', 'a').write('late')", "words/late.txt"),
}


@pytest.fixture
def study(project):
    project.write("words/late.txt", "wise\n")
    project.write("words/back.txt", "wise\n")
    project.write("mine/counting/score.py", "LETTERS = 1\n")
    for name, (_, then, _) in JOBS.items():
        project.write(f"mine/{name}.py", SCRIPT.format(then=then))
    rules = [RULE.format(name=name, given=given) for name, (given, _, _) in JOBS.items()]
    project.write("mine/rules.smk", "".join([EDITS, *rules]))
    project.configure(rules=["mine/rules.smk"])
    return project


def test_a_job_stops_where_it_finds_something_else_than_was_planned(study):
    files = {name: study.folder / f"results/measured/{name}.json" for name in JOBS}
    targets = [f"results/measured/{name}.json" for name in JOBS]
    output = study.fails("--keep-going", *targets)
    stopped = {name for name, (_, _, named) in JOBS.items() if named}
    assert {name for name in JOBS if not files[name].exists()} == stopped, output
    for name in stopped:
        (line,) = (study.folder / f"results/work/logs/{name}.log").read_text().splitlines()
        assert f"{JOBS[name][2]}: changed since" in line
        assert line in output

    logs = {name: (study.folder / f"results/work/logs/{name}.log").read_text() for name in JOBS}
    assert [name for name, log in logs.items() if "written to while this job ran" in log] == ["restored"]

    # a job on another machine, which reads the configuration itself
    study.edit("study.yaml", "seed: 3", "seed: 4")
    assert "the configuration: changed since" in study.fails("--mode", "remote", "--no-hooks", "-n", targets[0])
    study.edit("study.yaml", "seed: 4", "seed: 3")

    study.edit("mine/late.py", JOBS["late"][1], "")
    assert set(study.stats(study.run(*targets))) == stopped
    words = {name: json.loads(file.read_text())["words"] for name, file in files.items()}
    assert words["list"] == words["other"] == ["", "weak\nwise\nstupid\n"]
    assert words["module"][-1] == 2
    assert words["late"][-1] == "wise\nlate"
