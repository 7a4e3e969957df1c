"""The part of the page on sentences of one's own: its numbers are those of the tidy table."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.examples import pictures
from tests.metrics.parts import assert_part
from tests.metrics.sentence_sets import toy
from tests.metrics.sentence_sets.test_numbers import MODELS
from tests.reports import table

from herbarium.metrics.sentence_sets import each, numbers, published
from herbarium.metrics.sentence_sets.figures import forest
from herbarium.metrics.sentence_sets.formats import FAULTS
from herbarium.metrics.sentence_sets.report import part

ODD = "<b>odd"


def rows_of(entries=toy.ENTRIES, lean=1.0):
    tables = [
        numbers.measure(model["name"], name, toy.observations(entry, lean * (model["planted"] or 0)), entry, 1)
        for model in MODELS
        for name, entry in entries.items()
    ]
    return numbers.with_contrasts(pd.concat(tables), entries, MODELS)


def part_of(entries=toy.ENTRIES, rows=None, faults=(), of_each=None, correlations=(), coreference=()):
    rows = rows_of(entries) if rows is None else rows
    drawn = {"sentence_sets_forest": forest.table(rows)}
    if of_each is not None:
        drawn["sentence_sets_each"] = forest.table_of_each(of_each)
    found = pd.DataFrame(faults, columns=["stimuli", *FAULTS.fields.names])
    beside = pd.DataFrame(correlations, columns=each.CORRELATIONS)
    others = pd.DataFrame(coreference, columns=published.COLUMNS)
    return part.part(rows, beside, others, found, entries, MODELS, pictures(**drawn))


def page(*args, **more):
    return assert_part(part_of(*args, **more), "sentence_sets")


def test_what_a_study_does_not_have_is_not_said():
    text = page().html
    for absent in ("Lines of its files", "at all?", "Each value separately", "as published"):
        assert absent not in text


def test_whether_a_measured_model_does_the_task_is_said_and_decides_on_its_verdict():
    of_page = page({"answers": toy.BBQ})  # each side likeliest in about a third of all sets
    said = " ".join(of_page.html.split())
    assert "<strong>real</strong>: no" in said
    assert "planted" not in said[said.index("at all?") : said.index("<table")].partition("</p>")[0]
    (given,) = of_page.answers
    unable = {row["model"]: row["unable"] for row in given.rows}
    assert "disambiguated" in unable["real"]


@pytest.mark.parametrize(
    ("entry", "lines", "tested"),
    [
        (toy.ACCURACY, ["pro", "anti", "mean", "difference"], ["pro", "anti", "mean", "difference"]),
        (toy.STEREOSET, ["ss", "lms", "icat"], ["ss"]),
        (toy.BBQ, ["unknown", "difference", "accuracy", "bias", "scaled"], ["difference"]),
    ],
)
def test_benchmarks_have_a_line_each_and_are_tested_where_there_is_a_null_value(entry, lines, tested):
    shown = table(page({"benchmark": entry}).html, "table-sentence-sets-benchmark")
    assert [cells[0] for cells in shown[::9]] == [f"{line}, all" for line in lines]
    assert {cells[0].partition(",")[0] for cells in shown if cells[4] != "–"} == set(tested)


def test_crossed_units_are_named_and_have_their_own_test():
    observed = toy.observations(n=16).assign(
        unit=lambda rows: rows["set"].str[1:].astype(int).mod(4).astype(str),
        crossed_with=lambda rows: (rows["set"].str[1:].astype(int) // 4).astype(str),
    )
    entry = toy.ENTRY | {"unit": "cook", "crossed_with": "guard"}
    tables = [numbers.measure(model["name"], "pairs", observed, entry, 1) for model in MODELS]
    text = page({"pairs": entry}, numbers.with_contrasts(pd.concat(tables), {"pairs": entry}, MODELS)).html
    assert "units (cook × guard)" in " ".join(text.split())
    assert "two-sided, from t, with errors clustered by units of both kinds" in " ".join(text.split())
    assert [cells[2] for cells in table(text, "table-sentence-sets-pairs")] == ["4"] * 3 + ["2"] * 6


def test_a_number_that_is_missing_says_why():
    rows = rows_of()
    lost = rows["model"] == "real"
    values = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "equivalence_bound"]
    rows.loc[lost, [*values, "least_shown", "n_needed"]] = np.nan
    rows.loc[lost, "note"] = "no set has a score"
    of_page = page(rows=rows)
    assert table(of_page.html, "table-sentence-sets-pronouns")[2][3:] == ["– no set has a score", *["–"] * 5]
    assert "no value" in of_page.overview


def test_names_are_escaped():
    assert ODD not in page({"pronouns": toy.ENTRY | {"sides": ["he", ODD]}}).html


@pytest.mark.parametrize(
    ("corrections", "more", "correction"),
    [
        (["holm"], "", "holm"),
        (["fdr_bh", "fdr_bh"], "", "fdr_bh"),
        (["holm", "fdr_bh"], "; in s1 Benjamini and Hochberg, else", "holm"),
    ],
)
def test_how_tests_are_adjusted_is_said_for_all_sets(corrections, more, correction):
    tested = part.tested({f"s{i}": toy.ENTRY | {"correction": name} for i, name in enumerate(corrections)})
    assert (tested.family, tested.correction) == (f"the groups of a model and set of sentences{more}", correction)


@pytest.mark.slow
def test_an_adjusted_p_of_too_few_units_is_not_shown_as_evidence():
    """Of six units no p is below 2/64; of two groups Holm's is twice that."""
    rows = rows_of()
    chosen = rows[(rows["stimuli"] == "pronouns") & (rows["group"] != "all")]
    assert set(chosen["n"]) == {6}
    shown = [cells for cells in table(page().html, "table-sentence-sets-pronouns") if cells[0] != "all"]
    assert [cells[5] for cells in shown] == ["cannot fall below 0.062 here"] * len(chosen)
    assert [cells[4] for cells in shown] == [f"{p:.2g}" for p in chosen["p_value"]]
