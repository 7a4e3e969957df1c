"""Checkpoints end to end: a training is drawn along its steps, and several are what reliability is over."""

import shutil

import pandas as pd
import pytest
import yaml

from herbarium.core import store

pytestmark = pytest.mark.nightly  # runs a workflow of seven tiny models (a minute or two)


def checkpoint(folder, place, by):
    """A copy of a model with weights of another size."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(folder, place)
    weights = load_file(folder / "model.safetensors")
    save_file({name: weight * by for name, weight in weights.items()}, place / "model.safetensors", {"format": "pt"})


def test_a_training_is_drawn_along_its_steps_and_seeds_say_how_far_trainings_differ(project):
    checkpoints = {
        "run": {"step1": 0.5, "step10": 1, "step1000": 2},
        "some": {"a": 1, "b": 1.1},
        "more": {"a": 2, "b": 2.1},
    }
    for family, sizes in checkpoints.items():
        for name, by in sizes.items():
            checkpoint(project.folder / "tiny", project.folder / family / name, by)
    models = {family: {"path": family, "checkpoints": list(sizes)} for family, sizes in checkpoints.items()}
    for family in ("some", "more"):
        models[family]["checkpoints_are"] = "seeds"
    sentences = [
        f"{word}-{side},{word},{side},People in {place} are {word}.\n"
        for word in ("weak", "wise", "loud", "shy")
        for side, place in (("a", "Peru"), ("b", "New Zealand"))
    ]
    project.write("pairs.csv", "".join(["id,set,side,text\n", *sentences]))
    settings = {"table": "pairs.csv", "models": list(models), "quantity": "pll", "sides": ["a", "b"]}
    study = {"results": "results", "seed": 3, "shards": 1, "models": models, "sentence_sets": {"pairs": settings}}
    project.write("study.yaml", yaml.safe_dump(study, sort_keys=False))
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "figures/checkpoints.csv", comment="#")
    assert list(table["step"]) == [1, 10, 1000]
    tidy = store.read_frame(results / "summary.parquet", "tidy")
    rows = tidy[(tidy["variant"] == "pll_difference") & tidy["model"].str.startswith("run-")]
    assert table["estimate"].notna().all()
    assert dict(zip(table["model"], table["estimate"], strict=True)) == pytest.approx(
        dict(zip(rows["model"], rows["estimate"], strict=True))
    )
    reliability = pd.read_csv(results / "tables/reliability.csv", comment="#")
    (row,) = reliability[reliability["over"] == "trainings"].to_dict("records")
    assert (row["n_objects"], row["n_trainings"]) == (2, 2)
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "run: 3 checkpoints, step1 to step1000." in page
    assert 'id="changes"' not in page
    assert {record["kind"] for record in map(store.read_record, results.glob("work/models/*.json"))} == {"masked"}
