"""Which files a configuration asks for of bias amplification, and faults of its section."""

import pytest
from tests.metrics.downstream.test_section import TASK
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.metrics.amplification import targets as amplification
from herbarium.metrics.downstream import targets as downstream
from herbarium.study import config

BY = {"careful": {"from": "planted-none", "by": "exact"}}


def study(values, **section):
    tasks = {"reviews": TASK | {"constrained": BY}}
    return config.load({**values, "downstream": {"tasks": tasks}, "amplification": section})


@pytest.mark.slow
def test_a_task_without_published_or_planted_texts_is_neither_compared_nor_calibrated(values):
    metric_targets = amplification.targets(study(values, tasks=["reviews"]))
    assert metric_targets.published == metric_targets.calibration == []
    assert amplification.undecided(study(values, tasks=["reviews"])) == [("reviews", "planted-none")]


@pytest.mark.slow
def test_groups_of_a_column_must_be_those_of_every_task(values):
    writer = {"writer": {"column": "writer", "values": ["A", "B"]}}
    planted = {key: TASK[key] for key in ("prefix", "controls", "models")} | {"data": {"planted": 1.0}}
    tasks = {"reviews": planted | {"groups": writer}, "plain": planted}

    def of_tasks(*names, groups="writer"):
        section = {"tasks": list(names), "groups": groups}
        return config.load({**values, "downstream": {"tasks": tasks}, "amplification": section})

    amplification.require_groups(of_tasks("reviews"))
    amplification.require_groups(of_tasks("reviews", "plain", groups="country"))
    with refused("amplification.groups", "'writer'", "downstream.tasks.plain.groups"):
        amplification.require_groups(of_tasks("reviews", "plain"))
    # only regions lean in planted texts
    assert amplification.targets(of_tasks("reviews")).calibration == []
    assert amplification.targets(of_tasks("reviews", groups="continent")).calibration != []
    constrained = {"careful": {"from": "planted-none", "by": "exact", "groups": "gender"}}
    text = faults({**values, "downstream": {"tasks": {"reviews": tasks["reviews"] | {"constrained": constrained}}}})
    assert tells(text, "downstream.tasks.reviews", "constrained.careful.groups", "'gender'")


def test_what_is_decided_anew_is_measured_like_any_other_model_of_the_task(values):
    asked = study(values)
    metric_targets = downstream.targets(asked)
    assert "<work>/metrics/downstream/reviews/careful.parquet" in metric_targets.numbers
    assert metric_targets.changes == ["<work>/changes/downstream/reviews.parquet"]
    assert [key for key in metric_targets.costs if key[0] == "careful"] == []
    assert asked.downstream.runs("reviews", "careful") == asked.downstream.runs("reviews", "planted-none")
    weights = downstream.weights(asked, "reviews", "careful", "set-1")
    assert all("/planted-none/set-1/classifier/" in path for path in weights)
    assert asked.downstream.compared("reviews", asked) == [("planted-none", "careful", "planted-none", "careful")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"tasks": ["review"]}, ("amplification.tasks.0", "'review'")),
        ({"tasks": ["reviews", "reviews"]}, ("amplification",)),
        ({"margin": 1.0}, ("amplification.margin", "1")),
        ({"margin": 0}, ("amplification.margin", "0")),
        ({"margins": [1.5]}, ("amplification.margins.0", "1")),
        ({"structured": {"a": {"planted": 3}}}, ("amplification", "'tasks'")),
        ({"tasks": ["reviews"], "structured": {"reviews": {"planted": 3}}}, ("amplification",)),
        ({"structured": {"a": {"planted": 1}}}, ("amplification.structured.a.planted",)),
        ({"structured": {"a": {}}}, ("amplification.structured.a", "'planted'", "'potentials'", "'labels'")),
        (
            {"structured": {"a": {"planted": 3, "labels": "README.md"}}},
            ("amplification.structured.a", "'planted'", "'potentials'", "'labels'"),
        ),
    ],
)
def test_faults_are_told_with_their_key(values, changed, told):
    tasks = {"reviews": TASK}
    assert tells(faults({**values, "downstream": {"tasks": tasks}, "amplification": changed}), *told)


@pytest.mark.parametrize(
    ("constrained", "told"),
    [
        ({"x": {"from": "nobody"}}, ("constrained.x.from", "'nobody'")),
        ({"planted-none": {"from": "planted-none"}}, ("constrained", "'planted-none'")),
        ({"x": {"from": "planted-none", "by": "magic"}}, ("downstream.tasks.reviews.constrained.x.by", "'rba_paper'")),
    ],
)
def test_faults_of_what_is_constrained(values, constrained, told):
    assert tells(faults({**values, "downstream": {"tasks": {"reviews": TASK | {"constrained": constrained}}}}), *told)
