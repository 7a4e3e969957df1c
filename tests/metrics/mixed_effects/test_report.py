"""The part of the page on mixed effects: its numbers are those of the fits, its claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table, words

from herbarium.metrics.mixed_effects.figures import shared
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
    good as 0 where it is small."""
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": "intercepts"}
    row |= {"dimension": dimension, "contrast": contrast, "estimate": SCORES[model]} | more
    estimate, is_paper, r2 = row["estimate"], row["structure"] != "crossed", R2[model]
    half = 0.01 * (1 if is_paper else 8)
    p = 1e-9 if is_paper or abs(estimate) > half else 0.5
    numbers = {"std_error": half / 2, "df": 1234.5, "ci_low": estimate - half, "ci_high": estimate + half}
    numbers |= {"p_value": p, "p_adjusted": min(4 * p, 1)}
    numbers |= {"n": 1000, "n_refused": 0, "converged": True, "singular": False}
    if is_paper:
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


def test_what_is_not_told_apart_from_0_is_not_called_none(pictures):
    rows = fits()
    rows.loc[(rows["model"] == "none") & (rows["dimension"] == "order"), "p_equivalence_adjusted"] = 0.2
    text = words(page(pictures, rows))
    # of two dimensions, at a level of 97.5 %: the interval of one alone is −0.0600 to 0.1000
    assert "order 0.0200 (−0.0698 to 0.1098)" in text
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


def test_calibration_follows_the_planted_strengths(pictures):
    rows, numbers = fits(), ["estimate", "ci_low", "ci_high"]
    crossed = rows["structure"] == "crossed"
    rows.loc[(rows["model"] == "strong") & (rows["dimension"] == "order") & crossed, numbers] = [0.0, -0.1, 0.1]
    assert "in 1 of 2 (empathy); of these" in words(page(pictures, rows))
    rows.loc[crossed, numbers] = np.nan
    text = words(page(pictures, rows))
    assert "rises with the planted strength in none. A value or an interval is missing in order, empathy" in text


def test_a_negative_score_is_as_large_as_a_positive_one():
    rows = [(-2.0, -3.0, -1.0), (0.5, -1.0, 2.0), (1.0, 0.5, 1.5)]
    sizes = shared.magnitudes(pd.DataFrame(rows, columns=["estimate", "ci_low", "ci_high"]))
    assert sizes.to_numpy().tolist() == [[2, 1, 3], [0.5, 0, 2], [1, 0.5, 1.5]]


def test_singular_and_failed_fits_are_counted_and_named(pictures):
    rows = fits()
    first = rows.index[rows["structure"] == "intercepts"][0]
    rows.loc[first, ["singular", "note", "sd_target"]] = [True, "boundary (singular) fit", 3e-11]
    numbers = ["estimate", "ci_low", "ci_high", "std_error", "df", "p_value", "p_adjusted", "p_equivalence", "mde"]
    failed = (rows["model"] == "strong") & (rows["dimension"] == "order") & (rows["contrast"] == "male-neo")
    rows.loc[failed, [*numbers, "r2", "r2_low", "r2_high"]] = np.nan
    rows.loc[failed, ["converged", "note"]] = [False, "<failed>"]
    text = page(pictures, rows)
    shown = words(text)
    assert "There are 9 fits: 1 singular, 1 that did not converge, 1 without a p-value." in shown
    assert "order (traits, paper, all, intercepts, male-neo): did not converge, no p-value; <failed>." in shown
    assert "1 fit: boundary (singular) fit." in shown
    assert table(text, "table-mixed-fits")[:1] == [["traits", "as in the paper", "8", "1", "1", "1"]]
    row = table(text, "table-mixed-paper-traits-male-neo")[1]
    assert row[2:] == ["1,000", *"–" * 5, "0.100 0.050 to 0.125", "did not converge"]
    assert "1 of 2 dimensions differ from 0 after adjustment: empathy 1.25 (1.17 to 1.33). No value: order." in shown
    components = table(text, "table-mixed-components-traits")
    assert components[1][3:] == ["0", "1", "12.5%", "2.0%", "singular"]
    assert components[0][-1] == ""


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


@pytest.mark.slow
def test_effects_sort_by_their_size(pictures):
    """Their names would stand in the order of the alphabet: large, small, very large."""
    assert set(written(pictures).topics) >= {"order", "empathy"}
    body = re.search(r'id="table-mixed-paper-traits-male-female".*?</tbody>', page(pictures), re.DOTALL)[0]
    matches = re.findall(r'data-sort="([^"]*)"><data[^>]*>(\w+)', body)
    assert {(float(size), name) for size, name in matches} == {(R2["strong"], "large"), (R2["none"], "small")}
