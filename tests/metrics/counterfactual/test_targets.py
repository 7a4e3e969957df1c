"""What a study asks for of counterfactual sentences, given what else it asks for."""

import pytest
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.core.targets import Targets
from herbarium.metrics.counterfactual import targets as counterfactual
from herbarium.study import config
from herbarium.study import targets as of_study

SETS = {
    "table": "resources/sentence_sets/pronouns/sentences.csv",
    "models": ["base", "other"],
    "quantity": "slot",
    "sides": ["he", "she"],
}


def study(*models, **section):
    by = {"recipe": "neutralised", "terms": "gender"}
    of_models = {name: {"planted": 2.0, "kind": "masked"} for name in ("base", "other", "idle")}
    of_models["neutral"] = {"derived": {"from": "base", "by": by}}
    return {
        "models": of_models,
        "sentence_sets": {"pronouns": SETS},
        "counterfactual": {"models": list(models)} | section,
    }


def asked(*models):
    loaded = config.load(study(*models))
    return counterfactual.targets(loaded, of_study.of(loaded))


def test_the_set_of_another_model_is_not_swapped_for_this_one():
    assert asked("other").scored == [("other", "counterfactual/sentence_sets/pronouns")]


def test_a_model_that_nothing_else_measures_is_refused():
    loaded = config.load(study("idle"))
    with refused("counterfactual.models", "'idle'"):
        counterfactual.require_sentences(loaded, of_study.of(loaded))
    assert asked("idle") == Targets()


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"models": ["bass"]}, (None, "'bass'", "'base'")),
        ({"models": ["neutral"]}, (None, "'neutral'")),
        ({"models": ["base"], "table": "none.csv"}, ("none.csv",)),
    ],
)
def test_a_faulty_section_is_told(section, told):
    assert tells(faults(study() | {"counterfactual": section}), *told)
