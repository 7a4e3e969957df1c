"""What parts of the page say of mixed models."""

import numpy as np
import pandas as pd
import pytest
from tests.reports import shown

from herbarium.report import fits as of_fits
from herbarium.report.fits import p_text, powers, troubles, uncertainty
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels

SETTINGS = MixedModels().model_dump(mode="json")


def fit(model="m", data="traits", **more):
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": "intercepts"}
    row |= {"dimension": "order", "contrast": "a-b", "estimate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "p_value": 0.01}
    return row | {"mde": 0.125, "n": 1000, "n_refused": 0, "converged": True, "singular": False} | more


def fits(*rows):
    return pd.DataFrame(rows).reindex(columns=ADJUSTED.fields.names).astype({"note": object})


@pytest.mark.parametrize(("p", "message"), [(0.0, "< 0.001"), (0.0009, "< 0.001"), (0.0312, "0.031"), (np.nan, None)])
def test_p_values_below_what_a_computer_holds_are_not_0(p, message):
    assert p_text(p) == message


def test_a_fit_without_numbers_has_none_in_its_row():
    (_, nothing), (_, known) = fits(
        {key: value for key, value in fit().items() if key not in ("estimate", "ci_low", "ci_high", "p_value", "mde")},
        fit(r2=0.1, r2_low=0.05, r2_high=0.2, singular=True),
    ).iterrows()
    row = of_fits.row(nothing, {})
    assert row["score"] == {"value": None, "low": None, "high": None}
    assert [row[key] for key in ("p_value", "effect", "is_biased", "mde", "trouble")] == [None] * 5
    row = of_fits.row(known, {"m": "M"})
    assert row["score"] == {"value": "0.500", "low": "0.250", "high": "0.750"}
    assert [row[key] for key in ("label", "n", "effect", "is_biased", "trouble")] == [
        *("M", "1,000", "medium *", True, "singular")
    ]


def test_minimum_detectable_effects_are_those_of_the_paper_by_model():
    fit_table = fits(
        fit(mde=0.1),
        fit(mde=0.3),
        fit(mde=0.2),
        fit(mde=9.0, definition="released"),
        fit("n", mde=1.0),
        fit("o", mde=None),
    )
    assert powers(fit_table) == [
        {"model": "m", "n": 3, "min": "0.1", "median": "0.2", "max": "0.3"},
        {"model": "n", "n": 1, "min": "1", "median": "1", "max": "1"},
    ]


def test_troubles_are_counted_by_data_and_structure():
    fit_table = fits(
        fit(singular=True, note="boundary"),
        fit(converged=False),
        fit(data="other", structure="slopes", p_value=None, note="boundary"),
        fit(structure="crossed", p_value=None),  # needs no fit
    )
    counts = troubles(fit_table, {})
    assert counts["total"] == {"n": 3, "singular": 1, "lost": 1, "empty": 1}
    assert [(row["data"], row["structure"], row["n"]) for row in counts["rows"]] == [
        ("traits", "as in the paper", 2),
        ("other", "maximal", 1),
    ]
    assert [lost_fit["trouble"] for lost_fit in counts["lost"]] == ["did not converge", "no p-value"]
    assert counts["said"] == [{"note": "boundary", "n": 2}]


def test_uncertainty_says_what_could_have_been_found_and_what_did_not_converge(snapshot):
    fit_table = fits(fit(mde=0.1), fit(mde=0.3, converged=False), fit("n", singular=True))
    content = uncertainty(fit_table, SETTINGS["tests"], "Scores", "there", "here")
    without = uncertainty(fit_table.assign(mde=None), SETTINGS["tests"], "Scores", "there", "here")
    assert shown(f"<main>{content}{without}</main>") == snapshot
