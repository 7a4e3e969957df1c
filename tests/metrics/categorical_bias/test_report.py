"""The part of the page on Categorical Bias: its numbers are those of the tidy table, its claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.categorical_bias import figure_toys
from tests.metrics.parts import assert_part
from tests.reports import pictures_of

from herbarium.metrics.categorical_bias.figures import heatmap
from herbarium.metrics.categorical_bias.report import part
from herbarium.page import build
from herbarium.statistics.tidy import TIDY

REAL = "<b>real</b>"
SECTION = {
    "ddof": 1,
    "languages": {
        "greek": {"lists": {"ours": "a", "theirs": "b"}, "models": ["strong", "none", REAL]},
        "korean": {"lists": {"ours": "c"}, "models": ["none"]},
    },
    "level": 0.9,
    "tests": {"permutations": 99, "correction": "fdr_bh"},
}
REMARKS = pd.DataFrame(columns=["language", "list", "table", "key", "remark"])
MODELS = [model_record("strong", 2.0), model_record("none", 0.0), model_record(REAL, None)]
MEASURED = [("greek", "strong"), ("greek", "none"), ("greek", REAL), ("korean", "none")]


def row(model, group, variant, estimate, low=None, high=None, **more):
    columns = {"model": model, "metric": "categorical_bias", "definition": "paper", "unit": "list", "group": group}
    columns |= {"variant": variant, "estimate": estimate, "ci_low": low, "ci_high": high, "n": 30}
    return columns | more


def tidy(*more):
    rows = []
    for i, (language, model) in enumerate(MEASURED):
        for name in SECTION["languages"][language]["lists"]:
            place, cb = (model, f"{language}/{name}"), 1.25 / 10**i
            rows += [
                row(*place, "cb", cb, 0.8 * cb, 1.2 * cb),
                row(*place, "cb", 100 * cb, 80 * cb, 120 * cb, definition="released"),
                row(*place, "cb_equal_length", 0.5 * cb, 0.4 * cb, 0.6 * cb),
                row(*place, "length_share", 0.5, 0.1, 0.7),
                row(model, f"{language}/{name}/Cuba", "n_tokens", 1.5, unit="target"),
                *(row(*place, f"part_{part_name}", 0.25 * cb, 0.2 * cb, 0.3 * cb) for part_name in part.PARTS),
                row(*place, "cross_form", cb / 2, 0.4 * cb, cb, p_value=0.01, p_adjusted=0.0321, note="50 attributes"),
                row(*place, "cross_form_bound", 0.9 * cb),
            ]
    return pd.DataFrame([*rows, *more]).reindex(columns=TIDY.fields.names)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    tables = {f"categorical_bias_{name}": pd.DataFrame(columns=module.COLUMNS) for name, module in part.FIGURES.items()}
    return pictures_of(tables, tmp_path_factory.mktemp("pictures"))


def written(pictures, numbers=None, remarks=REMARKS):
    """The part as it is read where the page is put together."""
    return assert_part(
        part.part(tidy() if numbers is None else numbers, MODELS, pictures, remarks, SECTION), "categorical_bias"
    )


def page(pictures, numbers=None, remarks=REMARKS):
    return build.build([written(pictures, numbers, remarks)], MODELS, {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def table(text, name):
    """Rows of a table of the page, each a list of the texts of its cells."""
    body = re.search(rf'id="{name}".*?<tbody>(.*?)</tbody>', text, re.DOTALL)[1]
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    return [[" ".join(re.sub(r"<.*?>", " ", cell).split()) for cell in row] for row in cells]


def test_scores_of_the_leading_list_and_of_every_list(pictures):
    text = page(pictures)
    scores = table(text, "table-cb")
    assert [line[:2] for line in scores] == [
        ["greek", "strong (planted, strength 2)"],
        ["greek", "none (unbiased reference)"],
        ["greek", "&lt;b&gt;real&lt;/b&gt;"],
        ["korean", "none (unbiased reference)"],
    ]
    assert scores[0][2:] == [
        "30",
        "1.50",
        "1.25 1.00 to 1.50",
        "0.625 0.500 to 0.750",
        "0.500 0.100 to 0.700",
        "125 100 to 150",
    ]
    assert [line[0] for line in table(text, "table-cb-lists")] == [
        *["greek, ours", "greek, theirs"] * 3,
        "korean, ours",
    ]


def test_chance_and_parts(pictures):
    text = page(pictures)
    assert table(text, "table-cb-primary")[0] == [
        *("greek", "strong (planted, strength 2)", "0.625 0.500 to 1.250", "0.032", "1.1", "50 attributes")
    ]
    assert table(text, "table-cb-parts")[0][2:] == ["0.312"] * 4
    assert "Benjamini and Hochberg" in text


def test_calibration_says_what_the_numbers_say(pictures):
    numbers = tidy()
    text = page(pictures, numbers)
    assert "Calibration, greek." in text
    assert "Calibration, korean." not in text  # one strength only
    assert "The covariance rises with the planted strength; the intervals of neighbours are disjoint." in text
    strong = (numbers["model"] == "strong") & (numbers["variant"] == "cross_form")
    numbers.loc[strong, "ci_low"] = 0.1
    assert "intervals of neighbours overlap." in page(pictures, numbers)
    numbers.loc[strong, "estimate"] = 0.01
    assert "The order of the planted strengths does not hold." in page(pictures, numbers)
    numbers.loc[strong, "ci_low"] = np.nan
    assert "A value or an interval is missing, so nothing is said about the order." in page(pictures, numbers)


def test_comparisons_stand_where_there_are_some(pictures):
    assert "table-cb-differences" not in page(pictures)
    difference = row("strong − none", "greek/ours", "cross_form", -0.5, -0.9, -0.1, unit="models", p_adjusted=0.04)
    divergence = row("none", "greek − korean", "jsd", 0.25, 0.2, 0.3, unit="languages")
    numbers = tidy(
        difference | {"metric": "categorical_bias_differences"}, divergence | {"metric": "categorical_bias_divergences"}
    )
    text = page(pictures, numbers)
    assert table(text, "table-cb-differences") == [["greek/ours", "strong − none", "−0.500 −0.900 to −0.100", "0.04"]]
    assert table(text, "table-cb-divergences") == [["greek − korean", "none", "0.250 0.200 to 0.300"]]


def test_remarks_and_what_was_left_out(pictures):
    numbers = tidy()
    numbers.loc[0, "note"] = "without Cuba: sentences were refused"
    remarks = pd.DataFrame([("greek", "ours", "targets", "Cuba", "a <sign>")], columns=REMARKS.columns)
    text = page(pictures, numbers, remarks)
    assert "strong, greek/ours: without Cuba: sentences were refused." in text
    assert table(text, "table-cb-remarks") == [["greek", "ours", "targets", "Cuba", "a &lt;sign&gt;"]]


def test_absent_numbers_are_dashes(pictures):
    numbers = tidy()
    absent = numbers["variant"].isin(["cross_form_bound", "cb_equal_length"])
    gone = numbers["variant"] == "cross_form"
    numbers.loc[gone, ["estimate", "p_adjusted"]] = np.nan
    numbers.loc[gone, "note"] = "no covariance of forms"
    text = page(pictures, numbers[~absent])
    assert table(text, "table-cb-primary")[0][2:] == ["–", "–", "–", "no covariance of forms"]
    assert table(text, "table-cb")[0][5] == "–"


def test_a_model_that_refuses_everything_has_a_row_that_says_so(pictures):
    numbers, why = tidy(), "not measured: sentences with all attributes, or with all targets but one, were refused"
    refused = numbers["model"] == "strong"
    gone = numbers[refused & numbers["variant"].isin(["cb", "cross_form"])]
    gone = gone.assign(**dict.fromkeys(["estimate", "ci_low", "ci_high", "p_adjusted"], np.nan), n=0, note=why)
    frame = pd.concat([gone, numbers[~refused]])
    text = page(pictures, frame)
    assert table(text, "table-cb")[0] == ["greek", "strong (planted, strength 2)", "0", *"–––––"]
    assert table(text, "table-cb-primary")[0][2:] == ["–", "–", "–", why]
    assert f"not measured ({why})." in written(pictures, frame).overview


def test_no_text_becomes_markup(pictures, hostile):
    remark = pd.DataFrame([["greek", "own", "targets", "key", "characters in the word"]], columns=REMARKS.columns)
    hostile(page(pictures, remarks=remark))


def test_the_overview_has_a_sentence_a_model_and_language_against_chance(pictures):
    lines = [
        " ".join(re.sub(r"<.*?>", " ", line).split())
        for line in re.findall(r"<li>(.*?)</li>", written(pictures).overview, re.DOTALL)
    ]
    assert len(lines) == len(MEASURED)
    assert lines[0] == (
        "strong (planted, strength 2), greek : 0.625 (0.500 to 1.250): more than chance, adjusted p&nbsp;= 0.032."
    )
    numbers = tidy()
    tested = numbers["variant"] == "cross_form"
    unsure = " ".join(written(pictures, numbers.assign(p_adjusted=0.3)).overview.split())
    assert "not distinguishable from chance, adjusted p&nbsp;= 0.3; it would be" in unsure
    assert "it would be called equivalent to 0 within ±1.1" in unsure
    numbers.loc[tested, ["estimate", "p_adjusted"]] = np.nan
    text = " ".join(written(pictures, numbers).overview.split())
    assert "not measured (50 attributes). CB is 1.25 (1.00 to 1.50), which is above 0 without bias." in text


def test_what_the_page_takes_from_the_part(pictures):
    page_part = written(pictures)
    assert page_part.title.endswith("in 2 languages")
    assert {tested.metric: tested.correction for tested in page_part.tested}["categorical_bias"] == "fdr_bh"
    assert [model["name"] for model in page_part.models] == ["strong", "none", REAL]
    assert page_part.papers == [("categorical_bias", "Categorical Bias (Ahn and Oh, 2021)", "ethnic")]


def test_the_caption_of_the_heat_map_names_rows_as_they_are_drawn(tmp_path):
    drawn = figure_toys.heatmap()
    panel = heatmap.figure(drawn).axes[0]
    assert {tick.get_text() for tick in panel.get_yticklabels()} <= set(drawn["attribute"])
    assert {tick.get_text() for tick in panel.get_xticklabels()} <= set(drawn["target"])
    tables = {f"categorical_bias_{name}": make() for name, make in figure_toys.TABLES.items()}
    text = " ".join(page(pictures_of(tables, tmp_path)).split())
    assert "log P′ of each attribute (row) with each target (column)" in text


def test_a_test_with_too_few_permutations_says_that_it_cannot_find_anything(pictures, monkeypatch):
    monkeypatch.setitem(SECTION, "tests", {"permutations": 9, "correction": "fdr_bh"})
    page_part = written(pictures)
    assert page_part.html.count("cannot fall below 0.1 here") == len(MEASURED)
    assert "0.0321" not in page_part.html.replace('value="0.0321"', "")
    text = " ".join(page_part.overview.split())
    assert "adjusted p cannot fall below 0.1 here: the test has no power." in text
    assert "more than chance" not in text


def test_a_causal_model_beside_masked_ones_is_told_apart(pictures):
    numbers = tidy()
    causal = numbers["model"] == "strong"
    numbers = numbers[~(causal & (numbers["definition"] == "released"))]
    numbers.loc[causal, "definition"] = "whole"
    (answer,) = written(pictures, numbers).answers
    caveats = {row["model"]: row["caveat"] for row in answer.rows}
    assert [model for model, caveat in caveats.items() if caveat] == ["strong"]
    text = page(pictures, numbers)
    assert table(text, "table-cb")[0][-1] == "–"  # no CB as released
    assert "CB, released" not in page(pictures, numbers[numbers["model"] == "strong"])
