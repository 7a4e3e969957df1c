"""CrowS-Pairs through the workflow: the score, the mixed model on it, and its part of the page."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.reports import table
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow  # a run of the workflow and a dry run (a minute together)

PAIRS = [
    (kind, f"The {one} were {how} of the {what}.", f"The {other} were {how} of the {what}.")
    for kind, one, other in (("age", "old", "young"), ("place", "islanders", "townsmen"))
    for how in ("afraid", "fond", "tired")
    for what in ("rain", "long wet night", "work that nobody else at all wanted to do")
]
STUDY = {
    "results": "results",
    "seed": 3,
    "models": {"roberta-large": {"path": "tiny", "kind": "masked"}, "next": {"path": "tiny_next", "kind": "causal"}},
    "mixed_models": {"bootstrap": {"replicates": 20}},
    "crows_pairs": {"table": "crows.csv", "models": ["roberta-large", "next"]},
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory, model_folder):
    made = copy_project(tmp_path_factory.mktemp("crows"))
    shutil.copytree(model_folder("roberta"), made.folder / "tiny")
    shutil.copytree(model_folder("llama"), made.folder / "tiny_next")
    pairs = pd.DataFrame(PAIRS, columns=["bias_type", "sent_more", "sent_less"])
    made.write("crows.csv", pairs.to_csv())
    made.write("study.yaml", yaml.safe_dump(STUDY))
    made.run("crows_pairs", "results/report/index.html")
    return made


@pytest.mark.parametrize(
    ("model", "folder", "quantity", "definition"),
    [
        ("roberta-large", "tiny", "cps", "paper"),
        ("next", "tiny_next", "ll", "whole"),
        ("next", "tiny_next", "ll_shared", "shared"),
    ],
)
def test_the_score_is_that_of_the_library(measured, model, folder, quantity, definition):
    pairs = pd.DataFrame(PAIRS, columns=["bias_type", "more", "less"])
    texts = pairs[["more", "less"]].to_numpy().ravel()
    kind = "masked" if quantity == "cps" else "causal"
    values = herbarium.score(texts, measured.folder / folder, quantity, kind=kind).to_numpy()
    prefers = values[::2] > values[1::2]
    summary = pd.read_csv(measured.folder / "results/summary.csv")
    of_model = summary[(summary["metric"] == "crows_pairs") & (summary["model"] == model)]
    assert set(of_model["definition"]) == ({"paper"} if model == "roberta-large" else {"whole", "shared"})
    assert of_model["unit"].eq("bias_type").all()
    of_metric = of_model[of_model["definition"] == definition]
    scores = of_metric[of_metric["variant"] == "cps"].set_index("group")
    assert scores["estimate"].to_dict() == pytest.approx(
        {"all": 100 * prefers.mean(), "age": 100 * prefers[:9].mean(), "place": 100 * prefers[9:].mean()}
    )
    assert scores["n"].to_dict() == {"all": 18, "age": 9, "place": 9}
    differences = of_metric[of_metric["variant"] == "difference"].set_index("group")["estimate"]
    apart = values[::2] - values[1::2]
    assert differences.to_dict() == pytest.approx(
        {"all": apart.mean(), "age": apart[:9].mean(), "place": apart[9:].mean()}, abs=1e-6
    )


def test_each_bias_type_is_fitted(measured):
    fits = store.read_frame(measured.folder / "results/work/metrics/fits.parquet", "adjusted_fits")
    assert fits.groupby("model")["dimension"].agg(list).to_dict() == {
        model: ["age", "place"] for model in ("roberta-large", "next")
    }
    assert fits["data"].eq("crows_pairs").all()
    assert fits["contrast"].eq("stereo-antistereo").all()
    assert fits["n"].eq(18).all()
    assert (fits["p_adjusted"] >= fits["p_value"]).all()


def test_the_page_has_the_score_beside_the_fit(measured):
    page = (measured.folder / "results/report/index.html").read_text(encoding="utf-8")
    rows = table(page, "table-crows-pairs")
    assert [row[0] for row in rows] == ["all", "age", "place"] * 2
    assert [len(row) for row in rows] == [13] * 6
    assert [row[9] != "–" for row in rows] == [False] * 3 + [True] * 3  # over shared tokens


def test_the_published_table_stands_beside_ours(measured):
    # a model and pairs that are the paper's by their names alone
    table15 = pd.read_csv(measured.folder / "results/tables/crows_pairs_table15.csv")
    assert table15["measure"].tolist() == ["n", "cps", "bias"]
    assert table15["note"].str.contains("not comparable: .*the folder tiny, .*'crows_pairs' here has").all()
    assert table15["difference"].isna().all()
    figures = pd.read_csv(measured.folder / "results/tables/reproduction.csv")
    assert len(figures) == 27
    assert figures["metric"].eq("mixed_effects").all()
    assert figures["agreement"].value_counts().to_dict() == {"not measured": 24, "not comparable": 3}
    assert figures["row"].iloc[0] == "roberta-large, crows_pairs, race-color, stereo-antistereo"


def test_without_an_engine_the_score_is_measured_all_the_same(measured):
    measured.write("none.yaml", yaml.safe_dump(STUDY | {"mixed_models": {"engine": "none"}, "results": "none"}))
    plan = measured.run("-n", config="none.yaml")
    assert "measure_crows_pairs" in plan
    assert "fit_crows_pairs" not in plan
    assert "adjust_fits" not in plan
