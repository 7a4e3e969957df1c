"""The tidy table, and that no p-value is 0, however extreme the data."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.metrics.downstream import names
from herbarium.report.answers import p_value as p_of_interval
from herbarium.statistics import correlation, grouped, inference, shares
from herbarium.statistics.tidy import TIDY, tidy, with_note

LEAST = inference.LEAST_P_VALUE


def test_columns_are_completed_and_unknown_ones_are_refused():
    table = tidy(pd.DataFrame({"model": ["m"], "estimate": [1.0]}))
    assert table.columns.tolist() == TIDY.fields.names
    assert table["p_value"].isna().all()
    with refused(None, "'size'", kind=ValueError):
        tidy(pd.DataFrame({"size": [1]}))


def test_a_note_of_all_rows_comes_after_those_of_each():
    rows = tidy(pd.DataFrame({"model": ["m", "n"], "note": ["a", None]}))
    assert with_note(rows, "b")["note"].tolist() == ["a · b", "b"]
    assert with_note(rows, None)["note"].dropna().tolist() == ["a"]


@given(st.lists(st.none() | st.floats(0, 1), min_size=1))
def test_no_p_value_of_a_table_is_0(p_values):
    table = tidy(pd.DataFrame({"p_value": pd.Series(p_values, dtype=object), "p_adjusted": 0.0}))
    given_, result = pd.Series(p_values, dtype=float), table["p_value"]
    assert result.isna().equals(given_.isna())
    assert (result.dropna() >= LEAST).all()
    assert result[given_ >= LEAST].equals(given_[given_ >= LEAST])
    assert (table["p_adjusted"] == LEAST).all()


def test_no_test_gives_0():
    """Of data so extreme that tail probabilities underflow."""
    mean = inference.Mean(1e6, 1e-6, np.inf)
    values = np.random.default_rng(0).normal(scale=1e-3, size=(2, 30))
    far = names.Beyond(np.array([1.0]), np.array([1e-200]), 40.0)
    profiles = np.repeat(np.random.default_rng(1).normal(size=(2, 50)) * 1e9, 200, axis=0)
    profiles += np.random.default_rng(2).normal(size=profiles.shape)
    of_groups = grouped.components(profiles, np.repeat(["a", "b"], 200))
    row = {"p_adjusted": np.nan, "estimate": 1e9, "null": 0.0, "ci_low": 1e9 - 1e-3, "ci_high": 1e9 + 1e-3, "n": 10_000}
    p_by_test = {
        "t": inference.t_p_value(mean),
        "equivalence": inference.equivalence(mean._replace(estimate=0.0), 1e9, 0.05).p_value,
        "correlation": correlation.p_value(1.0, 1000),
        "binomial": shares.share(np.ones(5000, dtype=bool), 0.95)["p_value"],
        "names": far.p_values()[0],
        "no spread": names.beyond(values, values).p_values().min(),
        "groups": of_groups.p_value,
        "interval": p_of_interval(row),
    }
    assert all(0 < p <= 1 for p in p_by_test.values()), p_by_test
