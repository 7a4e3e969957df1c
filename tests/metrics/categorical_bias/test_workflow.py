"""Categorical Bias of a language of one's own: the example of docs/your_language.md, run as it stands there."""

import re

import pandas as pd
import pytest
import yaml
from tests.pages import ROOT, blocks
from tests.reports import assert_numbers_are_in

from herbarium.core import store

STUDY = "italian.yaml"
GERMAN = "bert-base-german-dbmdz-uncased"  # random weights; the name alone is that of the paper


@pytest.fixture
def example(project):
    files = {block.file: block.text for block in blocks(ROOT / "docs/your_language.md") if block.file}
    assert set(files) == {STUDY, *(f"italian/{name}.csv" for name in ("templates", "targets", "attributes"))}
    for name, text in files.items():
        project.write(name, text)
    return project


@pytest.mark.nightly
def test_the_example_runs_and_a_new_target_runs_its_own_inputs_only(example):
    example.run(config=STUDY)
    results = example.folder / "results/italian"
    scores = pd.read_csv(results / "tables/categorical_bias_scores.csv")
    rows = scores[(scores["variant"] == "cb") & (scores["language"] == "italian")]
    assert set(rows["definition"]) == {"paper", "released"}
    assert (rows["ci_low"] < rows["ci_high"]).all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "Categorical Bias: ethnic bias" in page
    assert_numbers_are_in(pd.read_csv(results / "summary.csv"), page)
    assert (results / "figures/categorical_bias_scores.png").stat().st_size > 0
    summary = store.read_frame(results / "summary.parquet", "tidy")
    assert set(summary["metric"]) == {"categorical_bias"}, (
        "one language, one model and one list have nothing to be compared with"
    )
    assert "nothing to be done" in example.run(config=STUDY).lower()

    # a word that the model has not learned: it is not trained again, and asked for this word's inputs alone
    study = yaml.safe_load((example.folder / STUDY).read_text())
    study["models"]["piccolo"] = {"path": "results/italian/work/testbed/piccolo", "kind": "masked"}
    del study["testbed"]  # nothing is trained
    example.write(STUDY, yaml.safe_dump(study))
    scores = "results/italian/work/scores/piccolo/categorical_bias/italian.parquet"
    example.run(scores, config=STUDY)
    example.edit("italian/targets.csv", "Cuba,base,da,Cuba", "Cuba,base,da,Cuba\nPeru,base,dal,Cuba Cuba")
    log = example.run(scores, config=STUDY)
    n_known, n_all = map(int, re.search(r"(\d+) of (\d+) inputs have answers already", log).groups())
    assert 0 < n_known < n_all


@pytest.fixture(scope="module")
def scores(results):
    return pd.read_csv(results / "tables/categorical_bias_scores.csv")


@pytest.mark.slow
def test_what_is_planted_comes_out_above_chance(scores):
    """In a language that is not in Latin letters: CB is beyond chance with a planted bias, and not without."""
    rows = scores[(scores["definition"] == "paper") & (scores["language"] == "greek")]
    models = ["masked-none", "masked-strong"]
    cb = rows[rows["variant"] == "cb"].set_index("model").loc[models]
    assert cb["ci_high"].iloc[0] < cb["ci_low"].iloc[1]
    p = rows[rows["variant"] == "cross_form"].set_index("model").loc[models, "p_value"]
    assert p.iloc[1] <= 0.01 < 0.05 < p.iloc[0]


@pytest.mark.slow
def test_causal_models_beside_a_masked_one(results, scores):
    """Above chance with a planted bias and not without, more is learned than nothing, and no kind is compared with
    another."""
    scores = scores[scores["language"] == "english"].set_index(["variant", "model", "definition"])
    across, cb = scores.loc["cross_form"], scores.loc["cb"]
    none, strong = ((f"causal-{name}", "whole") for name in ("none", "strong"))
    assert across.loc[none, "p_value"] > 0.05
    assert across.loc[strong, "p_value"] <= 0.01
    assert cb.loc[none, "ci_high"] < cb.loc[strong, "ci_low"]
    assert {name for model, name in across.index if model == "masked-strong"} == {"paper", "released"}
    differences = pd.read_csv(results / "tables/categorical_bias_differences.csv")
    differences = differences[(differences["unit"] == "models") & (differences["language"] == "english")]
    assert set(zip(differences["model"], differences["definition"], strict=True)) == {
        ("causal-none − causal-strong", "whole")
    }
    planted = store.read_frame(results / "work/calibration/categorical_bias.parquet", "calibration")
    learned = planted[planted["model"] == "causal-strong"].set_index("panel")["learned"]
    assert (learned > 0.05).all()


@pytest.mark.slow
def test_a_model_that_went_on_learning_stands_beside_the_figure_after_tuning(results):
    """By what was done to it, whatever its name; its two trainings are one row."""
    frame = pd.read_csv(results / "tables/categorical_bias_table2.csv", keep_default_na=False).set_index("treatment")
    assert frame["measured"].to_dict() == {"": GERMAN, "tuned": "mine"}
    assert frame["published"].astype(float).to_dict() == {"": 5.846, "tuned": 5.604}
    scores = store.read_frames(
        [results / f"work/metrics/categorical_bias/{name}/german.parquet" for name in ("mine", "mine-seed2")],
        "tidy",
    )
    rows = scores[(scores["variant"] == "cb") & (scores["unit"] == "list") & (scores["definition"] == "paper")]
    assert float(frame.loc["tuned", "paper"]) == pytest.approx(rows["estimate"].mean(), rel=1e-6)
    assert float(frame.loc["tuned", "paper_low"]) < rows["estimate"].min()
    assert "; mine: trained on little by ahn_oh (weights: head), mean of 2" in frame.loc["tuned", "note"]
    assert frame["note"].str.contains("^not comparable: .*german.* has other contents").all()
    assert frame["difference"].eq("").all()
    beside = store.read_frame(results / "work/published/categorical_bias.parquet", "published")
    measured = beside[beside["agreement"] != "not measured"].set_index(["table", "row"])
    assert {("2", f"{GERMAN}, tuned, german"), ("4", f"{GERMAN}, german")} <= set(measured.index)
    assert measured["agreement"].eq("not comparable").all()  # the name alone is that of the paper
