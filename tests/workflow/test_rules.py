"""What every rule has, and where things are: the tree that a newcomer reads."""

import re
import subprocess
from pathlib import Path

import pytest

RULES = {
    match[1]: match[2]
    for file in sorted(Path("workflow/rules").glob("*.smk"))
    for match in re.finditer(r"^rule (\w+):\n((?:    .*\n|\n)+)", file.read_text(), re.MULTILINE)
}


def test_rules_were_found():
    assert {"resolve_model", "instantiate_herb_probe", "plan_scoring", "score_shard", "gather_scores"} <= RULES.keys()


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_does_and_what_it_takes(name):
    body = RULES[name]
    assert re.match(r'    """[A-Z].*\."""\n', body)
    wanted = ["log", "conda", "resources", "params", "message", "script"]
    if "    output:" in body:  # a rule without output would not run again, once its benchmark is there
        wanted.append("benchmark")
    assert [directive for directive in wanted if f"    {directive}:" not in body] == []
    assert ("    benchmark:" in body) == ("    output:" in body)
    assert "mem_mb=" in body
    assert "runtime=" in body
    assert f'code=code("{name}")' in body
    assert f'"../scripts/{name}.py"' in body


def test_only_scoring_and_training_take_the_gpu():
    on_gpu = {name for name, body in RULES.items() if "gpu=gpus" in body}
    of_tasks = {"finetune", "predict_perturbed", "embed_perturbed"}
    assert on_gpu == {"tune_scoring", "score_shard", "embed_regions", "train_toxic", *of_tasks}


def test_every_script_is_one_rules():
    assert {path.stem for path in Path("workflow/scripts").glob("*.py")} == RULES.keys()


def test_rules_files_hold_rules_only():
    for file in Path("workflow/rules").glob("*.smk"):
        if file.name != "common.smk":
            assert not re.search(r"^(def|import|from|if|for) ", file.read_text(), re.MULTILINE), file


def test_the_cluster_profile_plans_the_demo():
    command = ["snakemake", "-n", "--profile", "profiles/slurm", "--configfile", "config/demo.yaml"]
    done = subprocess.run([*command, "--default-resources", "slurm_partition=p"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "score_shard" in done.stdout + done.stderr
