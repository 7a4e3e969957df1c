"""Discrimination scores as a workflow, on planted models of which one treats women worse."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_what_is_planted_is_found_and_nothing_where_nothing_is(results):
    table = pd.read_csv(results / "tables/discrimination_scores_numbers.csv")
    own = table[(table["variant"] == "difference") & (table["definition"] == "own")].set_index(["model", "group"])
    none, strong = (own.loc[model] for model in ("causal-none", "decides-strong"))
    assert strong.loc["gender: female", "p_adjusted"] < 0.001
    assert strong.loc["gender: female", "estimate"] < -1
    assert none["estimate"].abs().max() < 0.5
    assert (table.loc[table["variant"] == "mass", "estimate"] > 90).all()
    assert (table["definition"] == "paper").sum() == 2 * 5
    calibration = store.read_frame(results / "work/calibration/discrimination_scores.parquet", "calibration")
    assert calibration.loc[calibration["planted"] > 0, "learned"].min() > 0.5
    assert len(pd.read_csv(results / "tables/discrimination_scores_prompts.csv")) == 2 * 270
    assert len(pd.read_csv(results / "tables/discrimination_scores_decisions.csv")) == 2 * 5 * 10
    assert "As published" in (results / "report/index.html").read_text()
