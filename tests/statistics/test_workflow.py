"""Groups through the workflow: scores of any metric, also of one outside the clone."""

import pytest
import yaml
from tests.statistics.test_grouped import scores

from herbarium.core import store
from herbarium.report.part import from_record

pytestmark = pytest.mark.slow  # runs workflows (a minute)

RULES = '''
"""Scores of mine."""

GROUPED = "<work>/grouped/{model}/mine/first.parquet"
TARGETS.add(Targets(grouped={("tiny", "mine/first"): GROUPED.format(model="tiny")}))


rule group_mine:
    """Lay out my scores by group."""
    input:
        "scores.csv",
    output:
        GROUPED,
    params:
        code="1",
    script:
        "group_mine.py"
'''
SCRIPT = """
import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
store.write_table(snakemake.output[0], GROUPED, pd.read_csv(snakemake.input[0]), made)
"""
NUMBERS, PART = "results/work/metrics/groups.parquet", "results/work/parts/groups.json"


@pytest.fixture
def study(project):
    """A study of no metric but one of its own, whose groups have profiles of their own."""
    scores(0.5).to_csv(project.folder / "scores.csv", index=False)
    project.write("mine/rules.smk", RULES)
    project.write("mine/group_mine.py", SCRIPT)

    def configure(**models):
        values = {"models": {"tiny": {"path": "tiny", "kind": "masked"}}, "rules": ["mine/rules.smk"], "seed": 3}
        project.write("study.yaml", yaml.safe_dump({**values, "mixed_models": models}))

    configure()
    project.set_up = configure
    return project


def test_scores_of_a_metric_of_ones_own_are_measured_and_stand_in_the_summary_and_on_the_page(study):
    study.run("results/summary.parquet", PART)
    summary = store.read_frame(study.folder / "results/summary.parquet", "tidy").set_index("variant")
    assert set(summary["metric"]) == {"groups"}
    assert set(summary["unit"]) == {"mine/first"}
    assert summary.loc["share", "ci_low"] > 0
    part = from_record(store.read_record(study.folder / PART))
    assert "mine/first" in part.html
    assert [model["name"] for model in part.models] == ["tiny"]

    study.set_up(tests={"equivalence_share": 0.2})
    assert set(study.jobs(NUMBERS)) == {"measure_groups"}


def test_what_is_not_grouped_has_no_numbers(study):
    rules = '"""Numbers alone."""\nTARGETS.add(Targets(numbers=["<work>/metrics/mine.parquet"]))\n'
    study.write("mine/rules.smk", rules)
    study.write("results/work/metrics/mine.parquet", "")  # as if it were there
    assert "measure_groups" not in study.jobs("results/summary.parquet")
    assert "adjust_fits" not in study.jobs("results/summary.parquet")
