"""What a model holds of each country, by hand."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.herb import countries

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "bald"]}
COUNTRIES = pd.Series([f"country:{i:02}" for i in range(40)])
COLUMNS = pd.MultiIndex.from_tuples(
    [(t, w) for t, words in TOPICS.items() for w in words], names=["topic", "description"]
)


@pytest.fixture
def f():
    values = -np.random.default_rng(1).uniform(1, 9, (len(COUNTRIES) + 1, len(COLUMNS)))
    return pd.DataFrame(values, index=pd.Index([*COUNTRIES, "city:1"], name="region"), columns=COLUMNS)


def herb_rows(C_w, n=0, model="m"):
    rows = {"model": model, "metric": "herb", "definition": "paper", "variant": "C_w", "unit": "country"}
    return pd.DataFrame({"group": COUNTRIES, "estimate": C_w, "n": n}).assign(**rows)


def measures(rows, f):
    table = countries.measures(rows, f, COUNTRIES)
    assert table.columns.tolist() == ["region", "measure", "value"]
    assert table["region"].tolist() == [*COUNTRIES] * table["measure"].nunique()  # a city is no country
    wide = table.pivot(index="region", columns="measure", values="value")
    return wide[table["measure"].unique()]


def test_relative_likelihoods_by_hand(f):
    f.iloc[0] = [-1, -2, -3, -4, -5]  # mean -3
    result = measures(herb_rows(0.1), f)
    assert result.columns.tolist() == ["C_w", "f/mind", "f/body"]
    assert result.iloc[0].tolist() == pytest.approx([0.1, 1.5, -1])


def test_what_was_refused_is_left_out(f):
    f.loc[:, ("mind", "wise")] = np.nan
    f.loc["country:03", ("body", "tall")] = np.nan
    f.iloc[0] = [np.nan, -2, -3, -4, -6]
    result = measures(herb_rows(0.1), f)
    assert result.iloc[0, 1:].tolist() == pytest.approx([1.75, -13 / 3 + 3.75])
    assert result.loc["country:03", ["f/mind", "f/body"]].isna().all()
    assert result.drop(index="country:03").notna().all(axis=None)
    vectors = countries.vectors(f, pd.Series(1, COUNTRIES)).set_index("region")["vector"]
    assert vectors["country:03"] is None
    np.testing.assert_allclose(vectors["country:00"], np.array([-2, -3, -4, -6]) / 65**0.5)
    assert vectors.notna().sum() == 39


def test_countries_with_sub_regions_are_told_apart(f):
    result = measures(herb_rows(np.arange(40.0), n=[0] * 30 + [5] * 10), f)
    assert result.columns.tolist()[:2] == ["C_w", "C_w_leaves"]
    assert result["C_w_leaves"].notna().sum() == 30


def test_scores_are_those_of_the_papers_definition_and_metric(f):
    rows = herb_rows(0.1)
    others = [rows.assign(estimate=9.0, **changed) for changed in ({"definition": "raw_top"}, {"variant": "C_z"})]
    mixed = pd.concat([*others, rows, rows.assign(metric="herb_of_countries", estimate=9.0)])
    assert (measures(mixed, f)["C_w"] == 0.1).all()
