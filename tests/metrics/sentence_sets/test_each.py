"""Numbers of each value of a column, and how they correlate with what is known of them."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from tests.metrics.sentence_sets import toy
from tests.metrics.sentence_sets.test_numbers import MODELS
from tests.refusals import refused

from herbarium.metrics.sentence_sets import beside, each, numbers
from herbarium.metrics.sentence_sets.figures import forest
from herbarium.statistics import attenuation

ENTRY = toy.ENTRY | {"each": "cook"}
ENTRIES = {"pronouns": ENTRY, "shares": toy.SHARE}
KNOWN = pd.DataFrame({"thing": [f"c{i}" for i in range(6)], "beside": "age", "known": range(30, 36), "std_error": 1.0})


def observations(slope):
    """Twenty-four pairs, four of each of six cooks, of which the first side is the likelier the older the cook."""
    result = toy.observations(n=24)
    cook = result["set"].str[1:].astype(int) // 4
    lean = slope * (cook - 2.5) * (result["side"] == "he")
    return result.assign(each="c" + cook.astype(str), value=result["value"] + lean)


@cache
def measured():
    tables = []
    for model in MODELS:
        observed = observations(model["planted"] or 0.0)
        numbers_of_each = each.measure(model["name"], "pronouns", observed, ENTRY, 1)
        known = each.correlate(model["name"], "pronouns", numbers_of_each, KNOWN, ENTRY, 1)
        of_all = numbers.measure(model["name"], "pronouns", observed, ENTRY, 1)
        shares = numbers.measure(model["name"], "shares", toy.observations(toy.SHARE), toy.SHARE, 1)
        tables += [of_all, numbers_of_each, known, shares]
    return pd.concat(tables, ignore_index=True)


def rows():
    merged = numbers.with_contrasts(measured(), ENTRIES, MODELS, each=True)
    return each.with_known(merged, ENTRIES, {"pronouns": KNOWN})


def test_a_value_is_measured_over_its_sets():
    observed = observations(1.0)
    measured = each.measure("m", "pronouns", observed, ENTRY, 1)
    measured = measured[measured["variant"] == "pll_difference"]
    assert measured["unit"].eq("pronouns/cook").all()
    assert measured["group"].tolist() == [f"c{i}" for i in range(6)]
    assert measured["n"].eq(4).all()
    of_cook = observed[observed["each"] == "c2"].pivot(index="set", columns="side", values="value")
    assert measured["estimate"].iloc[2] == pytest.approx((of_cook["he"] - of_cook["she"]).mean())
    assert measured["p_adjusted"].ge(measured["p_value"]).all()


def test_rows_of_values_and_of_groups_are_kept_apart():
    of_groups = numbers.with_contrasts(measured(), ENTRIES, MODELS)
    assert of_groups["group"].unique().tolist() == ["all", "a", "b"]
    of_values = rows()
    assert of_values["stimuli"].eq("pronouns").all()
    assert len(of_values) == 6 * len(MODELS)
    assert of_values["known"].tolist() == [number for number in range(30, 36) for _ in MODELS]
    assert of_values["each"].eq("cook").all()
    assert of_values["least_shown"].isna().all()  # four sets can give no p of 0.1


def test_correlations_are_those_of_the_numbers_with_the_known_ones():
    table = each.correlations(measured(), ENTRIES, ["none", "strong", "real"]).set_index("model")
    chosen = rows().query("model == 'strong'")
    sides = (chosen[name].to_numpy(float) for name in ("estimate", "std_error", "known"))
    by_hand = attenuation.correlations(*sides, np.ones(6), 0.9, np.random.default_rng(1))
    assert table.loc["strong", "correlation"] == pytest.approx(by_hand[0]["estimate"])
    assert table.loc["strong", "correlation"] > 0.9 > table.loc["none", "correlation"]
    assert table.loc["strong", "corrected"] == pytest.approx(by_hand[1]["estimate"])
    assert table.loc["strong", "p_value"] < 0.05
    assert table["n"].eq(6).all()


def test_too_few_values_with_a_number_say_so():
    estimates = each.measure("m", "pronouns", observations(1.0), ENTRY, 1)
    estimates.loc[estimates["group"].isin(["c0", "c1"]), "std_error"] = np.nan
    result = each.correlate("m", "pronouns", estimates, KNOWN, ENTRY, 1)
    assert result["estimate"].isna().all()
    assert result["note"].eq("fewer than 5 values of 'cook' have a number").all()


def test_the_figure_has_them_in_the_order_of_what_is_known():
    later = rows().assign(known=lambda table: -table["known"])
    drawn = forest.table_of_each(later)
    assert drawn["group"].unique().tolist()[0] == "c5 (-35)"
    assert drawn["stimuli"].eq("pronouns by cook (age)").all()
    assert "c0 (-30)" in forest.describe_each(drawn)
    without = forest.table_of_each(each.with_known(later.drop(columns=["each", "known", "beside"]), ENTRIES, {}))
    assert without["stimuli"].eq("pronouns by cook").all()
    assert without["group"].tolist()[0] == "c0"


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "known.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_table_of_known_numbers(written):
    table = beside.read(written("# a source\ncook,age\nAda,31\nBo,40.5\n"), "cook")
    assert table.to_numpy().tolist() == [["Ada", "age", 31.0, 0.0], ["Bo", "age", 40.5, 0.0]]
    assert beside.read(written("cook,std_error,age\nAda,2,31\n"), "cook")["std_error"].tolist() == [2.0]


@pytest.mark.parametrize(
    ("text", "place", "facts"),
    [
        ("cook,age\nAda,old\n", "row 1, column 'age'", ["'old'"]),
        ("cook,age\nAda,\n", "row 1, column 'age'", ["''"]),
        ("cook,age,pay\nAda,1,2\n", None, ["one column", "cook, age, pay"]),
        ("chef,age\nAda,1\n", None, ["'cook'"]),
        ("cook,age\nAda,1\nAda,2\n", None, ["'Ada'"]),
        ("cook,age,std_error\nAda,1,x\n", "row 1, column 'std_error'", ["'x'"]),
    ],
)
def test_a_table_that_is_none_is_refused_by_row_and_column(written, text, place, facts):
    with refused(place and f"known.csv, {place}", *facts):
        beside.read(written(text), "cook")
    path = written("cook,age\nAda,31\nBo,40\n")
    beside.check(path, "cook", pd.Series(["Ada", "Ada"]))
    with refused("known.csv", "'Bos'", "'Bo'"):
        beside.check(path, "cook", pd.Series(["Ada", "Bos"]))


def test_values_and_known_numbers_are_matched_by_name():
    """Sets are listed from the oldest cook, and what is known in no order."""
    observed = observations(1.0)
    backwards = observed.iloc[::-1].reset_index(drop=True)
    one, other = (each.measure("m", "pronouns", table, ENTRY, 1) for table in (observed, backwards))
    keys = ["variant", "group"]
    ours, theirs = (table.set_index(keys)["estimate"].sort_index() for table in (one, other))
    assert theirs.to_dict() == pytest.approx(ours.to_dict())
    shuffled = KNOWN.sample(frac=1, random_state=3)
    assert shuffled["thing"].tolist() != KNOWN["thing"].tolist()
    known, again = (each.correlate("m", "pronouns", one, table, ENTRY, 1) for table in (KNOWN, shuffled))
    assert again["estimate"].tolist() == pytest.approx(known["estimate"].tolist())
