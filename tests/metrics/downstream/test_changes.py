"""What changed in a task from one model to another, by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.metrics.downstream.test_numbers import PREFIXES, measured, predictions

from herbarium.metrics.downstream import names
from herbarium.metrics.downstream.changes import changes

COMPARED = [("base", "x", "base", "x")]


@pytest.fixture(scope="module")
def of_models():
    (before, label), (after, _) = predictions(effect=0.3), predictions(effect=0.1, seed=1)
    numbers = pd.concat([measured(p, label, model=model) for model, p in (("base", before), ("x", after))])
    return numbers, {"base": logit(before), "x": logit(after)}, label


@pytest.fixture(scope="module")
def rows(of_models):
    numbers, log_odds, label = of_models
    return changes("reviews", COMPARED, numbers, log_odds, label, PREFIXES).set_index("measure")


def test_an_excess_variance_is_the_square_of_the_excess_spread(of_models, rows):
    chosen = of_models[0].set_index(["model", "variant", "group"])
    spread = chosen.loc[("base", "excess_spread", "reviews/country"), "estimate"]
    row = rows.loc["Task reviews, excess variance over country"]
    assert row["value_before"] == pytest.approx(np.sign(spread) * spread**2)
    assert row["estimate"] == pytest.approx(row["value_after"] - row["value_before"])
    assert (row["n"], row["kind"], row["null"]) == (4, "bias", 0)


def test_two_cities_are_too_few_for_an_error(rows):
    row = rows.loc["Task reviews, excess variance over city"]
    assert row["note"] == "no error: one training set, or fewer than three names"
    assert np.isnan(row["estimate"])


def test_the_error_is_that_of_leaving_out_each_name(of_models):
    y = [of_model.mean(axis=2) for of_model in of_models[1].values()]
    unit = PREFIXES["unit"].to_numpy()
    sides = [(effects[:, unit == "country"], effects[:, unit == "nonsense"]) for effects in y]
    mean = names.change_of_spread(*sides)
    variance = 0.0
    for kind in (0, 1):
        n = sides[0][kind].shape[1]
        left_out = [
            np.subtract(*(names.spread(np.delete(side[kind], k, axis=1)).estimate for side in sides[::-1]))
            for k in range(n)
        ]
        variance += (n - 1) * np.var(left_out)
    assert (mean.variance, mean.df) == (pytest.approx(variance), 2)


def test_accuracy_is_paired_by_training_set_and_text(of_models, rows):
    _, log_odds, label = of_models
    row = rows.loc["Task reviews, accuracy"]
    right = [((log_odd[:, 0] > 0) == label).mean() for log_odd in log_odds.values()]
    assert row["estimate"] == pytest.approx(right[1] - right[0])
    assert (row["value_before"], row["value_after"]) == pytest.approx(tuple(right))
    assert (row["kind"], row["n"]) == ("cost", 80)
    assert row["std_error"] > 0


def test_an_excess_below_0_is_a_variance_below_0(of_models):
    numbers, log_odds, label = of_models
    bounds = {"estimate": -0.2, "ci_low": -0.5, "ci_high": 0.1}
    is_spread = (numbers["variant"] == "excess_spread") & (numbers["model"] == "base")
    numbers = numbers.mask(is_spread, numbers.assign(**bounds))
    row = changes("reviews", COMPARED, numbers, log_odds, label, PREFIXES).set_index("measure").iloc[0]
    assert row[["value_before", "low_before", "high_before"]].tolist() == pytest.approx([-0.04, -0.25, 0.01])
