"""The part of the page on mixed effects: its numbers are those of the fits, its claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table, without_tooltips, words

from herbarium.metrics.mixed_effects.figures import bins, levels, shared
from herbarium.metrics.mixed_effects.report import part
from herbarium.page import build
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels

SETTINGS = MixedModels(tests={"equivalence_ratio": 1.25}).model_dump(mode="json")

MODELS = [model_record("strong", 2.0), model_record("none", 0.0), model_record("<b>real</b>", None)]
SCORES = {"strong": 1.25, "none": 0.02, "<b>real</b>": -0.5}
R2 = {"strong": 0.5, "none": 0.02, "<b>real</b>": 0.005}


def fit(model, dimension, contrast="male-female", data="traits", **more):
    """A fit of the paper's model, significant; that over crossed words has an interval eight times as wide, and is as
    good as 0 where it is small.
    """
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": "intercepts"}
    row |= {"dimension": dimension, "contrast": contrast} | more
    estimate = row.setdefault("estimate", SCORES[model])
    is_paper = row["structure"] != "crossed"
    half = 0.01 * (1 if is_paper else 8)
    p = 1e-9 if is_paper or abs(estimate) > half else 0.5
    numbers = {"std_error": half / 2, "df": 1234.5, "ci_low": estimate - half, "ci_high": estimate + half}
    numbers |= {"p_value": p, "p_adjusted": min(4 * p, 1)}
    numbers |= {"n": 1000, "n_refused": 0, "converged": True, "singular": False}
    if is_paper:
        r2 = R2[model]
        numbers |= {"r2": r2, "r2_low": r2 / 2, "r2_high": 2 * r2, "r2_raw": r2 / 5, "r2_raw_low": r2 / 10}
        numbers |= {"r2_raw_high": r2 / 4, "sd_template": 0.25, "sd_target": 0.125, "sd_residual": 1.0}
        numbers |= {"icc_template": 0.125, "icc_target": 0.02}
    else:
        p = 1e-9 if abs(estimate) < 0.1 else 0.9
        numbers |= {"p_equivalence": p, "p_equivalence_adjusted": min(4 * p, 1), "mde": 3 * half}
        numbers |= {"equivalence_low": estimate - 0.05, "equivalence_high": estimate + 0.05}
        numbers |= {"equivalence_bound": abs(estimate) + 0.05}
    return numbers | row


def crossed(model, dimension, contrast="male-female", data="traits", **more):
    return fit(model, dimension, contrast, data, structure="crossed", **more)


def fits(*more):
    """Two dimensions of traits with both planted models; nouns with the real one alone."""
    rows = [
        side(model, dimension, contrast)
        for model in ("strong", "none")
        for dimension in ("order", "empathy")
        for contrast in ("male-female", "male-neo")
        for side in (crossed, fit)
    ]
    return table_of([*rows, *(side("<b>real</b>", "all", data="nouns") for side in (crossed, fit)), *more])


def table_of(rows):
    return pd.DataFrame(rows).reindex(columns=ADJUSTED.fields.names).astype({"note": object})


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    tables = {f"mixed_effects_{name}": pd.DataFrame(columns=module.COLUMNS) for name, module in part.FIGURES.items()}
    return pictures_of(tables, tmp_path_factory.mktemp("pictures"))


def written(pictures, fit_table=None, models=MODELS):
    """The part as it is read where the page is put together."""
    page_part = part.part(fits() if fit_table is None else fit_table, ["traits", "nouns"], models, pictures, SETTINGS)
    return assert_part(page_part, "mixed_effects")


def page(pictures, fit_table=None, models=MODELS):
    return build.build([written(pictures, fit_table, models)], models, {"seed": 1}, {"libraries": {"numpy": "2.9"}})


# --- findings ---


def test_findings_say_what_differs_with_its_interval(pictures):
    text = words(page(pictures))
    assert "traits: male against female words" in text
    assert (
        "strong (planted, strength 2): 2 of 2 dimensions differ from 0 after adjustment: order 1.25 "
        "(1.17 to 1.33), empathy 1.25 "
        "(1.17 to 1.33)." in text
    )
    assert "<b>real</b>: 1 of 1 dimensions differ from 0 after adjustment: all −0.500 (−0.580 to −0.420)." in text


def test_what_is_not_told_apart_from_0_is_not_called_none(pictures):
    text = words(page(pictures))
    # of two dimensions, at a level of 97.5 %: the interval of one alone is −0.0600 to 0.1000
    assert "order 0.0200 (−0.0698 to 0.1098)" in text
    assert "Within ±0.223 (equivalence test): all 2." in text
    fit_table = fits()
    fit_table.loc[(fit_table["model"] == "none") & (fit_table["dimension"] == "order"), "p_equivalence_adjusted"] = 0.2
    text = words(page(pictures, fit_table))
    assert "Within ±0.223 (equivalence test): 1 of 2 (empathy). Neither distinguishable from 0 nor shown" in text
    assert "to lie within ±0.223: 1 of 2 (order)." in text


def test_a_dimension_without_a_test_is_said_to_have_none():
    rows = [crossed("none", "order", p_value=np.nan, p_adjusted=np.nan, p_equivalence_adjusted=np.nan)]
    result = part.finding(table_of(rows), "a", 0.95)
    assert (result["untested"], result["open"], result["differs"]) == (["order"], [], [])


def test_the_paper_is_secondary_with_its_error_rate_beside_it(pictures):
    """As `make validity` found it."""
    rates = pd.read_csv("resources/mixed_effects/validity.csv", comment="#").set_index(["variant", "design"])["share"]
    for key, variant, contrast in (
        ("male_female", "bias, intercepts", "male - female"),
        ("male_neo", "bias, intercepts", "male - neo"),
        ("primary", "bias, crossed", None),
    ):
        contrasts = [contrast] if contrast else ["male - female", "male - neo"]
        designs = [f"{key}, {name}, true 0" for key in ("demo", "traits") for name in contrasts]
        frame = rates.loc[variant].groupby(level="design").min()[designs]  # of type I error and coverage the former
        assert part.REJECTS[key] == f"{100 * frame.min():.0f} to {100 * frame.max():.0f} %"
    assert f"its test rejects in {part.REJECTS['male_female']} of simulated studies" in words(page(pictures))


# --- calibration ---


def test_calibration_follows_the_planted_strengths(pictures):
    text = words(page(pictures))
    assert (
        "Calibration, traits. Of 2 dimensions, the size of the bias score rises with the planted strength in all 2; "
        "of these, the 95 % intervals of neighbours are disjoint in all 2." in text
    )
    assert "Calibration, nouns" not in text
    fit_table = fits()
    falls = (
        (fit_table["model"] == "strong") & (fit_table["dimension"] == "order") & (fit_table["structure"] == "crossed")
    )
    fit_table.loc[falls, ["estimate", "ci_low", "ci_high"]] = [0.0, -0.1, 0.1]
    assert "in 1 of 2 (empathy); of these" in words(page(pictures, fit_table))
    fit_table.loc[fit_table["structure"] == "crossed", ["estimate", "ci_low", "ci_high"]] = np.nan
    text = words(page(pictures, fit_table))
    assert "rises with the planted strength in none. A value or an interval is missing in order, empathy" in text


def test_a_negative_score_is_as_large_as_a_positive_one():
    rows = pd.DataFrame(
        [(-2.0, -3.0, -1.0), (0.5, -1.0, 2.0), (1.0, 0.5, 1.5)], columns=["estimate", "ci_low", "ci_high"]
    )
    assert shared.magnitudes(rows).to_numpy().tolist() == [[2, 1, 3], [0.5, 0, 2], [1, 0.5, 1.5]]


def test_what_is_said_of_a_model_without_bias(pictures):
    text = words(page(pictures))
    assert "none (unbiased reference), traits, was trained without bias." in text
    assert "The paper’s decision calls it biased in all 2 of the dimensions: its standard error treats" in text


# --- tables ---


def test_scores_have_all_their_numbers(pictures):
    text = page(pictures)
    rows = table(text, "table-mixed-traits-male-female")
    assert [row[:2] for row in rows] == [
        *(["order", "none (unbiased reference)"], ["order", "strong (planted, strength 2)"]),
        *(["empathy", "none (unbiased reference)"], ["empathy", "strong (planted, strength 2)"]),
    ]
    assert rows[1][2:] == [
        *("1,000", "1.25 1.17 to 1.33", "0.04 df 1234", "< 0.001 adjusted < 0.001", "1.2 to 1.3"),
        *("0.9 adjusted 1", "1.3", "0.24", ""),
    ]
    rows = table(text, "table-mixed-paper-traits-male-female")
    assert rows[1][2:] == [
        *("1,000", "1.25 1.24 to 1.26", "0.005 df 1234", "< 0.001 adjusted < 0.001", "0.500 0.250 to 1.000"),
        *("large * biased", "0.100 0.050 to 0.125", ""),
    ]
    assert table(text, "table-mixed-paper-nouns-male-female")[0][7] == "very small not called biased"
    assert "R² depends on the scale of the weights" in words(text)


def _first(fit_table):
    """The first fit of the paper's model."""
    return fit_table.index[fit_table["structure"] == "intercepts"][0]


def test_variance_components(pictures):
    fit_table = fits()
    fit_table.loc[_first(fit_table), ["sd_target", "singular"]] = [3e-11, True]
    rows = table(page(pictures, fit_table), "table-mixed-components-traits")
    assert rows[1] == ["order", "strong (planted, strength 2)", "0.25", "0", "1", "12.5%", "2.0%", "singular"]
    assert rows[0][-1] == ""


def test_further_fits_and_the_range_without_a_template(pictures):
    main = [side("strong", dimension) for dimension in ("order", "empathy") for side in (crossed, fit)]
    slopes = {"estimate": 1.3, "p_equivalence": 0.9, "mde": 0.03, "structure": "slopes"}
    more = [fit("strong", "order", structure="pairs", estimate=1.5), fit("strong", "order", **slopes)]
    more += [fit("strong", "order", subset=f"without t{i}", estimate=1.0 + i / 4) for i in (1, 2)]
    more[0]["singular"] = True
    text = page(pictures, table_of([*main, *more]))
    order, empathy = table(text, "table-mixed-further-traits")
    assert order[2:] == [
        *("1.25 1.17 to 1.33", "1.25 1.24 to 1.26", "1.50 1.49 to 1.51 singular", "1.30 1.29 to 1.31"),
        *("0.005", "1234", "< 0.001", "0.9", "0.03", "1.25 to 1.5"),
    ]
    assert empathy[2:] == ["1.25 1.17 to 1.33", "1.25 1.24 to 1.26", *"–" * 8]


def test_other_sentences_and_the_released_association(pictures):
    more = [fit("strong", "order", subset="with_negative", estimate=0.5), fit("strong", "order", definition="released")]
    more += [fit("strong", "order", subset="shared", definition="released")]
    text = page(pictures, fits(*more))
    rows = table(text, "table-mixed-subsets-traits")
    assert rows[1] == ["order", "strong (planted, strength 2)", "1.25 1.24 to 1.26 *", "0.500 0.490 to 0.510 *"]
    assert rows[0][3] == "–"
    assert "with negative targets, reversed" in text
    assert table(text, "table-mixed-released-traits")[1][2:] == ["1.25 1.24 to 1.26"] * 2 + ["0.500 0.250 to 1.000"] * 2


# --- fits that failed ---


def test_singular_and_failed_fits_are_counted_and_named(pictures):
    fit_table = fits()
    fit_table.loc[_first(fit_table), ["singular", "note"]] = [True, "boundary (singular) fit"]
    numbers = ["estimate", "ci_low", "ci_high", "std_error", "df", "p_value", "p_adjusted", "p_equivalence", "mde"]
    failed = (
        (fit_table["model"] == "strong") & (fit_table["dimension"] == "order") & (fit_table["contrast"] == "male-neo")
    )
    fit_table.loc[failed, [*numbers, "r2", "r2_low", "r2_high"]] = np.nan
    fit_table.loc[failed, ["converged", "note"]] = [False, "<failed>"]
    text = page(pictures, fit_table)
    shown_text = words(text)
    assert "There are 9 fits: 1 singular, 1 that did not converge, 1 without a p-value." in shown_text
    assert (
        "strong (planted, strength 2), order (traits, paper, all, intercepts, male-neo): did not "
        "converge, no p-value; <failed>." in shown_text
    )
    assert "1 fit: boundary (singular) fit." in shown_text
    assert table(text, "table-mixed-fits")[:1] == [["traits", "as in the paper", "8", "1", "1", "1"]]
    row = table(text, "table-mixed-paper-traits-male-neo")[1]
    assert row[2:] == ["1,000", "–", "–", "–", "–", "–", "0.100 0.050 to 0.125", "did not converge"]
    assert (
        "1 of 2 dimensions differ from 0 after adjustment: empathy 1.25 (1.17 to 1.33). No value: order." in shown_text
    )


def test_a_study_without_any_value_is_a_whole_page(pictures):
    fit_table = fits()
    floats = fit_table.select_dtypes("float").columns
    fit_table[floats] = np.nan
    fit_table["converged"] = False
    text = words(page(pictures, fit_table))
    assert "No value: order, empathy." in text
    assert "9 that did not converge, 9 without a p-value." in text


# --- small studies ---


def test_one_model_without_neo_pronouns_and_further_fits_is_a_whole_page(pictures):
    text = page(pictures, fits().query("data == 'nouns'"), models=MODELS[2:])
    assert re.findall(r'id="(table-mixed-[^"]*)"', text) == [
        *("table-mixed-nouns-male-female", "table-mixed-paper-nouns-male-female", "table-mixed-fits"),
        *("table-mixed-further-nouns", "table-mixed-components-nouns"),
    ]
    assert "Calibration" not in text
    assert "neo words" not in text
    assert "&lt;b&gt;real&lt;/b&gt;" in text
    assert "<b>real</b>" not in text


def test_figures_have_their_words_and_numbers(pictures):
    text = without_tooltips(page(pictures))
    assert text.count("<figure>") == 0  # nothing is drawn in these
    assert re.findall(r"<p>(No .*?)</p>", text) == [
        shared.EMPTY,
        shared.EMPTY,
        levels.EMPTY,
        bins.EMPTY,
    ]


def test_what_the_page_takes_from_the_part(pictures):
    page_part = written(pictures)
    (tested,) = page_part.tested
    assert (tested.metric, tested.section, tested.correction) == ("mixed_effects", "mixed", "holm")
    assert set(page_part.topics) >= {"order", "empathy"}
    assert 'data-topic="order"><th scope="row">order<' in page_part.html.replace("\n", "")
    assert page_part.papers == [("mixed_effects", "Mixed effects (Shrestha et al., 2025)", "mixed")]
    overview = words(f"<main>{page_part.overview}</main>")
    assert (
        "strong (planted, strength 2), traits, male against female words: of 2 dimensions, 2 differ from "
        "0 after adjustment, 0 "
        "lie within ±0.223 by the equivalence test, and for 0 neither is shown. " in overview
    )
    assert "order, 1.25 (1.16 to 1.34)" in overview
    assert "Secondary: the paper’s decision calls 2 biased." in overview
    assert "treats sentences of one word as independent" in page_part.limits
    assert "with a power of 80 % at p < 0.05, before any adjustment" in words(f"<main>{page_part.uncertainty}</main>")
    assert table(page_part.uncertainty, "table-uncertainty-mde-mixed") == [
        *(["strong", "4", "0.24", "0.24", "0.24"], ["none", "4", "0.24", "0.24", "0.24"]),
        ["<b>real</b>", "1", "0.24", "0.24", "0.24"],
    ]


def test_overview_says_so_where_no_dimension_has_a_value(pictures):
    fit_table = fits().assign(estimate=np.nan)
    assert "female words: no dimension has a value." in words(f"<main>{written(pictures, fit_table).overview}</main>")


def test_no_text_becomes_markup(pictures, hostile):
    hostile(page(pictures))


def test_effects_sort_by_their_size(pictures):
    """Their names would stand in the order of the alphabet: large, small, very large."""
    body = re.search(r'id="table-mixed-paper-traits-male-female".*?</tbody>', page(pictures), re.DOTALL)[0]
    matches = re.findall(r'data-sort="([^"]*)"><data[^>]*>(\w+)', body)
    assert {(float(size), name) for size, name in matches} == {(R2["strong"], "large"), (R2["none"], "small")}
