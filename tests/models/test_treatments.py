"""What was done to each model of a study, in words; and which of them a published figure finds."""

import pytest

from herbarium.models.treated import Treated, matching, unchanged
from herbarium.study import config

BASE = {"planted": 2.0, "kind": "masked"}
CORPORA = {
    "text": {"planted": "base"},
    "countries": {"swapped": {"from": "text", "terms": "countries", "sides": "one"}},
    "both": {"swapped": {"from": "text", "terms": "countries", "sides": "two"}},
    "gender": {"swapped": {"from": "text", "terms": "gender", "sides": "one"}},
    "published": {"swapped": {"from": "text", "terms": "gender_published", "sides": "one"}},
    "gender-too": {"swapped": {"from": "countries", "terms": "gender", "sides": "one"}},
}


def derived(base="base", seeds=1, recipe="continued", **more):
    return {"derived": {"from": base, "by": {"recipe": recipe, **more}, "seeds": seeds}}


def treated(**models):
    loaded = config.load({"models": {"base": BASE, **models}, "corpora": CORPORA})
    return {treated_model.name: treated_model for treated_model in loaded.treated}


def test_a_model_of_the_study_is_as_it_is_and_so_is_one_of_its_own_name():
    assert treated(other=BASE) == {"base": unchanged("base"), "other": unchanged("other")}


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ("text", "tuned"),
        ("countries", "tuned on exchanged countries"),
        ("both", "tuned on original and exchanged countries"),
        ("gender", "tuned on exchanged gendered words"),
        ("published", "tuned on exchanged gendered words"),
        ("gender-too", "tuned on exchanged gendered words and exchanged countries"),
    ],
)
def test_continued_training_is_called_by_what_was_exchanged(corpus, message):
    treated_model = treated(x=derived(corpus=corpus))["x"]
    assert (treated_model.source, treated_model.treatment, treated_model.corpus) == ("base", message, corpus)


def test_a_chain_is_told_from_its_first_step_and_its_source_is_its_beginning():
    result = treated(z=derived("y", corpus="gender"), y=derived(corpus="text", schedule="shrestha"))
    assert (result["z"].source, result["z"].treatment) == ("base", "tuned, then tuned on exchanged gendered words")
    assert (result["y"].schedule, result["z"].schedule) == ("shrestha", "ahn_oh")


def test_trainings_of_a_model_are_one():
    result = treated(x=derived(corpus="text", seeds=3, weights="head"))
    assert list(result) == ["base", "x"]
    expected = ("x", "base", "tuned", "ahn_oh", "text", "head", ("x", "x-seed2", "x-seed3"))
    assert result["x"] == Treated(*expected)


def test_toxic_training_has_its_name_and_its_epochs_are_left_out():
    result = treated(x=derived(recipe="toxic", epochs=3))
    assert list(result) == ["base", "x"]
    assert (result["x"].treatment, result["x"].schedule) == ("toxic", "")


@pytest.mark.parametrize(
    ("more", "schedule"),
    [
        ({}, "ahn_oh"),
        ({"schedule": "shrestha_released"}, "shrestha_released"),
        ({"epochs": 2, "learning_rate": 1e-4}, "ahn_oh"),  # which it has anyway
        ({"epochs": 3}, ""),
        ({"schedule": "shrestha", "warm_up": 0}, ""),
        ({"hidden_dropout": 0.2}, ""),
    ],
)
def test_a_schedule_of_which_a_setting_is_changed_is_none(more, schedule):
    assert treated(x=derived(corpus="text", **more))["x"].schedule == schedule


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "aligned to base"),
        ({"matrix": "random"}, "turned at random"),
        ({"corpus": "countries"}, "aligned to base, tuned on exchanged countries"),
    ],
)
def test_alignments_are_called_by_what_they_turn_to(more, message):
    fitted = {"to": "base", "parallel": "two", "languages": ["one", "other"]} if "matrix" not in more else {}
    by = {"recipe": "alignment", "corpus": "text", **fitted, **more}
    values = {
        "models": {"base": BASE, "own": BASE, "x": {"derived": {"from": "own", "by": by}}},
        "corpora": CORPORA,
        "parallel": {"two": {"texts": {name: {"path": f"{name}.txt"} for name in ("one", "other")}}},
    }
    (treated_model,) = (treated_model for treated_model in config.load(values).treated if treated_model.name == "x")
    assert (treated_model.source, treated_model.treatment, treated_model.schedule, treated_model.weights) == (
        "own",
        message,
        "ahn_oh",
        "head",
    )


def test_a_figure_finds_models_by_source_treatment_and_schedule():
    matching_models = [
        unchanged("base"),
        Treated("base-again", "base", "tuned", "ahn_oh"),
        Treated("other-text", "base", "tuned", "ahn_oh"),
        Treated("another", "base", "tuned", "shrestha"),
        Treated("hasty", "base", "tuned", ""),
        Treated("else", "else", "tuned", "ahn_oh"),
    ]
    assert [treated_model.name for treated_model in matching(matching_models, "base", "")] == ["base"]
    assert [treated_model.name for treated_model in matching(matching_models, "base", "tuned", ("ahn_oh",))] == [
        "base-again",
        "other-text",
    ]
    assert matching(matching_models, "base", "turned at random", ("ahn_oh",)) == []
    assert matching(matching_models, "base-again", "") == []
