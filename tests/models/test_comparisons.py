"""Which models are compared, and of several trainings which with which."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.study import config

BASE = {"planted": 2.0, "kind": "masked"}


def by(corpus, seeds=1, base="base"):
    return {"derived": {"from": base, "by": {"recipe": "continued", "corpus": corpus}, "seeds": seeds}}


def study(comparisons=None, **models):
    corpora = {"text": {"planted": "base"}}
    return {"models": {"base": BASE, **models}, "corpora": corpora, "comparisons": comparisons}


def compared(values, among=None):
    loaded = config.load(values)
    return loaded.compared(among or loaded.models)


def test_each_derived_model_with_its_base_then_those_of_one_base_with_one_another():
    result = compared(study(x=by("text"), placebo=by("text"), y=by("text", base="x")))
    assert result == [
        ("base", "x", "base", "x"),
        ("base", "placebo", "base", "placebo"),
        ("x", "y", "x", "y"),
        ("x", "placebo", "x", "placebo"),
    ]


def test_trainings_are_compared_seed_by_seed():
    result = compared(study(x=by("text", 3), placebo=by("text", 2)))
    assert result[:5] == [
        *(("base", "x", "base", model) for model in ("x", "x-seed2", "x-seed3")),
        *(("base", "placebo", "base", model) for model in ("placebo", "placebo-seed2")),
    ]
    assert result[5:] == [("x", "placebo", "x", "placebo"), ("x", "placebo", "x-seed2", "placebo-seed2")]
    alone = compared(study(x=by("text", 2), placebo=by("text")))
    assert alone[3:] == [("x", "placebo", "x", "placebo"), ("x", "placebo", "x-seed2", "placebo")]


def test_a_model_that_is_not_measured_is_not_compared():
    values = study(x=by("text", 2), placebo=by("text"))
    assert compared(values, ["base", "x-seed2"]) == [("base", "x", "base", "x-seed2")]
    assert compared(values, ["x"]) == []


def test_models_along_the_epochs_of_a_training_are_not_compared_by_default():
    toxic = {"derived": {"from": "base", "by": {"recipe": "toxic", "epochs": 2}}}
    assert compared(study(x=toxic)) == [("base", "x", "base", "x")]
    assert compared(study([["base", "x-01"]], x=toxic)) == [("base", "x-01", "base", "x-01")]


def test_comparisons_can_be_named_and_none_wanted():
    other = {"planted": 1.0, "kind": "masked"}
    assert compared(study([["other", "base"]], other=other, x=by("text"))) == [("other", "base", "other", "base")]
    assert compared(study([], x=by("text"))) == []


@pytest.mark.parametrize(
    ("comparisons", "told"),
    [
        ([["base", "xx"]], ("comparisons", "'xx'", "'x'")),
        ([["base"]], ("comparisons", "1", "`[before, after]`")),
        ([["base", "x"], ["x", "x"]], ("comparisons", "2", "`[before, after]`")),
        ([["base", "x"], ["base", "x"]], ("comparisons",)),
    ],
)
def test_a_faulty_comparison_is_told(comparisons, told):
    assert tells(faults(study(comparisons, x=by("text"))), *told)


def hub(*names):
    return {name: {"hub": f"org/{name}", "kind": "masked"} for name in names}


def test_up_to_four_measured_models_are_compared_pair_by_pair():
    assert compared({"models": {"base": BASE} | hub("a", "b", "c")}) == [
        (first, second, first, second) for first, second in (("a", "b"), ("a", "c"), ("b", "c"))
    ]
    assert compared({"models": hub(*"abcde")}) == []
    assert compared({"models": {"run": {"hub": "org/run", "kind": "masked", "checkpoints": ["x", "y"]}}}) == [
        ("run-x", "run-y", "run-x", "run-y")  # along its training only
    ]
