"""Likelihood bias as a workflow, on planted models of both kinds to which some descriptors are rare."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_what_is_planted_is_found_and_nothing_where_nothing_is(results):
    axes = pd.read_csv(results / "tables/likelihood_bias_axes.csv")
    variance = axes[axes["variant"] == "variance"].set_index(["model", "group"])
    for kind in ("causal", "masked"):
        none, strong = (variance.loc[f"{kind}-{name}"] for name in ("none", "strong"))
        assert (strong["p_adjusted"] < 0.05).all()
        assert (strong["ci_low"] > none["ci_high"].max()).all()
    calibration = store.read_frame(results / "work/calibration/likelihood_bias.parquet", "calibration")
    assert (calibration.loc[calibration["planted"] > 0, "learned"] > 0.5).all()
    assert len(pd.read_csv(results / "tables/likelihood_bias_descriptors.csv")) == 4 * 15
    assert "Descriptors that stand out" in (results / "report/index.html").read_text()
