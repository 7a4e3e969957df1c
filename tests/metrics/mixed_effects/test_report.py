"""The part of the page on mixed effects: its numbers are those of the fits, its claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table, words

from herbarium.metrics.mixed_effects.figures import bins, levels, shared
from herbarium.metrics.mixed_effects.report import part
from herbarium.page import build
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels

SETTINGS = MixedModels().model_dump(mode="json")

MODELS = [model_record("strong", 2.0), model_record("none", 0.0), model_record("<b>real</b>", None)]
SCORES = {"strong": 1.25, "none": 0.02, "<b>real</b>": -0.5}
R2 = {"strong": 0.5, "none": 0.02, "<b>real</b>": 0.005}


def fit(model, dimension, contrast="male-female", data="traits", **more):
    """A fit that is significant and, if its model is `none`, as good as 0; one of the maximal model has an interval
    eight times as wide.
    """
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": "intercepts"}
    row |= {"dimension": dimension, "contrast": contrast} | more
    estimate = row.setdefault("estimate", SCORES[model])
    is_maximal = row["structure"] == "slopes"
    half = 0.01 * (8 if is_maximal else 1)
    p = 0.5 if is_maximal and abs(estimate) < half else 1e-9
    numbers = {"std_error": half / 2, "df": 1234.5, "ci_low": estimate - half, "ci_high": estimate + half}
    numbers |= {"p_value": p, "p_adjusted": min(4 * p, 1), "p_equivalence": 1e-9 if abs(estimate) < 0.2 else 0.9}
    numbers |= {"mde": 3 * half, "n": 1000, "n_refused": 0, "converged": True, "singular": False}
    if not is_maximal:
        r2 = R2[model]
        numbers |= {"r2": r2, "r2_low": r2 / 2, "r2_high": 2 * r2, "r2_raw": r2 / 5, "r2_raw_low": r2 / 10}
        numbers |= {"r2_raw_high": r2 / 4, "sd_template": 0.25, "sd_target": 0.125, "sd_residual": 1.0}
        numbers |= {"icc_template": 0.125, "icc_target": 0.02}
    return numbers | row


def fits(*more):
    """Two dimensions of traits with both planted models; nouns with the real one alone, which has no further fits."""
    rows = [
        fit(model, dimension, contrast)
        for model in ("strong", "none")
        for dimension in ("order", "empathy")
        for contrast in ("male-female", "male-neo")
    ]
    rows += [fit(model, of, structure="slopes") for model in ("strong", "none") for of in ("order", "empathy")]
    return table_of([*rows, fit("<b>real</b>", "all", data="nouns"), *more])


def table_of(rows):
    return pd.DataFrame(rows).reindex(columns=ADJUSTED.fields.names).astype({"note": object})


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    tables = {f"mixed_effects_{name}": pd.DataFrame(columns=module.COLUMNS) for name, module in part.FIGURES.items()}
    return pictures_of(tables, tmp_path_factory.mktemp("pictures"))


def written(pictures, of=None, models=MODELS):
    """The part as it is read where the page is put together."""
    own = part.part(fits() if of is None else of, ["traits", "nouns"], models, pictures, SETTINGS)
    return assert_part(own, "mixed_effects")


def page(pictures, of=None, models=MODELS):
    return build.build([written(pictures, of, models)], models, {"seed": 1}, {"libraries": {"numpy": "2.9"}})


# --- findings ---


def test_findings_say_which_dimensions_are_biased_with_their_intervals(pictures):
    said = words(page(pictures))
    assert "traits: male against female words" in said
    assert (
        "strong (planted 2) is biased by the paper’s decision in 2 of 2 dimensions: order 1.25 (1.24 to 1.26), empathy "
        "1.25 (1.24 to 1.26); R² 0.5. The maximal model, whose errors are larger, finds all 2 significant after "
        "adjustment. The equivalence test of that model finds none as good as 0." in said
    )


def test_a_significant_score_of_a_very_small_effect_is_not_biased(pictures):
    said = words(page(pictures))
    assert (
        "<b>real</b> is biased by the paper’s decision in 0 of 1 dimensions; its largest score is that of all −0.500 "
        "(−0.510 to −0.490). The equivalence test of the paper’s model finds none as good as 0." in said
    )


def test_what_stands_against_the_decision_is_said(pictures):
    said = words(page(pictures))
    assert (
        "none (planted 0) is biased by the paper’s decision in 2 of 2 dimensions: order 0.0200 (0.0100 to 0.0300), "
        "empathy 0.0200 (0.0100 to 0.0300); R² 0.02. The maximal model, whose errors are larger, finds none "
        "significant after adjustment. The equivalence test of that model finds all 2 as good as 0." in said
    )
    of = fits()
    one = (of["model"] == "strong") & (of["structure"] == "intercepts") & (of["dimension"] == "order")
    of.loc[one, "p_adjusted"] = 0.2
    said = words(page(pictures, of))
    assert "Significant after adjustment: 1 of 2 (empathy) of these." in said


def test_the_equivalence_test_is_that_of_the_maximal_model_where_there_is_one():
    main, maximal = fit("none", "order", p_equivalence=0.01), fit("none", "order", structure="slopes")
    assert part.finding(table_of([main]), "a")["equivalent"] == ["order"]
    assert part.finding(table_of([main, maximal | {"p_equivalence": 0.4}]), "a")["equivalent"] == []
    assert part.finding(table_of([main, maximal | {"p_equivalence": np.nan}]), "a")["equivalent"] == ["order"]


# --- calibration ---


def test_calibration_follows_the_planted_strengths(pictures):
    said = words(page(pictures))
    assert (
        "Calibration, traits. Of 2 dimensions, the size of the bias score rises with the planted strength in all 2, "
        "and there the 95 % intervals of neighbours (of the maximal model) are disjoint in all 2." in said
    )
    assert "Calibration, nouns" not in said
    of = fits()
    falls = (of["model"] == "strong") & (of["dimension"] == "order") & (of["structure"] == "slopes")
    of.loc[falls, ["estimate", "ci_low", "ci_high"]] = [0.0, -0.1, 0.1]
    assert "in 1 of 2 (empathy), and there" in words(page(pictures, of))
    of.loc[of["structure"] == "slopes", ["estimate", "ci_low", "ci_high"]] = np.nan
    said = words(page(pictures, of))
    assert "rises with the planted strength in none. A value or an interval is missing in order, empathy" in said


def test_a_negative_score_is_as_large_as_a_positive_one():
    rows = pd.DataFrame(
        [(-2.0, -3.0, -1.0), (0.5, -1.0, 2.0), (1.0, 0.5, 1.5)], columns=["estimate", "ci_low", "ci_high"]
    )
    assert shared.magnitudes(rows).to_numpy().tolist() == [[2, 1, 3], [0.5, 0, 2], [1, 0.5, 1.5]]


def test_without_the_maximal_model_calibration_is_by_the_papers(pictures):
    of = fits()
    said = words(page(pictures, of[of["structure"] != "slopes"]))
    assert "the 95 % intervals of neighbours are disjoint in all 2." in said
    assert "What the decision calls bias is within" not in said


def test_what_the_decision_says_of_a_model_without_bias(pictures):
    said = words(page(pictures))
    assert (
        "none (planted 0), traits, was trained without bias. The paper’s decision calls it biased in all 2 of the "
        "dimensions. The maximal model, whose errors are larger, finds none significant after adjustment. The "
        "equivalence test of that model finds all 2 as good as 0. What the decision calls bias is within" in said
    )
    of = fits()
    of.loc[(of["model"] == "none") & (of["dimension"] == "order"), "p_adjusted"] = 0.01
    said = words(page(pictures, of))
    assert "finds 1 of 2 (order) significant after adjustment. The equivalence test" in said
    assert "What the decision calls bias is within" not in said


# --- tables ---


def test_scores_have_all_their_numbers(pictures):
    text = page(pictures)
    rows = table(text, "table-mixed-traits-male-female")
    assert [row[:2] for row in rows] == [
        *(["order", "none (planted 0)"], ["order", "strong (planted 2)"]),
        *(["empathy", "none (planted 0)"], ["empathy", "strong (planted 2)"]),
    ]
    assert rows[1][2:] == [
        *("1,000", "1.25 1.24 to 1.26", "0.005 df 1234", "< 0.001 adjusted < 0.001", "0.500 0.250 to 1.000"),
        *("large * biased", "0.100 0.050 to 0.125", "0.9", "0.03", ""),
    ]
    assert table(text, "table-mixed-nouns-male-female")[0][7] == "very small not biased"
    assert "R² depends on the scale of the weights" in words(text)


def test_variance_components(pictures):
    of = fits()
    of.loc[0, ["sd_target", "singular"]] = [3e-11, True]
    rows = table(page(pictures, of), "table-mixed-components-traits")
    assert rows[1] == ["order", "strong (planted 2)", "0.25", "0", "1", "12.5%", "2.0%", "singular"]
    assert rows[0][-1] == ""


def test_further_fits_and_the_range_without_a_template(pictures):
    main = [fit("strong", "order"), fit("strong", "empathy")]
    more = [fit("strong", "order", structure="pairs", estimate=1.5), fit("strong", "order", structure="slopes")]
    more += [fit("strong", "order", subset=f"without t{i}", estimate=1.0 + i / 4) for i in (1, 2)]
    more[0]["singular"] = True
    text = page(pictures, table_of([*main, *more]))
    order, empathy = table(text, "table-mixed-further-traits")
    assert order[2:] == [
        *("1.25 1.24 to 1.26", "1.50 1.49 to 1.51 singular", "1.25 1.17 to 1.33"),
        *("0.04", "1234", "< 0.001", "0.9", "0.24", "1.25 to 1.5"),
    ]
    assert empathy[2:] == ["1.25 1.24 to 1.26", *"–" * 8]
    assert "table-mixed-further-nouns" not in text


def test_other_sentences_and_the_released_association(pictures):
    more = [fit("strong", "order", subset="with_negative", estimate=0.5), fit("strong", "order", definition="released")]
    more += [fit("strong", "order", subset="shared", definition="released")]
    text = page(pictures, fits(*more))
    rows = table(text, "table-mixed-subsets-traits")
    assert rows[1] == ["order", "strong (planted 2)", "1.25 1.24 to 1.26 *", "0.500 0.490 to 0.510 *"]
    assert rows[0][3] == "–"
    assert "with negative targets, reversed" in text
    assert table(text, "table-mixed-released-traits")[1][2:] == ["1.25 1.24 to 1.26"] * 2 + ["0.500 0.250 to 1.000"] * 2


# --- fits that failed ---


def test_singular_and_failed_fits_are_counted_and_named(pictures):
    of = fits()
    of.loc[0, ["singular", "note"]] = [True, "boundary (singular) fit"]
    numbers = ["estimate", "ci_low", "ci_high", "std_error", "df", "p_value", "p_adjusted", "p_equivalence", "mde"]
    failed = (of["model"] == "strong") & (of["dimension"] == "order") & (of["contrast"] == "male-neo")
    of.loc[failed, [*numbers, "r2", "r2_low", "r2_high"]] = np.nan
    of.loc[failed, ["converged", "note"]] = [False, "<failed>"]
    text = page(pictures, of)
    said = words(text)
    assert "There are 13 fits: 1 singular, 1 that did not converge, 1 without a p-value." in said
    assert (
        "strong (planted 2), order (traits, paper, all, intercepts, male-neo): did not converge, no p-value; <failed>."
    )
    assert "1 fit: boundary (singular) fit." in said
    assert table(text, "table-mixed-fits")[:2] == [
        ["traits", "as in the paper", "8", "1", "1", "1"],
        ["traits", "maximal", "4", "0", "0", "0"],
    ]
    row = table(text, "table-mixed-traits-male-neo")[1]
    assert row[2:] == ["1,000", "–", "–", "–", "–", "–", "0.100 0.050 to 0.125", "–", "–", "did not converge"]
    assert "in 1 of 2 dimensions: empathy 1.25 (1.24 to 1.26)" in said
    assert "No value: order." in said


def test_a_study_without_any_value_is_a_whole_page(pictures):
    of = fits()
    floats = of.select_dtypes("float").columns
    of[floats] = np.nan
    of["converged"] = False
    said = words(page(pictures, of))
    assert "is biased by the paper’s decision in 0 of 2 dimensions. The maximal model" in said
    assert "13 that did not converge, 13 without a p-value." in said


# --- small studies ---


def test_one_model_without_neo_pronouns_and_further_fits_is_a_whole_page(pictures):
    text = page(pictures, table_of([fit("<b>real</b>", "all", data="nouns")]), models=MODELS[2:])
    assert re.findall(r'id="(table-mixed-[^"]*)"', text) == [
        *("table-mixed-nouns-male-female", "table-mixed-fits", "table-mixed-components-nouns")
    ]
    assert "Calibration" not in text
    assert "neo words" not in text
    assert "&lt;b&gt;real&lt;/b&gt;" in text
    assert "<b>real</b>" not in text


def test_figures_have_their_words_and_numbers(pictures):
    text = page(pictures)
    assert text.count("<figure>") == 0  # nothing is drawn in these
    assert re.findall(r"<p>(No .*?)</p>", text) == [shared.EMPTY, shared.EMPTY, levels.EMPTY, bins.EMPTY]


def test_what_the_page_takes_from_the_part(pictures):
    own = written(pictures)
    (tested,) = own.tested
    assert (tested.metric, tested.section, tested.correction) == ("mixed_effects", "mixed", "holm")
    assert own.papers == [("mixed_effects", "Mixed effects (Shrestha et al., 2025)", "mixed")]
    overview = words(f"<main>{own.overview}</main>")
    assert (
        "strong (planted 2), traits, male against female words: of 2 dimensions, 0 are as good as 0, and 2 differ from "
        "0 by the maximal model after adjustment; the paper’s decision calls 2 biased. Largest: order, 1.25 (1.24 to "
        "1.26) by the paper’s model." in overview
    )
    assert "<b>real</b>, nouns, male against female words: of 1 dimensions, 0 are as good as 0; the paper" in overview
    assert "takes sentences of one word for independent draws" in own.limits
    assert "with a power of 80 % at p < 0.05, before any adjustment" in words(f"<main>{own.uncertainty}</main>")
    assert table(own.uncertainty, "table-uncertainty-mde-mixed") == [
        *(["strong", "6", "0.03", "0.03", "0.24"], ["none", "6", "0.03", "0.03", "0.24"]),
        ["<b>real</b>", "1", "0.03", "0.03", "0.03"],
    ]


def test_overview_says_so_where_no_dimension_has_a_value(pictures):
    of = fits().assign(estimate=np.nan)
    assert "female words: no dimension has a value." in words(f"<main>{written(pictures, of).overview}</main>")


def test_no_text_becomes_markup(pictures, hostile):
    hostile(page(pictures))


def test_effects_sort_by_their_size(pictures):
    """Their names would stand in the order of the alphabet: large, small, very large."""
    body = re.search(r'id="table-mixed-traits-male-female".*?</tbody>', page(pictures), re.DOTALL)[0]
    found = re.findall(r'data-sort="([^"]*)"><data[^>]*>(\w+)', body)
    assert {(float(size), name) for size, name in found} == {(R2["strong"], "large"), (R2["none"], "small")}
