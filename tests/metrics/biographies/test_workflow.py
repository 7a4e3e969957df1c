"""Occupations told from biographies as a workflow: planted texts, a table with languages, and a random model."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.metrics.biographies import planted_texts

pytestmark = pytest.mark.slow  # a workflow of its own (two minutes)


def test_what_is_planted_is_found(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("gpt2"), project.folder / "random")
    table = planted_texts.table("mine", 1.6, 1600, 5).drop(columns=["topic", "lean"])
    table.assign(language=(["en"] * 8 + ["xx"] * 8) * 100).to_csv(project.folder / "bios.csv", index=False)
    of_table = {
        **{"data": {"path": "bios.csv"}, "text": "text", "occupation": "occupation", "language": "language"},
        **{"female": ["female"], "male": ["male"], "name": "name", "vectors": ["random-last"]},
    }
    vocabulary = [word for of in planted_texts.WORDS.values() for word in of]
    lines = [f"{word} {' '.join(str(float(at == place)) for at in range(48))}" for place, word in enumerate(vocabulary)]
    project.write("mine.vec", f"{len(lines)} 48\n" + "\n".join(lines) + "\n")
    study = {
        "seed": 2022,
        "models": {"random": {"path": "random", "kind": "causal"}},
        "vectors": {
            "topics": {"planted": 0.5},
            "random-last": {"model": "random", "layers": [-1]},
            "file": {"path": "mine.vec"},
        },
        "biographies": {
            "min_texts": 6,
            "tasks": {
                "even": {"data": {"planted": 0.0}, "vectors": ["topics"]},
                "uneven": {"data": {"planted": 1.0}, "vectors": ["topics", "file"]},
                "mine": of_table,
            },
        },
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "tables/biographies_numbers.csv")
    slope = table[(table["variant"] == "slope") & (table["definition"] == "scrubbed")].set_index(["unit", "model"])
    assert slope.loc[("even", "topics"), "p_adjusted"] > 0.05
    for source in ("topics", "file"):  # of a file, words of occupations alone have vectors
        uneven = slope.loc[("uneven", source)]
        assert uneven["p_adjusted"] < 0.05
        assert uneven["ci_low"] < 1 < uneven["ci_high"]
    assert {f"mine/{one}→{other}" for one in ("en", "xx") for other in ("en", "xx")} <= set(table["unit"])
    calibration = pd.read_parquet(results / "calibration/biographies.parquet")
    assert calibration.query("series == 'topics, scrubbed'")["expected"].tolist() == [0.0, 1.0]
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert 'id="table-biographies"' in page
    assert project.jobs() == {}
    # what is measured with changes, and no text is read or represented again
    study["biographies"]["level"] = 0.9
    project.write("study.yaml", yaml.safe_dump(study))
    assert not {"read_biographies", "represent"} & project.jobs().keys()
