"""Which files a configuration asks for of propagation."""

import pytest
from tests.metrics.downstream.test_section import TASK
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.propagation import targets as propagation
from herbarium.study import config


def study(values, **sections):
    """A study of HERB and Categorical Bias with one task; None takes a section away."""
    theirs = {"theirs": {"path": "theirs", "positive": "POS"}}
    reviews = {**TASK, "models": ["planted-none", "ethnic-weak"], "classifiers": theirs}
    given = {**values, "downstream": {"tasks": {"reviews": reviews}}, **sections}
    return config.load({key: value for key, value in given.items() if value is not None})


def test_countries_are_those_of_models_that_herb_measures(values):
    given = study(values)
    assert propagation.over_countries(given) == [("reviews", "planted-none")]
    planned = [f"<work>/metrics/propagation{place}.parquet" for place in ("/reviews/planted-none", "")]
    assert propagation.targets(given).numbers == planned


def test_without_herb_there_are_correlations_over_models_alone(values):
    metric_targets = propagation.targets(study(values, herb=None))
    assert metric_targets.numbers == ["<work>/metrics/propagation.parquet"]
    assert metric_targets.figures == []


@pytest.mark.parametrize("sections", [{"herb": None, "categorical_bias": None}, {"downstream": None}])
def test_nothing_where_one_side_is_not_measured(values, sections):
    asked = propagation.targets(study(values, **sections))
    assert asked == type(asked)()


@pytest.mark.slow
def test_intrinsic_scores_are_of_all_models(values):
    given = study(values)
    measured = ["planted-none", "planted-weak", "planted-strong", "retrained", "placebo"]
    assert given.herb.measured(given.models) == measured
    assert propagation.measures_of_models(given) == ["<work>/metrics/model_measures/categorical_bias.parquet"]
    assert propagation.measures_of_models(study(values, categorical_bias=None)) == []


def test_it_has_bootstrap_and_tests_of_its_own(values):
    given = {**values, "propagation": {"bootstrap": {"replicates": 10}, "tests": {"correction": "holm"}}}
    loaded = config.load(given)
    section = loaded.propagation
    assert (section.bootstrap.replicates, section.bootstrap.level, section.tests.correction) == (10, 0.95, "holm")
    assert loaded.downstream.bootstrap.replicates == 1000


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"bootstrap": {"replicates": -1}}, ["propagation.bootstrap.replicates"]),
        ({"tests": {"correction": "hol"}}, ["propagation.tests.correction"]),
        ({"test": {}}, ["'propagation.test'", "'tests'"]),
    ],
)
def test_faults_of_the_section(values, section, told):
    assert tells(faults({**values, "propagation": section}), None, *told)
