"""The mixed model of groups through the workflow: it takes scores of any metric, also of one outside the clone."""

import pandas as pd
import pytest
import yaml
from tests.statistics.test_grouped import scores

from herbarium.core import store
from herbarium.report.part import from_record

pytestmark = pytest.mark.slow  # runs workflows (a minute)

RULES = '''
"""Scores of mine."""

GROUPED = "<results>/grouped/{model}/mine/first.parquet"
TARGETS.add(Targets(grouped={("tiny", "mine/first"): GROUPED.format(model="tiny")}))


rule group_mine:
    """Lay out my scores by group."""
    input:
        "scores.csv",
    output:
        GROUPED,
    log:
        "<logs>/group_mine/{model}.log",
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
NUMBERS, PART = "results/metrics/mixed_effects.parquet", "results/parts/groups.json"


@pytest.fixture
def study(project):
    """A study of no metric but one of its own, whose scores differ between Europe and the others by 1."""
    scores(1.0).to_csv(project.folder / "scores.csv", index=False)
    project.write("mine/rules.smk", RULES)
    project.write("mine/group_mine.py", SCRIPT)

    def configure(**models):
        values = {"models": {"tiny": {"path": "tiny", "kind": "masked"}}, "rules": ["mine/rules.smk"], "seed": 3}
        models = {"bootstrap": {"replicates": 40}, **models}
        project.write("study.yaml", yaml.safe_dump({**values, "mixed_models": models}))

    configure()
    project.set_up = configure
    return project


def test_scores_of_a_metric_of_ones_own_are_fitted_and_stand_in_the_summary_and_on_the_page(study):
    study.run("results/summary.csv", PART)
    summary = pd.read_csv(study.folder / "results/summary.csv")
    bias = summary[summary["variant"] == "bias"].set_index("group")
    assert set(bias["metric"]) == {"mixed_effects"}
    assert bias.loc["mine/first/all/EU-others/pairs", "estimate"] == pytest.approx(1, abs=0.15)
    fits = store.read_frame(study.folder / "results/fits/groups/tiny/mine/first.parquet", "fits")
    assert fits["contrast"].tolist() == ["each", "AF-others", "AS-others", "EU-others"]
    part = from_record(store.read_record(study.folder / PART))
    assert "EU against the others" in part.html
    assert [model["name"] for model in part.models] == ["tiny"]

    # how p-values are adjusted concerns no fit
    study.set_up(tests={"correction": "fdr_bh"})
    assert set(study.jobs(NUMBERS)) == {"adjust_fits"}


def test_what_is_not_grouped_has_no_fits(study):
    rules = '"""Numbers alone."""\nTARGETS.add(Targets(numbers=["<results>/metrics/mine.parquet"]))\n'
    study.write("mine/rules.smk", rules)
    study.write("results/metrics/mine.parquet", "")  # as if it were there
    assert "MissingRuleException" in study.fails("-n", "results/fits/groups/tiny/mine/first.parquet")
    assert "adjust_fits" not in study.jobs("results/summary.csv")
