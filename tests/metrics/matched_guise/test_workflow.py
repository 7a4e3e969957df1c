"""Matched guise probing as a workflow: planted models, and other kinds, with attributes of several tokens."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow

PLANTED = {"masked-none": 0, "dialect-strong": -2}
RANDOM = ("roberta-large", "gpt2")


def test_what_is_planted_is_found(results):
    table = pd.read_csv(results / "tables/matched_guise_numbers.csv")
    table = table[table["unit"] == "traits"]
    none, strong = (table[table["model"] == model].set_index("variant").loc["slope"] for model in PLANTED)
    assert none["ci_low"] < 0 < none["ci_high"]
    assert none["ci_high"] - none["ci_low"] < 0.2
    assert strong["p_value"] < 0.001
    assert -2.2 < strong["estimate"] < -0.8
    associations = table[(table["model"] == "dialect-strong") & (table["variant"] == "association")].set_index("group")
    assert associations["estimate"].idxmax() in ("rude", "lazy", "careless")
    calibration = store.read_frame(results / "work/calibration/matched_guise.parquet", "calibration")
    assert calibration.set_index("model")["expected"].to_dict() == pytest.approx(PLANTED)


def test_masked_and_causal_models_with_attributes_of_several_tokens(results):
    table = pd.read_csv(results / "tables/matched_guise_numbers.csv")
    table = table[table["model"].isin(RANDOM)]
    variants = table.groupby(["unit", "model"])["variant"].agg(set)
    assert all("slope" in of_model for of_model in variants["rated"])
    assert all(of_model == {"association", "mean"} for of_model in variants["bare"])
    assert table["estimate"].notna().all()
    for model in RANDOM:
        scores = store.read_frame(results / f"work/scores/{model}/matched_guise/rated.parquet", "scores")
        assert scores["n_tokens"].max() > 1
