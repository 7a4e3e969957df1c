"""Interventions as a workflow, on planted models that take advice, and on what others have: a head for questions."""

import pandas as pd
import pytest
import yaml

from herbarium.core import store

PLANTED = {
    f"advice-{name}": {"planted": strength, "kind": "masked"} for name, strength in (("none", 0.0), ("strong", 1.5))
}


@pytest.fixture(scope="module")
def numbers(results):
    return pd.read_csv(results / "tables/interventions_numbers.csv")


@pytest.mark.nightly
def test_what_is_planted_is_found_and_what_advice_does_to_it(project):
    """Of these texts a model learns little in fewer steps."""
    few = {"table": "resources/interventions/demo", "models": list(PLANTED)}
    study = {
        "shards": 1,
        "models": PLANTED,
        "testbed": {"steps": 2000, "batch_size": 64},
        "interventions": {"questions": {"few": few}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    calibrated = "results/work/calibration/interventions.parquet"
    project.run("results/tables/interventions_numbers.csv", calibrated)
    numbers = pd.read_csv(project.folder / "results/tables/interventions_numbers.csv")
    rows = numbers[numbers["definition"] == "own"].set_index(["model", "variant", "group"])
    none, strong = (rows.loc[model] for model in PLANTED)
    assert (none.loc["preference", "ci_high"] < 0.05).all()
    preference, kept = strong.loc["preference"], strong.loc["kept", "estimate"]
    assert preference.loc["none", "ci_low"] > 0.2
    assert kept["ethical"] < kept[["irrelevant", "adversarial"]].min()
    assert strong.loc[("kept_difference", "ethical"), "p_adjusted"] < 0.05
    calibration = store.read_frame(project.folder / calibrated, "calibration")
    assert calibration["expected"].notna().all()


@pytest.mark.slow
def test_models_of_every_kind_and_the_authors_own_numbers(results, numbers):
    """A masked, a causal and extractive models: one text to fill in, one to find; `released` of the last alone."""
    mu = numbers[numbers["variant"] == "mu"]
    assert mu.groupby(["unit", "model"])["definition"].agg(set).to_dict() == {
        ("kinds", "roberta-large"): {"own", "paper"},
        ("kinds", "gpt2"): {"own", "paper"},
        ("kinds", "qa"): {"own", "paper", "released"},
        ("kinds", "advised"): {"own", "paper", "released"},
        ("theirs", "qa"): {"own", "paper", "released"},
    }
    assert mu["estimate"].notna().all()
    stored = pd.read_csv(results / "tables/interventions_stored.csv")
    assert set(stored["group"]) == {"ethical"}
    assert stored.set_index("variant").loc["mu", "estimate"] == pytest.approx(0)  # both questions are answered alike
    forms = {path.parent.name for path in results.glob("work/stimuli/interventions/kinds/*/0.parquet")}
    assert forms == {"fill", "span"}
    assert "Content warning" in (results / "report/index.html").read_text()


@pytest.mark.slow
def test_a_model_is_trained_on_advice_measured_and_compared(results, numbers):
    training = store.read_record(results / "work/derived/advised.json")["training"]
    assert training["texts"] == dict.fromkeys(("ethical", "adversarial", "irrelevant"), 3 * 2 * 4 * 4)
    assert training["squad"] == {"questions": 1, "without_answer": 1, "left_out": 0}
    assert training["questions_left_out"] == 0
    history = training["history"]
    assert [row["steps"] for row in history] == [0, 12, 24, 36, 48]
    assert history[-1]["squad"] < history[1]["squad"]
    mu = numbers[(numbers["definition"] == "paper") & (numbers["variant"] == "mu") & (numbers["unit"] == "kinds")]
    mu = mu.set_index(["model", "group"])["estimate"]
    assert (mu.loc["qa"] != mu.loc["advised"]).all()
    changes = store.read_frame(results / "work/changes/interventions/kinds.parquet", "changes")
    assert len(changes) == 4
    assert changes[["before", "after"]].drop_duplicates().to_numpy().tolist() == [["qa", "advised"]]


@pytest.mark.slow
def test_what_training_takes_is_estimated(measured, results):
    timed = "work/estimate/recipes/advised.parquet"
    measured.run(f"results/{timed}")
    expected = store.read_frame(results / timed, "costs").set_index("stage").loc["train"]
    assert (expected["passes"], expected["sentences"]) == (48, 4 * 3 * 3 * 2 * 4 * 4)
    assert expected["hours"] > 0


@pytest.mark.slow
def test_other_questions_of_squad_train_it_anew(edited):
    edited.edit("squad.json", "Who lied?", "Who was it that lied?")
    assert edited.jobs("results/tables/interventions_numbers.csv")["train_advice"] == 1
