"""Checkpoints end to end: a training is drawn along its steps."""

import shutil

import pandas as pd
import pytest
from tests.workflow.conftest import HERB

from herbarium.core import store

pytestmark = pytest.mark.slow  # runs a workflow of six tiny models (a minute or two)


def checkpoint(folder, place, by):
    """A copy of a model with weights of another size."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(folder, place)
    weights = load_file(folder / "model.safetensors")
    save_file({name: of * by for name, of in weights.items()}, place / "model.safetensors", {"format": "pt"})


def test_checkpoints_of_a_training_are_drawn_along_it(project):
    for name, by in {"step1": 0.5, "step10": 1, "step1000": 2}.items():
        checkpoint(project.folder / "tiny", project.folder / "run" / name, by)
    models = {"run": {"path": "run", "checkpoints": ["step1", "step10", "step1000"]}}
    project.configure(models=models, herb={**HERB, "models": ["run"]})
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "figures/checkpoints.csv", comment="#")
    assert list(table["step"]) == [1, 10, 1000]
    tidy = store.read_frame(results / "summary.parquet", "tidy")
    own = tidy[(tidy["metric"] == "herb_crossed") & (tidy["variant"] == "D2") & (tidy["group"] == "earth")]
    assert dict(zip(table["model"], table["estimate"], strict=True)) == pytest.approx(
        dict(zip(own["model"], own["estimate"], strict=True))
    )
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "run: 3 checkpoints, step1 to step1000." in page
    assert 'id="changes"' not in page
    assert {record["kind"] for record in map(store.read_record, results.glob("models/*.json"))} == {"masked"}
