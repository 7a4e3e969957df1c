"""Social bias probing as a workflow, on planted models to which statements are likelier of some."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_what_is_planted_is_found_and_nothing_where_nothing_is(results):
    categories = pd.read_csv(results / "tables/sofa_categories.csv")
    variance = categories[categories["variant"] == "variance"].set_index(["model", "group"])
    none, strong = (variance.loc[f"causal-{name}"] for name in ("none", "strong"))
    assert (strong["p_adjusted"] < 0.05).all()
    assert (strong["ci_low"] > none["ci_high"].max()).all()
    calibration = store.read_frame(results / "work/calibration/sofa.parquet", "calibration")
    assert (calibration.loc[calibration["planted"] > 0, "learned"] > 0.5).all()
    assert len(pd.read_csv(results / "tables/sofa_stereotypes.csv")) == 2 * 16
    assert "Identities that stand out" in (results / "report/index.html").read_text()


def test_a_shard_without_any_probe_is_planned_and_scored(project):
    tables = {"demo": {"probes": "resources/sofa/demo.csv", "models": ["tiny"]}}
    project.configure(sofa={"tables": tables}, shards=6)
    answers = "results/work/scores/tiny/sofa/demo/shard-5.parquet"
    project.run(answers)
    assert store.count_rows(project.folder / "results/work/stimuli/sofa/demo/5.parquet") == 0
    assert store.count_rows(project.folder / answers) == 0
