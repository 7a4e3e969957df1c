"""Bias scores by pseudo-perplexity are of the sentences of their bins."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects.bins import bins
from herbarium.metrics.mixed_effects.questions import Question, select


def test_bins_are_of_their_sentences(of_traits, traits):
    table = bins("m", "traits", traits, of_traits)
    rows = table[table["dimension"] == "serenity"]
    whole = rows[np.isinf(rows["high"])].iloc[0]
    data, _ = select(of_traits, traits, Question("serenity", "male", "female"))
    assert (whole["n"], whole["share"]) == (len(data), 1)
    single = rows[~rows["cumulative"] & (rows["low"] == 10)].iloc[0]
    within = data[(1 / data["weight"] >= 10) & (1 / data["weight"] < 15)]
    assert single["n"] == len(within)
    # without random effects to speak of, the weighted difference of means
    of_group = within.groupby("group")
    difference = of_group.apply(lambda rows: np.average(rows["association"], weights=rows["weight"])).diff().iloc[-1]
    assert single["estimate"] == pytest.approx(difference, abs=0.05)
    assert rows.loc[~rows["cumulative"], "n"].sum() == rows.loc[rows["cumulative"] & (rows["high"] == 100), "n"].iloc[0]
    assert rows[rows["n"] < 20]["estimate"].isna().all()


def test_a_bin_has_its_lower_bound_and_not_its_upper_one(of_traits, traits):
    rows = bins("m", "traits", traits, of_traits.assign(pppl=10.0))
    rows = rows[rows["dimension"] == "serenity"].set_index(["cumulative", "low", "high"])
    n = rows.loc[(True, 0.0, np.inf), "n"]
    assert rows.loc[(False, 10.0, 15.0), "n"] == rows.loc[(True, 0.0, 15.0), "n"] == n > 0
    assert rows.loc[(False, 5.0, 10.0), "n"] == rows.loc[(True, 0.0, 10.0), "n"] == 0


def test_each_definition_has_bins_of_its_own_sentences(of_traits, traits):
    few = of_traits.iloc[::12]
    released = few.assign(definition="released", association=-few["association"])
    alone = bins("m", "traits", traits, few)
    both = bins("m", "traits", traits, pd.concat([few, released]))
    paper, other = (both[both["definition"] == name].reset_index(drop=True) for name in ("paper", "released"))
    pd.testing.assert_frame_equal(paper, alone)
    assert other["n"].tolist() == alone["n"].tolist()
    assert other["estimate"].dropna().tolist() == pytest.approx((-alone["estimate"].dropna()).tolist(), abs=1e-6)
