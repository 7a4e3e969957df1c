"""Occupations predicted from biographies as a workflow: planted texts, a table with languages, a random model, and one
that is fine-tuned."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def numbers(results):
    return pd.read_csv(results / "tables/biographies_numbers.csv")


@pytest.fixture(scope="module")
def calibration(results):
    return pd.read_parquet(results / "work/calibration/biographies.parquet")


def test_what_is_planted_is_found(results, numbers, calibration):
    slope = numbers[(numbers["variant"] == "slope") & (numbers["definition"] == "scrubbed")]
    slope = slope.set_index(["unit", "model"])
    assert slope.loc[("even", "topics"), "p_adjusted"] > 0.05
    for source in ("topics", "topics-file"):  # of a file, words of occupations alone have vectors
        uneven = slope.loc[("uneven", source)]
        assert uneven["p_adjusted"] < 0.05
        assert uneven["ci_low"] < 1 < uneven["ci_high"]
    assert {f"mine/{one}→{other}" for one in ("en", "xx") for other in ("en", "xx")} <= set(numbers["unit"])
    assert calibration.query("series == 'topics, scrubbed'")["expected"].tolist() == [0.0, 1.0]
    assert 'id="table-biographies"' in (results / "report/index.html").read_text(encoding="utf-8")


def test_a_fine_tuned_model_finds_what_is_planted(results, numbers, calibration):
    table = numbers[numbers["model"] == "small"].set_index(["variant", "definition"])
    assert set(table.index.get_level_values("definition")) == {"as_is", "scrubbed"}
    slope = table.loc[("slope", "scrubbed")]
    assert slope["group"] == "fine-tuned"
    assert np.isnan(slope["p_adjusted"])  # three training sets are too few for a test
    assert 0 < slope["ci_low"] < 1.6 < slope["ci_high"]
    assert table.loc[("accuracy", "scrubbed"), "estimate"] > 0.6
    assert calibration.query("series == 'small, scrubbed'")["expected"].tolist() == [1.6]
    assert "A model is fine-tuned" in (results / "report/index.html").read_text(encoding="utf-8")
    kept = [file for file in (results / "work/biographies").rglob("*") if "set-" in file.name]
    assert {file.suffix for file in kept} == {".parquet"}


def test_a_level_asks_no_model_anything_and_a_learning_rate_trains_it_anew(edited):
    edited.edit("study.yaml", "min_texts: 6\n", "min_texts: 6\n  level: 0.9\n")
    jobs = edited.jobs("results/tables/biographies_numbers.csv")
    assert jobs["measure_biographies"] == 5
    assert not {"read_biographies", "represent", "finetune_biographies"} & jobs.keys()
    edited.edit("study.yaml", "learning_rate: 5.0e-3", "learning_rate: 1.0e-3")
    assert edited.jobs("results/tables/biographies_numbers.csv")["finetune_biographies"] == 6
