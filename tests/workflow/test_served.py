"""A served model that answers otherwise after its check, in a run; and the key, which is in none of its files."""

import shutil

import pandas as pd
import pytest
import yaml
from tests import served
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow

SECRET = "hunter2"
ROUNDS = 3  # of a check


def test_answers_after_the_check_are_those_of_the_checked_weights(tmp_path, model_folder):
    made = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("llama"), made.folder / "next")
    rows = [
        (f"{word}-{side}", word, side, f"{place} and {word}.")
        for word in ("weak", "wise", "shy", "loud")
        for side, place in (("peru", "Peru"), ("fiji", "Fiji"))
    ]
    made.write("pairs.csv", pd.DataFrame(rows, columns=["id", "set", "side", "text"]).to_csv(index=False))
    pairs = {"table": "pairs.csv", "models": ["next"], "quantity": "likelihood", "sides": ["peru", "fiji"]}
    with served.serve(made.folder / "next") as tiny:
        tiny.key, tiny.card["root"] = SECRET, f"/models/{SECRET}"
        tiny.lies_after = ROUNDS * len(rows)
        at = {"url": tiny.url, "model": served.NAME, "key_env": "TINY_KEY"}
        study = {
            "results": "results",
            "shards": 1,
            "models": {"next": {"path": "next", "kind": "causal", "served": at}},
            "sentence_sets": {"pairs": pairs},
        }
        made.write("study.yaml", yaml.safe_dump(study))
        scores = "results/work/scores/next/sentence_sets/pairs.parquet"
        assert "no longer answers as it did when it was checked" in made.fails(scores, TINY_KEY=SECRET)
    assert (made.folder / "results/work/models/next/sentence_sets/pairs.json").exists()  # it has passed its check
    assert not (made.folder / scores).exists()
    written = [path for path in made.folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert written == []
