"""Groups through the workflow: scores of any metric, also of one outside the clone."""

import pytest

from herbarium.core import store
from herbarium.report.part import from_record

pytestmark = pytest.mark.slow


def test_scores_of_a_metric_of_ones_own_are_measured_and_stand_in_the_summary_and_on_the_page(results):
    summary = store.read_frame(results / "summary.parquet", "tidy").set_index(["metric", "unit", "variant"])
    assert summary.loc[("groups", "mine/first", "share"), "ci_low"].item() > 0
    part = from_record(store.read_record(results / "work/parts/groups.json"))
    assert "mine/first" in part.html
    assert "bert" in [model["name"] for model in part.models]


def test_how_groups_are_tested_concerns_no_score(edited):
    edited.edit("study.yaml", "mixed_models: {", "mixed_models: {tests: {equivalence_share: 0.2}, ")
    assert set(edited.jobs("results/work/metrics/groups.parquet")) == {"measure_groups"}


def test_what_is_not_grouped_has_no_numbers(edited):
    rules = '"""Numbers alone."""\nTARGETS.add(Targets(numbers=["<work>/metrics/mine.parquet"]))\n'
    edited.write("mine/rules.smk", rules)
    edited.write("study.yaml", "models: {bert: {path: bert, kind: masked}}\nrules: [mine/rules.smk]\nresults: new\n")
    edited.write("new/work/metrics/mine.parquet", "")  # as if it were there
    assert not {"measure_groups", "adjust_fits"} & edited.jobs("new/summary.parquet").keys()
