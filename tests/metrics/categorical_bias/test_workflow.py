"""Categorical Bias of a language of one's own: the example of docs/your_language.md, run as it stands there."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.pages import ROOT, blocks
from tests.reports import assert_numbers_are_in

from herbarium.core import store
from herbarium.core.resources import read_table

pytestmark = pytest.mark.slow  # train ten tiny models (five minutes together)

STUDY = "italian.yaml"


@pytest.fixture
def example(project):
    files = {block.file: block.text for block in blocks(ROOT / "docs/your_language.md") if block.file}
    assert set(files) == {STUDY, *(f"italian/{name}.csv" for name in ("templates", "targets", "attributes"))}
    for name, text in files.items():
        project.write(name, text)
    return project


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


def subset(project, language):
    """A third of a language's grammatical words, in a folder of their own: those of one word, whose forms are two."""
    folder = Path("resources/categorical_bias", language, "grammatical")
    for name in ("templates", "targets", "attributes"):
        table = read_table(folder / f"{name}.csv").astype(str)
        if name == "targets":
            table = table[~table["target"].str.contains(" ")].head(16)
        if name == "attributes":
            one_word = ~table[["singular", "plural"]].apply(lambda words: words.str.contains(r"[ .]")).any(axis=1)
            table = table[one_word & (table["singular"] != table["plural"])].head(24)
        project.write(f"words/{language}/{name}.csv", table.to_csv(index=False))


def test_planted_strengths_come_out_in_their_order_and_above_chance(project):
    """In two languages, one not in Latin letters: CB rises, beyond chance with a planted bias, and not without."""
    models = {f"ethnic-{strength}": {"planted": strength, "kind": "masked"} for strength in (0.0, 1.0, 2.0)}
    for language in ("english", "greek"):
        subset(project, language)
    languages = {
        language: {"lists": {"some": f"words/{language}"}, "models": list(models)} for language in ("english", "greek")
    }
    study = {"results": "results", "models": models, "categorical_bias": {"languages": languages}}
    project.write("study.yaml", yaml.safe_dump({**study, "testbed": {"steps": 500}}))
    project.run("results/tables/categorical_bias_scores.csv")
    scores = pd.read_csv(project.folder / "results/tables/categorical_bias_scores.csv")
    scores = scores[scores["definition"] == "paper"]
    for _, rows in scores.groupby("language"):
        cb = rows[rows["variant"] == "cb"].set_index("model").loc[list(models)]
        assert (cb["estimate"].diff().dropna() > 0).all()
        assert cb["ci_high"].iloc[0] < cb["ci_low"].iloc[2]
        p = rows[rows["variant"] == "cross_form"].set_index("model").loc[list(models), "p_value"]
        assert p.iloc[0] > 0.05
        assert (p.iloc[1:] <= 0.01).all()


def test_causal_models_beside_a_masked_one(project):
    """Above chance with a planted bias and not without, more is learned than nothing, and no kind is compared with
    another."""
    kinds = {"masked": (2.0, "masked"), "none": (0.0, "causal"), "strong": (2.0, "causal")}
    models = {name: {"planted": strength, "kind": kind} for name, (strength, kind) in kinds.items()}
    subset(project, "english")
    languages = {"english": {"lists": {"some": "words/english"}, "models": list(models)}}
    study = {"results": "results", "models": models, "categorical_bias": {"languages": languages}}
    project.write("study.yaml", yaml.safe_dump({**study, "testbed": {"steps": 300}}))
    project.run()
    results = project.folder / "results"
    scores = pd.read_csv(results / "tables/categorical_bias_scores.csv").set_index(["variant", "model", "definition"])
    across, cb = scores.loc["cross_form"], scores.loc["cb"]
    assert across.loc[("none", "whole"), "p_value"] > 0.05
    assert across.loc[("strong", "whole"), "p_value"] <= 0.01
    assert cb.loc[("none", "whole"), "ci_high"] < cb.loc[("strong", "whole"), "ci_low"]
    assert {name for model, name in across.index if model == "masked"} == {"paper", "released"}
    differences = pd.read_csv(results / "tables/categorical_bias_differences.csv")
    assert set(zip(differences["model"], differences["definition"], strict=True)) == {("none − strong", "whole")}
    planted = store.read_frame(results / "work/calibration/categorical_bias.parquet", "calibration")
    learned = planted[planted["model"] == "strong"].set_index("panel")["learned"]
    assert (learned > 0.05).all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert_numbers_are_in(pd.read_csv(results / "summary.csv"), page)


def test_a_model_that_went_on_learning_stands_beside_the_figure_after_tuning(project):
    """By what was done to it, whatever its name; its two trainings are one row."""
    subset(project, "german")
    german = "bert-base-german-dbmdz-uncased"
    by = {"recipe": "continued", "corpus": "text", "schedule": "ahn_oh", "weights": "head"}
    study = {
        "results": "results",
        "models": {
            german: {"planted": 1.0, "kind": "masked"},
            "mine": {"derived": {"from": german, "by": by, "seeds": 2}},
        },
        "corpora": {"text": {"planted": german, "max_texts": 200}},
        "categorical_bias": {"languages": {"german": {"lists": {"some": "words/german"}, "models": [german, "mine"]}}},
        "testbed": {"steps": 10},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    table = "results/tables/categorical_bias_table2.csv"
    project.run(table)
    frame = pd.read_csv(project.folder / table, keep_default_na=False).set_index("treatment")
    assert frame["measured"].to_dict() == {"": german, "tuned": "mine"}
    assert frame["published"].astype(float).to_dict() == {"": 5.846, "tuned": 5.604}
    scores = store.read_frames(
        [
            project.folder / f"results/work/metrics/categorical_bias/{name}/german.parquet"
            for name in ("mine", "mine-seed2")
        ],
        "tidy",
    )
    rows = scores[(scores["variant"] == "cb") & (scores["unit"] == "list") & (scores["definition"] == "paper")]
    assert float(frame.loc["tuned", "paper"]) == pytest.approx(rows["estimate"].mean(), rel=1e-6)
    assert float(frame.loc["tuned", "paper_low"]) < rows["estimate"].min()
    assert "; mine: trained on text by ahn_oh (weights: head), mean of 2" in frame.loc["tuned", "note"]
    assert frame["note"].str.contains("^not comparable: .*german.* has other contents").all()
    assert frame["difference"].eq("").all()
    beside = store.read_frame(project.folder / "results/work/published/categorical_bias.parquet", "published")
    measured = beside[beside["agreement"] != "not measured"].set_index(["table", "row"])
    assert {("2", f"{german}, tuned, german"), ("4", f"{german}, german")} <= set(measured.index)
    assert measured["agreement"].eq("not comparable").all()  # the name alone is that of the paper
