"""What is made of R's results, without R."""

import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.statistics import lme4


class Parts(dict):
    """As rpy2 gives a named list of R."""

    rx2 = dict.__getitem__


def fitted(notes=(), **changed):
    """Two templates' effects, an intercept and a slope, and those of traits, an intercept alone."""
    variances = [["template", "template", "trait"], ["(Intercept)", "gender", "(Intercept)"], [1.0, 0.5, 3.0]]
    empty = {name: [[] for _ in lme4._TABLES[name]] for name in ("fixed", "terms", "correlations", "random_effects")}
    single = {"sigma": [2.0], "reml": [10.0], "n": [60], "singular": [False], "optimizer": [0]}
    return lme4._fit(Parts(empty | {"variances": variances} | single | changed), list(notes))


@pytest.mark.parametrize(
    ("optimizer", "notes", "converged"),
    [
        (0, [], True),
        (0, ["boundary (singular) fit: see help('isSingular')"], True),
        (0, ["Model failed to converge with max|grad| = 0.01"], False),
        (5, [], False),
        (5, ["Model failed to converge with max|grad| = 0.01"], False),
    ],
)
def test_a_fit_has_converged_if_optimizer_and_checks_both_say_so(optimizer, notes, converged):
    assert fitted(notes, optimizer=[optimizer]).converged == converged


def test_theta_is_the_spread_of_groups_with_an_intercept_alone_in_units_of_the_residual():
    assert fitted().theta == {"trait": 1.5}


def test_a_note_stands_once_without_the_call_that_it_came_from():
    assert lme4._notes("Warning in f(x) : a\nWarning: a\n\nb\na\n") == ["a", "b"]


def test_one_missing_value_is_refused():
    data = pd.DataFrame({"y": [1.0, None, 2.0], "x": ["a", "b", "c"]})
    with refused(None, "values in y"):
        lme4._check(data, ["y", "x"], None)
