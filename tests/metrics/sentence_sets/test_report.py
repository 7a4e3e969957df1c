"""The part of the page on sentences of one's own: its numbers are those of the tidy table."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.parts import assert_part
from tests.metrics.sentence_sets import test_each, toy
from tests.metrics.sentence_sets.test_numbers import MODELS, measured
from tests.reports import pictures_of, table

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


def written(folder, entries=toy.ENTRIES, rows=None, faults=(), of_each=None, correlations=(), coreference=()):
    """folder: for the pictures."""
    rows = rows_of(entries) if rows is None else rows
    tables = {"sentence_sets_forest": forest.table(rows)}
    if of_each is not None:
        tables["sentence_sets_each"] = forest.table_of_each(of_each)
    table = pd.DataFrame(faults, columns=["stimuli", *FAULTS.fields.names])
    correlations = pd.DataFrame(correlations, columns=each.CORRELATIONS)
    coreference = pd.DataFrame(coreference, columns=published.COLUMNS)
    return part.part(rows, correlations, coreference, table, entries, MODELS, pictures_of(tables, folder))


@pytest.fixture
def page(tmp_path):
    return lambda *args, **more: assert_part(written(tmp_path, *args, **more), "sentence_sets")


def test_every_number_is_in_its_table(page):
    of_page = page()
    rows = rows_of()
    shown = table(of_page.html, "table-sentence-sets-pronouns")
    chosen = rows[rows["stimuli"] == "pronouns"]
    assert [cells[:3] for cells in shown[:2]] == [
        ["all", "none (unbiased reference)", "12"],
        ["all", "strong (planted, strength 2)", "12"],
    ]
    values = [float(cells[3].split()[0].replace("−", "-")) for cells in shown]
    assert values == pytest.approx(chosen["estimate"].tolist(), rel=0.01)
    assert len(table(of_page.html, "table-sentence-sets-slots")) == 27
    assert len(measured()) == 3


def test_what_is_wrong_with_the_files_is_said_below_the_numbers(page):
    faults = [
        ("shares", "a", 1, "two differ", True),
        ("shares", "a", 7, "two differ", True),
        ("shares", "b", 2, "x", False),
    ]
    assert "two differ, 2 lines (left out); x, 1 line." in " ".join(page(faults=faults).html.split())
    assert "Faults in its files" not in page().html


def test_whether_a_measured_model_does_the_task_is_said_and_decides_on_its_verdict(page):
    entries = {"answers": toy.BBQ}
    of_page = page(entries)  # each side likeliest in about a third of all sets
    said = " ".join(of_page.html.split())
    assert "<strong>real</strong>: no" in said
    assert "planted" not in said[said.index("at all?") : said.index("<table")].partition("</p>")[0]
    (given,) = of_page.answers
    unable = {row["model"]: row["unable"] for row in given.rows}
    assert "disambiguated" in unable["real"]
    assert "at all?" not in page().html


def test_accuracies_have_a_line_each_and_say_what_is_expected_by_chance(page):
    entries = {"questions": toy.ACCURACY}
    of_page = page(entries)
    shown = table(of_page.html, "table-sentence-sets-questions")
    assert [cells[0] for cells in shown[::9]] == ["pro, all", "anti, all", "mean, all", "difference, all"]
    assert "50 per cent (0 for the difference)" in of_page.html
    panels = forest.panels(forest.table(rows_of(entries)))
    assert [shape["x0"] for shape in panels[0]["layout"]["shapes"] if "name" not in shape] == [50, 0]


def test_crossed_units_are_named_and_have_their_own_test(page):
    observed = toy.observations(n=16).assign(
        unit=lambda rows: rows["set"].str[1:].astype(int).mod(4).astype(str),
        crossed_with=lambda rows: (rows["set"].str[1:].astype(int) // 4).astype(str),
    )
    entry = toy.ENTRY | {"unit": "cook", "crossed_with": "guard"}
    tables = [numbers.measure(model["name"], "pairs", observed, entry, 1) for model in MODELS]
    of_page = page({"pairs": entry}, numbers.with_contrasts(pd.concat(tables), {"pairs": entry}, MODELS))
    assert "units (cook × guard)" in " ".join(of_page.html.split())
    assert "two-sided, from t, with errors clustered by units of both kinds" in " ".join(of_page.html.split())
    assert [cells[2] for cells in table(of_page.html, "table-sentence-sets-pairs")] == ["4"] * 3 + ["2"] * 6


def test_a_number_that_is_missing_says_why(page):
    rows = rows_of()
    lost = rows["model"] == "real"
    numbers_of = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "equivalence_bound"]
    rows.loc[lost, [*numbers_of, "least_shown", "n_needed"]] = np.nan
    rows.loc[lost, "note"] = "no set has a score"
    of_page = page(rows=rows)
    assert table(of_page.html, "table-sentence-sets-pronouns")[2][3:] == ["– no set has a score", *["–"] * 5]
    assert "no value" in of_page.overview


def test_the_overview_has_a_sentence_a_model_with_the_null_value(page):
    overview = page().overview
    assert overview.count("<li>") == 3 * (1 + 1 + 3)
    assert "without a preference 0." in overview
    assert "without a preference 50 per cent." in overview


def test_no_sentence_takes_a_large_p_for_no_preference(page):
    of_page = page()
    assert "does not say that there is no preference" in of_page.html
    assert "no proof that there is no preference" in of_page.limits.replace("\n", " ")


def test_names_are_escaped(page):
    entries = {"pronouns": toy.ENTRY | {"sides": ["he", ODD]}}
    assert ODD not in page(entries).html


@pytest.mark.parametrize(
    ("corrections", "family", "correction"),
    [
        (["holm"], "the groups of a model and set of sentences", "holm"),
        (["fdr_bh", "fdr_bh"], "the groups of a model and set of sentences", "fdr_bh"),
        (
            ["holm", "fdr_bh"],
            "the groups of a model and set of sentences; in s1 Benjamini and Hochberg, else",
            "holm",
        ),
    ],
)
def test_how_tests_are_adjusted_is_said_for_all_sets(corrections, family, correction):
    tested = part.tested({f"s{i}": toy.ENTRY | {"correction": name} for i, name in enumerate(corrections)})
    assert (tested.family, tested.correction) == (family, correction)


def test_an_adjusted_p_of_too_few_units_is_not_shown_as_evidence(page):
    """Of six units no p is below 2/64; of two groups Holm's is twice that."""
    rows = rows_of()
    chosen = rows[(rows["stimuli"] == "pronouns") & (rows["group"] != "all")]
    assert set(chosen["n"]) == {6}
    shown = [cells for cells in table(page().html, "table-sentence-sets-pronouns") if cells[0] != "all"]
    assert [cells[5] for cells in shown] == ["cannot fall below 0.062 here"] * len(chosen)
    assert [cells[4] for cells in shown] == [f"{p:.2g}" for p in chosen["p_value"]]


def test_each_value_is_in_its_figure_and_its_correlation_in_a_table(page):
    entries, of_each = test_each.ENTRIES, test_each.rows()
    tidy = test_each.measured()
    correlations = each.correlations(tidy, entries, [model["name"] for model in MODELS])
    rows = numbers.with_contrasts(tidy, entries, MODELS)
    of_page = page(entries, rows, of_each=of_each, correlations=correlations.to_dict("records"))
    assert "Each value separately" in of_page.html
    (shown,) = (row for row in table(of_page.html, "table-sentence-sets-correlations") if row[1].startswith("strong"))
    assert shown[0] == "pronouns by cook"
    assert shown[2] == "6"
    frame = correlations.set_index("model").loc["strong"]
    assert float(shown[3].split()[0]) == pytest.approx(frame["correlation"], abs=0.01)
    assert "Each value separately" not in page().html


def test_coreference_systems_stand_beside_ours_as_another_task(page):
    ours = ["dev", "type 1", published.OURS, "questions", "strong", 80.0, 60.0, 70.0, 20.0, 12, None]
    theirs = ["dev", "type 1", published.THEIRS, None, "E2E", 76.0, 49.4, 62.7, 26.6, None, "a doubt"]
    of_page = page(coreference=[ours, theirs])
    shown = table(of_page.html, "table-sentence-sets-coreference")
    assert shown[0] == ["type 1, dev", published.OURS, "strong", "80.0", "60.0", "70.0", "20.0"]
    assert shown[1] == ["type 1, dev", published.THEIRS, "E2E a doubt", "76.0", "49.4", "62.7", "26.6"]
    assert "must not be compared number by number" in of_page.html
    assert "as published" not in page().html


@pytest.mark.parametrize(
    ("entry", "absent", "rows"),
    [
        (toy.STEREOSET, "50 per cent (for ss)", ["ss, all", "lms, all", "icat, all"]),
        (
            toy.BBQ,
            "0 (for difference and bias)",
            [f"{side}, all" for side in ("unknown", "difference", "accuracy", "bias", "scaled")],
        ),
    ],
)
def test_benchmarks_have_a_line_each_and_are_tested_where_there_is_a_null_value(page, entry, absent, rows):
    entries = {"benchmark": entry}
    of_page = page(entries)
    shown = table(of_page.html, "table-sentence-sets-benchmark")
    assert [cells[0] for cells in shown[::9]] == rows
    assert absent in of_page.html
    is_tested = {cells[0].split(",")[0]: cells[4] != "–" for cells in shown}
    assert is_tested == {row.split(",")[0]: row.startswith(("ss", "difference")) for row in rows}
    assert forest.panels(forest.table(rows_of(entries)))
