"""The part of the page on CrowS-Pairs: its numbers are those of the tidy table and of the fits."""

import math

import pandas as pd
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.reports import table

from herbarium.metrics.crows_pairs.report.part import _OF_CAUSAL, all_answer, part
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels
from herbarium.statistics.tidy import TIDY

MODELS = [model_record("strong", 2.0), model_record("<b>real</b>", None)]
SETTINGS = MixedModels().model_dump(mode="json")
SCORE = {"model": "strong", "metric": "crows_pairs", "definition": "paper", "variant": "cps", "unit": "bias_type"}
SCORE |= {"estimate": 60.0, "ci_low": 50.0, "ci_high": 70.0, "p_value": 0.03, "p_adjusted": 0.04, "n": 90}
FIT = {"model": "strong", "data": "crows_pairs", "definition": "paper", "subset": "all", "structure": "intercepts"}
FIT |= {"dimension": "age", "contrast": "stereo-antistereo", "estimate": 1.25, "ci_low": 1.24, "ci_high": 1.26}
FIT |= {"std_error": 0.005, "df": 99.0, "p_value": 1e-9, "p_adjusted": 4e-9, "p_equivalence": 0.9, "mde": 0.03}
FIT |= {"r2": 0.5, "r2_low": 0.25, "r2_high": 1.0, "r2_raw": 0.1, "n": 90, "n_refused": 0}
FIT |= {"converged": True, "singular": False}
NO_FITS = pd.DataFrame(columns=ADJUSTED.fields.names)


PUBLISHED = {("strong", 90.0): 64.25, ("<b>real</b>", 1508.0): 65.5}


def written(fits=NO_FITS, **changes):
    scores = []
    for group in ("all", "age"):
        cps = SCORE | {"group": group} | changes
        difference = cps | {"variant": "difference", "estimate": 1.5, "ci_low": 1.0, "ci_high": 2.0}
        scores += [cps, difference | changes]
        scores += [cps | {"variant": "cps_equivalence_bound", "estimate": 18.0}]
    numbers = pd.DataFrame(scores).reindex(columns=TIDY.fields.names)
    return assert_part(part(numbers, fits, MODELS, SETTINGS, PUBLISHED), "crows_pairs")


OF_SCORE = ["strong (planted, strength 2)", "90", "60.0 50.0 to 70.0", "0.04", "18", "1.50 1.00 to 2.00", "0.04", "–"]


def test_the_score_stands_beside_the_fit():
    of_page = written(pd.DataFrame([FIT]).reindex(columns=ADJUSTED.fields.names))
    assert table(of_page.html, "table-crows-pairs") == [
        ["all", *OF_SCORE, "–", "–", ""],
        ["age", *OF_SCORE, "1.25", "0.500", ""],
    ]
    assert "treats the two sentences of a pair as independent" in " ".join(of_page.html.split())


def test_without_fits_the_score_stands_alone():
    of_page = written()
    assert table(of_page.html, "table-crows-pairs")[1] == ["age", *OF_SCORE]
    assert "mixed model" not in of_page.html
    assert of_page.uncertainty == ""


def test_the_overview_has_the_score_of_all_pairs_with_its_null_value():
    overview = " ".join(written().overview.split())
    assert "in 60.0 (50.0 to 70.0) per cent of 90 pairs, p&nbsp;= 0.03; 50 without a preference." in overview
    assert overview.count("<li>") == 1


def test_names_are_escaped():
    of_page = written(model="<b>real</b>")
    assert "<b>real</b>" not in of_page.html + of_page.overview
    assert "&lt;b&gt;real&lt;/b&gt;" in of_page.html


def test_a_score_that_is_missing_says_why():
    of_page = written(
        **dict.fromkeys(["estimate", "ci_low", "ci_high", "p_value", "p_adjusted"], math.nan),
        n=0,
        note="no set has a score",
    )
    assert table(of_page.html, "table-crows-pairs")[0][2:5] == ["0", "– no set has a score", "–"]


def test_a_p_value_of_too_few_pairs_is_not_shown():
    assert [cells[4] for cells in table(written(n=5).html, "table-crows-pairs")] == ["cannot fall below 0.062 here"] * 2
    assert [cells[4] for cells in table(written(n=6).html, "table-crows-pairs")] == ["0.04"] * 2


def test_the_published_score_stands_beside_ours_where_it_is_of_as_many_pairs():
    (answer,) = written().answers
    assert [(row["published"], row["estimate"]) for row in answer.rows] == [(64.25, 60.0)]
    assert "Table 15" in answer.rows[0]["source"]
    (answer,) = written(model="<b>real</b>").answers  # 90 pairs are not the 1,508 of the paper
    assert answer.rows[0]["published"] is None


def test_a_causal_model_says_what_its_score_is_where_masked_models_stand_beside_it():
    rows = [SCORE | {"group": "all", "note": note} for note in (None, "5 pairs left out")]
    causal = [row | {"model": "<b>real</b>", "definition": "whole"} for row in rows]
    for scores, caveats in (
        (rows[1:], ["5 pairs left out"]),
        (causal[1:], ["5 pairs left out"]),
        ([rows[0], *causal], [None, _OF_CAUSAL, f"5 pairs left out; {_OF_CAUSAL}"]),
    ):
        numbers = pd.DataFrame(scores).reindex(columns=TIDY.fields.names)
        (answer,) = [all_answer(numbers, MODELS, {})]
        assert [row["caveat"] for row in answer.rows] == caveats


def test_the_share_of_shared_tokens_has_a_column_of_its_own():
    scores = [
        SCORE | {"group": "all", "definition": name, "estimate": x} for name, x in (("whole", 70), ("shared", 55))
    ]
    scores += [score | {"variant": "difference"} for score in scores]
    numbers = pd.DataFrame(scores).reindex(columns=TIDY.fields.names)
    ((*_, share, _, _, _, _, _, shared_tokens),) = table(
        part(numbers, NO_FITS, MODELS, SETTINGS, {}).html, "table-crows-pairs"
    )
    assert (share[:4], shared_tokens[:4]) == ("70.0", "55.0")
