"""Bias scores by pseudo-perplexity are of the sentences of their bins."""

import numpy as np
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
