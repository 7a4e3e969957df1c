"""Occupations predicted from biographies as a workflow: planted texts, a table with languages, a random model, and one
that is fine-tuned."""

import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.metrics.biographies import fine_tuned
from tests.workflow.conftest import copy_project

from herbarium.metrics.biographies import planted_texts

pytestmark = pytest.mark.slow  # workflows of their own (three minutes)


def test_what_is_planted_is_found(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("gpt2"), project.folder / "random")
    table = planted_texts.table("mine", 1.6, 1600, 5).drop(columns=["topic", "lean"])
    table.assign(language=(["en"] * 8 + ["xx"] * 8) * 100).to_csv(project.folder / "bios.csv", index=False)
    of_table = {
        **{"data": {"path": "bios.csv"}, "text": "text", "occupation": "occupation", "language": "language"},
        **{"female": ["female"], "male": ["male"], "name": "name", "vectors": ["random-last"]},
    }
    vocabulary = [word for item in planted_texts.WORDS.values() for word in item]
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
    calibration = pd.read_parquet(results / "work/calibration/biographies.parquet")
    assert calibration.query("series == 'topics, scrubbed'")["expected"].tolist() == [0.0, 1.0]
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert 'id="table-biographies"' in page
    assert project.jobs() == {}
    # what is measured with changes, and no text is read or represented again
    study["biographies"]["level"] = 0.9
    project.write("study.yaml", yaml.safe_dump(study))
    assert not {"read_biographies", "represent"} & project.jobs().keys()


def test_a_fine_tuned_model_finds_what_is_planted(tmp_path):
    study = fine_tuned.study({"uneven": 1.6}, 2400)
    project = fine_tuned.project(tmp_path / "herbarium", study)
    jobs = project.jobs()
    assert (jobs["finetune_biographies"], jobs["measure_biographies"]) == (6, 1)
    assert "represent" not in jobs
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "tables/biographies_numbers.csv").set_index(["variant", "definition"])
    assert set(table.index.get_level_values("definition")) == {"as_is", "scrubbed"}
    slope = table.loc[("slope", "scrubbed")]
    assert (slope["model"], slope["group"]) == ("small", "fine-tuned")
    assert np.isnan(slope["p_adjusted"])  # three training sets are too few for a test
    assert 0 < slope["ci_low"] < 1.6 < slope["ci_high"]
    assert table.loc[("accuracy", "scrubbed"), "estimate"] > 0.6
    calibration = pd.read_parquet(results / "work/calibration/biographies.parquet")
    assert calibration.query("series == 'small, scrubbed'")["expected"].tolist() == [1.6]
    assert "A model is fine-tuned" in (results / "report/index.html").read_text(encoding="utf-8")
    assert not [
        file for file in (results / "work/biographies").rglob("*") if "set-" in file.name and file.suffix != ".parquet"
    ]
    assert project.jobs() == {}
    # another level of intervals asks no model anything; another learning rate trains it anew
    study["biographies"]["level"] = 0.9
    project.write("study.yaml", yaml.safe_dump(study))
    assert {"measure_biographies"} <= project.jobs().keys()
    assert not {"read_biographies", "finetune_biographies"} & project.jobs().keys()
    study["biographies"]["training"]["learning_rate"] = 1e-3
    project.write("study.yaml", yaml.safe_dump(study))
    assert project.jobs()["finetune_biographies"] == 6
