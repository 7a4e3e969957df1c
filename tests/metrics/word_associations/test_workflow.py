"""Word associations as a workflow: planted vectors, a file of vectors, and a model's layers."""

import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.metrics.word_associations.toy import HERE, WOMEN
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # (a minute)

TEST = {"words": str(HERE / "tests/career_family.csv")}


def test_every_kind_of_source(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("bert"), project.folder / "bert")
    random = np.random.default_rng(0)
    words = ["he", "she", "uncle", "aunt", "builder", "cleaner", "nurse", "farmer", "cook", "apple", "pear", "spoon"]
    lines = [f"{word} {' '.join(f'{value:.4f}' for value in random.normal(size=6))}\n" for word in words]
    project.write("few.vec", "".join(lines))
    project.write("other.vec", "one 1 2\ntwo 2 1\n")
    study = {
        "shards": 1,
        "models": {"bert": {"path": "bert", "kind": "masked"}},
        "vectors": {
            "none": {"planted": 0.0},
            "strong": {"planted": 2.0},
            "hard": {"debiased": {"from": "strong"}},
            "few": {"path": "few.vec"},
            "other": {"path": "other.vec"},
            "layers": {"model": "bert", "layers": "all"},
        },
        "word_associations": {
            "sources": ["none", "strong", "hard", "few", "other", "layers"],
            "sembias": {"own": {"table": str(HERE / "sembias")}},
            "occupations": {"jobs": WOMEN},
            "tests": {"weat": TEST, "seat": TEST | {"templates": ["This is [word]."], "sources": ["layers"]}},
        },
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    numbers = pd.read_csv(results / "tables/word_associations_numbers.csv", dtype={"variant": str})
    strong = numbers[(numbers["model"] == "strong") & (numbers["metric"] == "projection_women")].iloc[0]
    assert strong["ci_high"] < 0
    assert strong["p_adjusted"] < 0.05
    few = numbers[(numbers["model"] == "few") & (numbers["metric"] == "projection_women")].iloc[0]
    assert few["n"] == 4
    assert "36 of 40 occupations left out, without vectors: carpenter" in few["note"]
    other = numbers[numbers["model"] == "other"]
    assert other["estimate"].isna().all()
    assert other["note"].notna().all()
    layers = numbers[numbers["model"] == "layers"]
    assert set(layers["variant"]) == {"0", "1", "2"}
    assert set(layers.loc[layers["unit"] == "seat", "metric"]) == {"seat", "rnd", "rnsb"}
    listed = pd.read_csv(results / "tables/word_associations_words.csv")
    assert listed.loc[listed["source"] == "few", "note"].notna().sum() == listed["word"].nunique() - len(words)
    calibration = store.read_frame(results / "calibration/word_associations.parquet", "calibration")
    assert calibration["expected"].notna().all()
    changes = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    assert set(changes["first"] + " to " + changes["second"]) == {"strong to hard"}
    lean = changes.loc["Word associations, own, he-she: lean of stereotype pairs"]
    assert abs(lean["value_after"]) < 1e-6 < lean["value_before"] == pytest.approx(-lean["estimate"], abs=1e-6)
    assert lean["p_adjusted"] < 1e-4
    reliability = pd.read_csv(results / "tables/reliability.csv").set_index("over")
    assert reliability.loc["models", "measure"] == "stereotype_lean"
    page = (results / "report/index.html").read_text()
    assert "Projections and share of women" in page
    assert not project.jobs()
