"""CrowS-Pairs through the workflow: the score, the mixed model on it, and its part of the page."""

import pandas as pd
import pytest
from tests.measured.study import CROWS
from tests.reports import table

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("model", "folder", "quantity", "definition"),
    [
        ("roberta-large", "roberta", "cps", "paper"),
        ("gpt2", "gpt2", "ll", "whole"),
        ("gpt2", "gpt2", "ll_shared", "shared"),
    ],
)
def test_the_score_is_that_of_the_library(measured, results, model, folder, quantity, definition):
    pairs = pd.DataFrame(CROWS, columns=["bias_type", "more", "less"])
    texts = pairs[["more", "less"]].to_numpy().ravel()
    kind = "masked" if quantity == "cps" else "causal"
    values = herbarium.score(texts, measured.folder / folder, quantity, kind=kind).to_numpy()
    prefers = values[::2] > values[1::2]
    summary = pd.read_csv(results / "summary.csv")
    of_model = summary[(summary["metric"] == "crows_pairs") & (summary["model"] == model)]
    assert set(of_model["definition"]) == ({"paper"} if quantity == "cps" else {"whole", "shared"})
    assert of_model["unit"].eq("bias_type").all()
    of_metric = of_model[of_model["definition"] == definition]
    scores = of_metric[of_metric["variant"] == "cps"].set_index("group")
    assert scores["estimate"].to_dict() == pytest.approx(
        {"all": 100 * prefers.mean(), "age": 100 * prefers[:9].mean(), "place": 100 * prefers[9:].mean()}
    )
    assert scores["n"].to_dict() == {"all": 9, "age": 9, "place": 9}  # those of a type have the others' words
    assert of_metric[of_metric["variant"] == "n_pairs"].set_index("group")["estimate"].to_dict()["all"] == 18
    differences = of_metric[of_metric["variant"] == "difference"].set_index("group")["estimate"]
    apart = values[::2] - values[1::2]
    assert differences.to_dict() == pytest.approx(
        {"all": apart.mean(), "age": apart[:9].mean(), "place": apart[9:].mean()}, abs=1e-6
    )


def test_each_bias_type_is_fitted(results):
    fits = store.read_frame(results / "work/metrics/fits.parquet", "adjusted_fits")
    fits = fits[fits["data"] == "crows_pairs"]
    assert fits.groupby("model")["dimension"].agg(list).to_dict() == {
        model: ["age", "place"] for model in ("roberta-large", "gpt2")
    }
    assert fits["contrast"].eq("stereo-antistereo").all()
    assert fits["n"].eq(18).all()
    assert (fits["p_adjusted"] >= fits["p_value"]).all()


def test_the_page_has_the_score_beside_the_fit(results):
    rows = table((results / "report/index.html").read_text(encoding="utf-8"), "table-crows-pairs")
    assert [row[0] for row in rows] == ["all", "age", "place"] * 2
    assert [len(row) for row in rows] == [13] * 6
    assert [row[9] != "–" for row in rows] == [False] * 3 + [True] * 3  # over shared tokens


def test_the_published_table_stands_beside_ours(results):
    # a model and pairs that are the paper's by their names alone
    table15 = pd.read_csv(results / "tables/crows_pairs_table15.csv")
    assert table15["measure"].tolist() == ["n", "cps", "bias"]
    assert table15["note"].str.contains("not comparable: .*the folder roberta, .*'crows_pairs' here has").all()
    assert table15["difference"].isna().all()
    figures = pd.read_csv(results / "tables/reproduction.csv")
    figures = figures[figures["row"].str.contains(", crows_pairs, ", regex=False)]
    assert len(figures) == 27
    assert figures["metric"].eq("mixed_effects").all()
    assert figures["agreement"].value_counts().to_dict() == {"not measured": 24, "not comparable": 3}
    assert figures["row"].iloc[0] == "roberta-large, crows_pairs, race-color, stereo-antistereo"
