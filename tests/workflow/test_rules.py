"""What every rule has, and where things are: the tree that a newcomer reads."""

import graphlib
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.workflow.conftest import HERB, ROOT

RULES = {
    match[1]: match[2]
    for file in sorted(Path("workflow/rules").glob("*.smk"))
    for match in re.finditer(r"^rule (\w+):\n((?:    .*\n|\n)+)", file.read_text(), re.MULTILINE)
}
SCRIPTED = {name for name, body in RULES.items() if "    script:" in body}  # the others are targets


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_does_and_what_it_takes(name):
    body = RULES[name]
    if "    script:" not in body:  # a target
        return
    assert re.match(r'    """[A-Z].*\."""\n', body)
    # what all rules say alike is said once: workflow/Snakefile, profiles/default
    assert [name for name in ("message", "log", "benchmark") if f"    {name}:" in body] == []
    assert "analysis.yaml" not in body
    assert "code=" not in body
    assert "mem_mb=growing(4000)" not in body
    assert "runtime=growing(30)" not in body
    assert re.search(rf'"../scripts/({name}|take_step)\.py"', body)


@pytest.mark.parametrize("name", RULES)
def test_what_reruns_a_job_is_no_function_of_its_input(name):
    """Snakemake keeps no such parameter, so that its changes would rerun nothing."""
    assert not re.search(r"lambda wildcards, \w+: (contents|value_hash)\(", RULES[name])


def planned(project, study, *targets):
    """Every job of a study, as a dictionary: see jobs.py."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests/workflow/jobs.py", study, "jobs", *targets],
        cwd=project.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert (project.folder / "jobs").exists(), done.stdout
    return [json.loads(line) for line in (project.folder / "jobs").read_text().splitlines()]


OUTSIDE = """
rule mine:
    output:
        f"{STUDY.results}/mine/{{model}}.json",
    script:
        "mine.py"


use rule mine as like_mine with:
    output:
        f"{STUDY.results}/like/{{model}}-{{stimuli}}.csv",
"""


@pytest.mark.slow
def test_a_rule_from_elsewhere_or_like_another_has_what_all_rules_share(project):
    project.write("mine/rules.smk", OUTSIDE)
    project.write("mine/mine.py", "1\n")
    project.configure(rules=["mine/rules.smk"], herb=HERB)
    targets = ["results/work/regions.parquet", "results/mine/tiny.json", "results/like/tiny-herb.csv"]
    jobs = {job["rule"]: job for job in planned(project, "study.yaml", *targets)}
    logs = {name: jobs[name]["log"] for name in ("mine", "like_mine", "list_regions")}
    assert logs == {
        "mine": ["results/work/logs/mine/tiny.log"],
        "like_mine": ["results/work/logs/like_mine/tiny/herb.log"],
        "list_regions": ["results/work/logs/list_regions.log"],
    }
    codes = {name: jobs[name]["params"]["code"] for name in logs}
    assert codes["mine"] == codes["like_mine"] != codes["list_regions"]
    assert {Path(jobs[name]["conda"]).name for name in logs} == {"analysis.yaml"}
    assert jobs["like_mine"]["message"] == "like_mine (model tiny, stimuli herb)"
    assert "spreadsheet_safe" in jobs["like_mine"]["params"]

    (project.folder / "mine/mine.py").unlink()
    assert "mine.py: no such file. A rule names it as its script." in project.fails("-n")


# What steps after scoring may read that no step made: maps, what the sources have, and numbers that others or our
# simulations found.
KNOWN = r"resources/(maps/.*|scope\.csv|\w+/(published\w*|validity|winobias_\w+)\.csv)|CITATION\.cff|workflow/Snakefile"


@pytest.mark.slow
def test_after_scoring_no_step_reads_a_list_a_tokenizer_or_a_model(project):
    jobs = planned(project, "config/demo_full.yaml")
    made_by = {path: job for job in jobs for path in job["output"]}
    before = [[id(made_by[path]) for path in job["input"] if path in made_by] for job in jobs]
    order = graphlib.TopologicalSorter(dict(zip(map(id, jobs), before, strict=True)))
    job_of, scored, further = {id(job): job for job in jobs}, set(), set()
    steps = list(order.static_order())
    for step in steps:
        inputs = [id(made_by[path]) for path in job_of[step]["input"] if path in made_by]
        if any(job_of[other]["rule"] == "gather_scores" or other in scored for other in inputs):
            scored.add(step)
    # A model that was trained on what scores chose is scored in its turn.
    for step in reversed(steps):
        if step in further or job_of[step]["rule"] == "gather_scores":
            further |= {id(made_by[path]) for path in job_of[step]["input"] if path in made_by}
    after = [job_of[step] for step in scored - further if job_of[step]["rule"] != "gather_scores"]
    assert {"measure_herb", "compare_categorical_bias", "draw_mixed_effects", "write_report"} <= {
        job["rule"] for job in after
    }
    read = {
        (job["rule"], path)
        for job in after
        for path in job["input"]
        if (path not in made_by and not re.fullmatch(KNOWN, path)) or "tokenizer" in path or "safetensors" in path
    }
    assert read == set()


def test_what_draws_models_is_given_their_order():
    given = {name for name, body in RULES.items() if "order=ORDER" in body}
    taken = {path.stem for path in Path("workflow/scripts").glob("*.py") if "style.order(" in path.read_text()}
    assert given == taken >= {"draw_answers", "draw_herb", "draw_sentence_sets", "write_report"}


def test_only_scoring_and_training_take_the_gpu(snapshot):
    assert sorted(name for name, body in RULES.items() if "gpu=" in body) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "n_tuned"), [("float32", 0), ("auto", 1)])
def test_a_model_of_the_testbed_is_tuned_only_for_another_number_format(project, dtype, n_tuned):
    project.configure(models={"planted": {"planted": 1.0, "kind": "masked", "dtype": dtype}}, herb=HERB)
    jobs = project.jobs()
    assert jobs["score_shard"] == 4  # two shards, of the published wording and of the others
    assert jobs.get("tune_scoring", 0) == n_tuned


def test_every_script_is_one_rules():
    named = {script for body in RULES.values() for script in re.findall(r'"../scripts/(\w+)\.py"', body)}
    assert {path.stem for path in Path("workflow/scripts").glob("*.py")} == named


METRICS = sorted(path.parent.name for path in Path("workflow/scripts/herbarium/metrics").glob("*/section.py"))
RECIPES = {"train_toxic", "train_advice"}  # they make a model, which any metric measures


@pytest.mark.parametrize("metric", [name for name in METRICS if Path(f"workflow/rules/{name}.smk").exists()])
def test_the_rules_of_a_metric_name_it(metric):
    rules = re.findall(r"^rule (\w+):", Path(f"workflow/rules/{metric}.smk").read_text(), re.MULTILINE)
    assert [rule for rule in rules if not re.search(rf"(^|_){metric}(_|$)", rule) and rule not in RECIPES] == []


# Every text that names a result. Input functions know no `<work>` and `<results>`, but the folders of the study.
RESULT = re.compile(r'"((?:<work>|<results>|{(?:STUDY|study)\.(?:work|results)})/[^"\n]*)"')
LIBRARY = Path("workflow/scripts/herbarium")
PLACES = [LIBRARY / "core/shared.py", *sorted(LIBRARY.rglob("targets.py"))]


def results_named(files):
    """Every result that is named in the text of files, with wildcards as rules write them."""
    paths = [path for file in files for path in RESULT.findall(file.read_text())]
    return [re.sub(r"{(?:STUDY|study)\.(\w+)}", r"<\1>", path).replace("{{", "{").replace("}}", "}") for path in paths]


def test_no_result_is_named_twice():
    rules = results_named([Path("workflow/Snakefile"), *Path("workflow/rules").glob("*.smk")])
    everywhere = rules + results_named(PLACES)
    assert len(everywhere) > 100
    assert sorted({path for path in everywhere if everywhere.count(path) > 1}) == []
    # what one rule makes and no other reads, and the folders of what Snakemake writes
    assert sorted(rules) == [
        "<results>/estimate.txt",
        "<results>/reproduction.txt",
        "<results>/ro-crate-metadata.json",
        "<work>/benchmarks",
        "<work>/logs",
        "<work>/stimuli/croissant.json",
    ]


def test_no_two_names_mean_the_same_result():
    named = [
        (value, f"{file.parent.name}.{name}")
        for file in PLACES
        for name, value in vars(
            importlib.import_module(f"herbarium.{'.'.join(file.relative_to(LIBRARY).with_suffix('').parts)}")
        ).items()
        if name.isupper() and isinstance(value, str) and value.startswith("<")
    ]
    assert len(named) > 100
    assert len({value for value, _ in named}) == len(named), sorted(named)


def test_rules_files_hold_rules_only():
    for file in Path("workflow/rules").glob("*.smk"):
        if file.name not in ("configuration.smk", "helpers.smk", "setup.smk"):
            assert not re.search(r"^(def|class) ", file.read_text(), re.MULTILINE), file


PROFILE = yaml.safe_load(Path("profiles/slurm/config.yaml").read_text())
GROUPS = {name: group[1] for name, body in RULES.items() if (group := re.search(r'group:\n        "(\w+)"', body))}
GROUPS |= {name: "report" for name in RULES if name.partition("_")[0] in ("compare", "table", "draw", "part")}


def test_groups_that_the_cluster_profile_names_exist():
    assert PROFILE["group-components"].keys() <= set(GROUPS.values())


def test_short_jobs_share_one_on_a_cluster_and_jobs_on_a_gpu_stay_single(snapshot):
    """Alone are those that wait for a network, or are, or stand between, jobs that are not short."""
    assert [name for name, body in RULES.items() if "gpu=gpus" in body and name in GROUPS] == []
    short = {name for name, body in RULES.items() if "    resources:" not in body and "    output:" in body}
    assert sorted(short - GROUPS.keys()) == snapshot


@pytest.mark.slow
def test_the_cluster_profile_plans_the_demo():
    # all of it: the demo may have been made here already
    command = ["snakemake", "-n", "--forceall", "--profile", "profiles/slurm", "--configfile", "config/demo_full.yaml"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    groups = re.findall(r"Group job (\w+) ", done.stdout)
    assert set(groups) == {*GROUPS.values(), "testbed"}
    assert groups.count("stimuli") == groups.count("report") == 1


def test_weights_have_one_name_by_which_a_step_knows_them():
    """They are identified by the record of their model; those that were converted do not say what made them."""
    named = [
        (rule, name)
        for rule, body in RULES.items()
        for name in re.findall(r"^        (\w+)=(?:lambda wildcards: )?\W*weights(?:_of\(|,|\b)", body, re.MULTILINE)
    ]
    assert {"fit_rotation", "train_continued", "score_shard"} <= {rule for rule, _ in named}
    assert {name for _, name in named} == {"weights"}
