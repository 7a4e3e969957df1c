"""Published figures beside ours: when the two agree."""

import math

import pandas as pd
import pytest
from scipy import stats

from herbarium.statistics import agreement


@pytest.mark.parametrize(
    ("printed", "ours", "interval", "difference", "tolerance"),
    [
        ("0.41", 0.405, (math.nan, math.nan), -0.005, 0.005),
        ("0.41", 0.5, (0.45, 0.9), 0.09, 0.055),  # the end on the side of the printed figure is what counts
        ("0.41", 0.3, (0.1, 0.35), -0.11, 0.055),
        ("0.41", 0.5, (0.6, 0.9), 0.09, 0.005),  # an interval to one side of its estimate
        ("4.1E-2", 0.04, (math.nan, math.nan), -0.001, 0.0005),
        (".9280", 0.928, (math.nan, math.nan), 0, 0.00005),
        ("516", 516, (math.nan, math.nan), 0, 0.5),
        ("-0.36", -0.4, (-0.5, -0.38), -0.04, 0.025),
    ],
)
def test_tolerance_is_the_rounding_and_our_interval(printed, ours, interval, difference, tolerance):
    assert agreement.tolerance(printed, ours, *interval) == pytest.approx((difference, tolerance))


FIGURES = pd.DataFrame(
    [
        ("1", "bert", "AF", "0.0227", ""),
        ("1", "bert", "AS", "0.0307", ""),
        ("1", "bert", "EU", "0.0245", ""),
        ("1", "bert", "NA", "0.0245", "a typing error"),
        ("1", "bert", "OC", "0.0339", "a typing error"),
    ],
    columns=["table", "row", "column", "value", "doubt"],
)


def ours(*parts):
    """parts: column, definition and number, with what else is said of it."""
    cell = {"table": "1", "row": "bert"}
    return pd.DataFrame([cell | {"column": column, name: value, **more} for column, name, value, more in parts])


def compared(*parts, trained_anew=False):
    table = agreement.beside("m", FIGURES, [ours(*parts)] if parts else [], trained_anew)
    assert list(table.columns) == agreement.PUBLISHED.fields.names
    return table.set_index("column")


def test_each_agreement_by_hand():
    interval = {"paper_low": 0.022, "paper_high": 0.024}
    table = compared(
        ("AF", "paper", 0.0230, interval | {"said": "top 3"}),
        ("AS", "paper", 0.0284, {}),
        ("EU", "released", 0.02452, {}),
        ("NA", "paper", 0.0445, {}),
        trained_anew=True,
    )
    assert table["agreement"].to_dict() == {
        "AF": "agrees",
        "AS": "differs",
        "EU": "agrees as released",
        "NA": "doubtful",
        "OC": "not measured",
    }
    assert table.loc["AF", ["difference", "tolerance"]].tolist() == pytest.approx([0.0003, 0.00105])
    assert table.loc["AF", "note"] == "top 3"
    assert table.loc["NA", "note"] == "a typing error; ours differs"
    assert table.loc["OC", "note"] == "a typing error"
    assert table["published"].tolist() == FIGURES["value"].tolist()  # as printed


def test_an_interval_is_a_tolerance_only_of_what_was_trained_anew():
    near = ("AF", "paper", 0.0230, {"paper_low": 0.022, "paper_high": 0.024})
    assert compared(near, trained_anew=True).loc["AF", "agreement"] == "agrees"
    result = compared(near).loc["AF"]
    assert (result["agreement"], result["tolerance"]) == ("differs", pytest.approx(0.00005))
    assert compared(("AF", "paper", 0.02274, {})).loc["AF", "agreement"] == "agrees"


def test_what_was_trained_anew_is_said_figure_by_figure():
    near = {"paper_low": 0.022, "paper_high": 0.024}
    rows = ours(("AF", "paper", 0.0230, near), ("EU", "paper", 0.0250, near | {"paper_low": 0.024}))
    table = agreement.beside("m", FIGURES, [rows], FIGURES["column"] == "EU").set_index("column")
    assert table.loc[["AF", "EU"], "agreement"].tolist() == ["differs", "agrees"]
    assert table.loc[["AF", "EU"], "tolerance"].tolist() == pytest.approx([0.00005, 0.00105])


def test_several_trainings_are_their_mean_and_the_bounds_of_further_ones():
    rows = [{"paper": value, "released": math.nan, "paper_low": -9.0} for value in (1.0, 2.0, 3.0)]
    result = agreement.over_trainings(rows, runs=5)
    half = stats.t.ppf(0.975, 2) * math.sqrt(1 / 3 + 1 / 5)
    assert [result[name] for name in ("paper", "paper_low", "paper_high")] == pytest.approx([2, 2 - half, 2 + half])
    assert all(math.isnan(result[name]) for name in ("released", "released_low", "released_high"))
    one = agreement.over_trainings(rows[:1], runs=5)
    assert one["paper"] == 1
    assert math.isnan(one["paper_low"])


def test_paper_comes_first_and_released_where_it_alone_agrees():
    both = pd.DataFrame([{"table": "1", "row": "bert", "column": "AF", "paper": 0.03, "released": 0.02271}])
    table = agreement.beside("m", FIGURES, [both]).set_index("column").loc["AF"]
    assert table["agreement"] == "agrees as released"
    assert table["difference"] == pytest.approx(0.00001)
    neither = both.assign(released=0.04)
    table = agreement.beside("m", FIGURES, [neither]).set_index("column").loc["AF"]
    assert table["agreement"] == "differs"
    assert table["difference"] == pytest.approx(0.0073)


def test_a_fit_that_did_not_converge_measures_nothing():
    result = compared(("AF", "paper", 0.0227, {"converged": False, "said": "it went astray"})).loc["AF"]
    assert result["agreement"] == "not measured"
    assert math.isnan(result["paper"])
    assert result["note"] == "it went astray; the fit did not converge"


def test_several_models_beside_one_figure_have_a_row_each():
    twice = pd.concat([ours(("AF", "paper", 0.0227, {})), ours(("AF", "paper", 0.5, {}))])
    table = agreement.beside("m", FIGURES, [twice])
    assert table[table["column"] == "AF"]["agreement"].tolist() == ["agrees", "differs"]
    counts = agreement.counts(table)
    assert counts[["n", "agrees", "differs", "not measured", "exact"]].to_numpy().tolist() == [[5, 1, 1, 4, 1]]


def test_figures_of_two_papers_in_the_same_place_are_two():
    tables = [agreement.beside(metric, FIGURES, [ours(("AF", "paper", 0.0227, {}))]) for metric in ("m", "o")]
    counts = agreement.counts(pd.concat(tables, ignore_index=True)).set_index("metric")
    assert counts["n"].to_dict() == {"m": 5, "o": 5}


def test_counts_of_nothing_are_empty():
    assert agreement.counts(compared().reset_index().iloc[:0]).empty


def test_the_place_of_a_figure_leaves_out_what_goes_without_saying():
    rows = pd.DataFrame({"model": ["bert", "bert"], "subset": ["all", "common"], "measure": ["bias", "r2"]})
    placed = agreement.placed(rows, "2", ["model", "subset", "measure"])
    cells = placed[["table", "row", "column"]].to_numpy().tolist()
    assert cells == [["2", "bert", "bias"], ["2", "bert, common", "r2"]]


def test_another_model_is_not_compared_whatever_its_number():
    table = pd.DataFrame({"published": [0.0227, 0.0307, math.nan], "paper": [0.0227, 0.0307, 0.1], "note": None})
    table = agreement.marked(table.assign(difference=0.0), ["", "it is planted", "it is planted"])
    assert table["difference"].isna().tolist() == [False, True, False]
    assert table["comparable"].tolist() == [True, False, True]  # the last stands beside nothing
    assert table["note"].tolist() == [None, "not comparable: it is planted", None]
    rows = table.dropna(subset="published").assign(table="1", row="bert", column=["AF", "AS"], said=table["note"])
    frame = agreement.beside("m", FIGURES, [rows]).set_index("column")
    assert frame.loc[["AF", "AS"], "agreement"].tolist() == ["agrees", "not comparable"]
    assert frame.loc["AS", ["paper", "note"]].tolist() == [0.0307, "not comparable: it is planted"]
    assert math.isnan(frame.loc["AS", "difference"])
    (counts,) = agreement.counts(frame.reset_index()).to_dict("records")
    assert (counts["agrees"], counts["not comparable"], counts["exact"]) == (1, 1, 1)


def test_a_doubtful_figure_beside_another_model_says_both():
    rows = agreement.of_others(ours(("NA", "paper", 0.0445, {"said": "top 3"})), "another file")
    table = agreement.beside("m", FIGURES, [rows]).set_index("column").loc["NA"]
    assert (table["agreement"], table["note"]) == (
        "not comparable",
        "a typing error; not comparable: another file; top 3",
    )
