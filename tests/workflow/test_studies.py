"""Whole studies: real input against golden values, and planted models that must come out in order."""

import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.reports import assert_opens
from tests.workflow.conftest import copy_project

from herbarium.core import store
from herbarium.core.resources import read_words
from herbarium.metrics.herb.likelihoods import frame

pytestmark = pytest.mark.slow  # trains three tiny models, scores thousands of sentences (two minutes together)


# Those of the golden sentences and of their cities; and others, so that a hierarchy has more countries than continents.
GOLDEN_COUNTRIES = ["BF", "BR", "CI", "FR", "IE", "KN", "MX", "SY", "UG"]
OTHER_COUNTRIES = ["AR", "AU", "CA", "CL", "CN", "DE", "FJ", "IN", "JP", "KE", "NG", "NZ", "PE", "US"]


def demo_with_one_template(project):
    """HERB of the demo without what makes its training long: further templates, and training that goes on."""
    demo = yaml.safe_load((project.folder / "config/demo_full.yaml").read_text())
    demo["models"] = {name: demo["models"][name] for name in ("planted-none", "planted-weak", "planted-strong")}
    for key in ("models", "templates"):
        del demo["herb"][key]
    return demo


@pytest.mark.nightly
def test_real_regions_words_and_tokenizer_give_the_golden_scores(project, shared):
    golden = pd.read_csv(shared / "golden/bert_random/aul.csv").set_index("sentence")["aul"]
    shutil.copytree(shared / "golden/bert_random/model", project.folder / "bert_random")
    demo = demo_with_one_template(project)
    project.configure(
        shards=1,
        models={"bert-random": {"path": "bert_random", "kind": "masked"}},
        regions={
            "countries": GOLDEN_COUNTRIES + OTHER_COUNTRIES,
            "cities": {"countries": ["FR", "BF", "MX"], "largest": 2},
        },
        herb={**demo["herb"], "bootstrap": {"replicates": 10}},
    )
    project.run("results/work/likelihoods/bert-random.parquet", "results/work/metrics/herb/bert-random.parquet")
    sentences = store.read_frames((project.folder / "results/work/stimuli/herb").glob("*.parquet"), "herb_stimuli")
    scores = store.read_frame(project.folder / "results/work/scores/bert-random/herb.parquet", "scores")
    values = sentences.merge(scores, on="sentence_id").set_index("text")["value"]
    common = golden.index.intersection(values.index)
    assert len(common) > 150  # countries, continents, Paris, Ouagadougou, Mexico City
    np.testing.assert_allclose(values[common], golden[common], rtol=0, atol=1e-5)
    released = pd.read_csv(shared / "golden/bert_random/herb_released_fS.csv", index_col=0)
    topics = {topic: read_words(project.folder / path) for topic, path in demo["herb"]["descriptions"].items()}
    likelihoods = project.folder / "results/work/likelihoods/bert-random.parquet"
    f = frame(store.read_where(likelihoods, "likelihoods", "wording", "released"), topics)
    order = ["intelligence", "appearance", "strength", "morality", "occupation"]  # that of the released code
    names = store.read_frame(project.folder / "results/work/regions.parquet", "regions").set_index("region")["name"]
    f = f[order].rename(index=names)
    f = f[~f.index.duplicated()]  # a city of the name of its country has the same sentences
    common = f.index.intersection(released.columns)
    assert len(common) > 10
    np.testing.assert_allclose(f.loc[common].T, released[common], rtol=0, atol=1e-5)
    summary = store.read_frame(project.folder / "results/work/metrics/herb/bert-random.parquet", "tidy")
    assert summary["unit"].value_counts().index.tolist() == ["country", "continent", "city", "earth", "control"]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A study of three strengths that has run."""
    project = copy_project(tmp_path_factory.mktemp("planted"))
    demo = demo_with_one_template(project)
    project.configure(
        shards=1,
        models=demo["models"],
        regions={"continents": ["SA", "OC"], "cities": {"countries": "none"}},
        herb={
            **demo["herb"],
            "bootstrap": {"replicates": 60},
            "released": {"no_full_stop": False, "odd_spaces": False, "pad_mean": False},
        },
        testbed={"steps": 250},
    )
    project.log = project.run()
    return project


@pytest.mark.nightly
def test_the_report_opens_in_a_browser(planted, browser):
    assert_opens(browser, planted.folder / "results/report/index.html")


@pytest.mark.nightly
def test_planted_strengths_come_out_in_their_order(planted):
    assert "this job takes no GPU" in planted.log  # nor does it look for one
    assert "CUDA finds no GPU" not in planted.log
    summary = store.read_frame(planted.folder / "results/summary.parquet", "tidy")
    published = (summary["metric"] == "herb") & (summary["definition"] == "paper")
    size_free = summary[published & (summary["variant"] == "C_w_size_free")]
    size_free = size_free[size_free["unit"].isin(["earth", "continent"])]
    for _, rows in size_free.groupby("group"):
        none, weak, strong = (rows[rows["model"] == f"planted-{name}"].iloc[0] for name in ("none", "weak", "strong"))
        assert none["ci_high"] < weak["ci_low"]
        assert weak["ci_high"] < strong["ci_low"]
    crossed = summary[(summary["metric"] == "herb_crossed") & (summary["variant"] == "D2")]
    root = crossed[crossed["group"] == "earth"].set_index("model")["estimate"]
    assert root["planted-none"] < root["planted-weak"] < root["planted-strong"]
