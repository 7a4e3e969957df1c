"""Published figures beside ours, and nothing else: what is planned for them, and what is said at the end."""

import re
import shutil

import pandas as pd
import pytest
from tests.workflow.conftest import HERB, ROOT, copy_project

pytestmark = pytest.mark.slow  # a small study of HERB (half a minute), and the plan of the demo

# A name of the paper's, and one that is not; neither is the paper's model.
MODELS = {name: {"path": "tiny", "kind": "masked"} for name in ("bert-base-cased", "tiny")}


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory, model_folder):
    """A study of which only published figures have been asked for."""
    made = copy_project(tmp_path_factory.mktemp("reproduction"))
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    made.configure(models=MODELS, herb=HERB)
    made.log = made.run("reproduction")
    return made


def test_it_is_said_at_the_end_and_stands_in_the_results(reproduced):
    text = (reproduced.folder / "results/reproduction.txt").read_text()
    summary, _, listing = text.partition("\n\nin the paper: ")
    assert summary in reproduced.log
    assert listing
    assert max(map(len, summary.splitlines())) <= 120


def test_a_figure_is_not_comparable_or_not_measured_and_each_counts(reproduced):
    figures = pd.read_csv(reproduced.folder / "results/tables/reproduction.csv", keep_default_na=False)
    of_model = figures[figures["agreement"] == "not comparable"]
    assert len(of_model) > 0
    assert set(of_model["row"].str.partition(",")[0]) == {"bert-base-cased"}
    counted = pd.read_csv(reproduced.folder / "results/tables/sources.csv", index_col="source")
    assert counted.loc["Li et al. 2022", "not_comparable"] == len(of_model)
    assert (counted["compared"] == 0).all()
    # of those that the study does not have, all
    published = {
        source: sum(len(pd.read_csv(ROOT / f"resources/{metric}/published.csv", comment="#")) for metric in metrics)
        for source, metrics in {"Ahn and Oh 2021": ("categorical_bias", "tagging")}.items()
    }
    assert counted.loc[[*published], "not_measured"].to_dict() == published


def test_there_is_no_page_and_no_figure_and_the_run_goes_on_from_it(reproduced):
    results = reproduced.folder / "results"
    for name in ("report", "figures", "work/parts", "summary.csv"):
        assert not (results / name).exists()
    jobs = reproduced.jobs()
    assert jobs["write_report"] == 1
    assert not {"score_shard", "measure_herb", "table_herb", "table_reproduction", "table_sources"} & jobs.keys()


@pytest.mark.nightly
def test_only_what_published_figures_need_is_planned(project):
    everything, jobs = (
        project.stats(project.run("-n", *targets, config="config/demo_full.yaml")) for targets in ([], ["reproduction"])
    )
    assert jobs.pop("reproduction") == 1
    assert {"table_herb", "table_categorical_bias", "table_sources", "score_shard"} <= jobs.keys()
    assert all(n <= everything[rule] for rule, n in jobs.items())
    # no figure, no page, and no metric of which nothing is published
    needless = r"(draw|part)_|(write_summary|write_report|record_run|exchange|summarize|sign_numbers)$"
    assert [rule for rule in jobs if re.match(needless, rule)] == []
    for metric in ("interventions", "regions_in_context", "local_group_bias", "propagation"):
        assert any(rule.endswith(metric) for rule in everything)
        assert not any(rule.endswith(metric) for rule in jobs)
