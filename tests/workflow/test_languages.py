"""Categorical Bias of a language of one's own: the example of docs/categorical_bias.md, run as it stands there."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from herbarium import store

DOCS = Path(__file__).parents[2] / "docs/categorical_bias.md"


def files_of_the_example():
    """Name -> text of each file that the page shows: a fence behind its name in backticks."""
    text = DOCS.read_text(encoding="utf-8").partition("## Any language")[2]
    return dict(re.findall(r"`(italian[\w/.]*)`[^\n]*\n\n```\w+\n(.*?)```", text, re.DOTALL))


@pytest.fixture
def example(project):
    files = files_of_the_example()
    assert set(files) == {"italian.yaml", *(f"italian/{name}.csv" for name in ("templates", "targets", "attributes"))}
    for name, text in files.items():
        project.write(name, text)
    return project


def run(project, *arguments):
    done = project.snakemake(*arguments, config="italian.yaml")
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_example_runs_and_a_new_target_runs_its_own_inputs_only(example):
    run(example)
    results = example.folder / "results/italian"
    scores = pd.read_csv(results / "tables/cb_scores.csv")
    found = scores[(scores["variant"] == "cb") & (scores["language"] == "italian")]
    assert set(found["definition"]) == {"paper", "released"}
    assert (found["ci_low"] < found["ci_high"]).all()
    assert "Ethnic bias" in (results / "report/index.html").read_text(encoding="utf-8")
    assert (results / "figures/categorical_bias_scores.png").stat().st_size > 0
    summary = store.read_frame(results / "summary.parquet", "tidy")
    assert set(summary["metric"]) == {"categorical_bias"}, (
        "one language, one model and one list have nothing to be compared with"
    )
    assert "nothing to be done" in run(example).lower()

    # a word that the model has not learned: it is not trained again, and asked for this word's inputs alone
    study = yaml.safe_load((example.folder / "italian.yaml").read_text())
    study["models"]["piccolo"] = {"path": "results/italian/testbed/piccolo", "kind": "masked"}
    example.write("italian.yaml", yaml.safe_dump(study))
    run(example)
    example.edit("italian/targets.csv", "Cuba,base,da,Cuba", "Cuba,base,da,Cuba\nPeru,base,dal,Cuba Cuba")
    log = run(example)
    n_known, n_all = map(int, re.search(r"(\d+) of (\d+) inputs have answers already", log).groups())
    assert 0 < n_known < n_all
