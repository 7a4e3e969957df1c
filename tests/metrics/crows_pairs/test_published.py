"""Published figures of CrowS-Pairs beside ours, on numbers that are known."""

import pandas as pd
import pytest

from herbarium.core import resources
from herbarium.metrics.crows_pairs import published
from herbarium.statistics import agreement
from herbarium.statistics.fits_overview import ADJUSTED

FIGURES = resources.read_table("resources/crows_pairs/published.csv", ["table", "value"])


def test_crows_pairs_stand_beside_their_score_and_their_model():
    fit = {"model": "roberta-large", "data": "crows_pairs", "definition": "paper", "subset": "all"}
    fit |= {"structure": "intercepts", "dimension": "age", "contrast": "stereo-antistereo", "estimate": 1.0}
    fits = pd.DataFrame([fit]).reindex(columns=ADJUSTED.fields.names)
    cps = [
        ("roberta-large", variant, "age", side, 60.0, 80.0, 87)
        for variant, side in (("difference", 1.0), ("cps", 70.0), ("n_pairs", 87.0))
    ]
    cps = pd.DataFrame(cps, columns=["model", "variant", "group", "estimate", "ci_low", "ci_high", "n"])
    cps["definition"] = "paper"
    table = published.beside(FIGURES, fits, cps).set_index("measure")
    assert table["published"].to_dict() == {"n": 87, "cps": 72.41, "bias": 1.23}
    assert table["paper"].to_dict() == {"n": 87, "cps": 70, "bias": 1.0}


def test_the_score_of_all_pairs_follows_from_the_bias_types():
    n, preferred = [516, 262, 172, 159, 105, 87, 84, 63, 60], [331, 154, 115, 106, 77, 63, 54, 46, 42]
    same = {"models": {"roberta-large": ""}, "data": {"crows_pairs": ""}}
    scores_of_models = published.of_all_pairs(FIGURES, same)
    assert scores_of_models == {("roberta-large", sum(n)): pytest.approx(100 * sum(preferred) / sum(n), abs=0.005)}
    assert sum(n) == 1508  # all that the list has


@pytest.mark.parametrize("changed_key", ["models", "data"])
def test_another_model_or_other_pairs_have_no_published_score_and_no_difference(changed_key):
    others = {"models": {"roberta-large": ""}, "data": {"crows_pairs": ""}}
    others[changed_key] = dict.fromkeys(others[changed_key], "another")
    assert published.of_all_pairs(FIGURES, others) == {}
    assert published.of_all_pairs(FIGURES, others | {"models": {}}) == {}
    cps = pd.DataFrame([{"model": "roberta-large", "variant": "cps", "group": "age", "estimate": 72.4, "n": 87}])
    cps = cps.assign(definition="paper", ci_low=60.0, ci_high=80.0)
    table = published.beside(FIGURES, pd.DataFrame(columns=ADJUSTED.fields.names), cps)
    table = agreement.marked(table, published.reasons(table, others))
    assert table["difference"].isna().all()
    frame = published.published(FIGURES, table).set_index("column").loc["cps"].query("agreement != 'not measured'")
    assert frame[["agreement", "note"]].to_numpy().tolist() == [["not comparable", "not comparable: another"]]


def test_a_figure_stands_beside_the_score_of_its_model_and_definition():
    """Of another model, definition or structure there are numbers far off, which come first."""
    fit = {"model": "roberta-large", "data": "crows_pairs", "definition": "paper", "subset": "all"}
    fit |= {"structure": "intercepts", "dimension": "age", "contrast": "stereo-antistereo", "estimate": 1.0}
    others = ({"model": "bert-base"}, {"definition": "whole"}, {"structure": "crossed"}, {"data": "other"})
    fits = pd.DataFrame([*(fit | other | {"estimate": 99.0} for other in others), fit])
    row = {"model": "roberta-large", "variant": "cps", "group": "age", "definition": "paper", "estimate": 70.0, "n": 80}
    others = ({"model": "bert-base"}, {"definition": "whole"}, {"variant": "difference"}, {"group": "race"})
    cps = pd.DataFrame(
        [
            *(row | other | {"estimate": 99.0, "n": 1} for other in others),
            row,
            row | {"variant": "n_pairs", "estimate": 87},
        ]
    )
    fits, cps = fits.reindex(columns=ADJUSTED.fields.names), cps.assign(ci_low=60.0, ci_high=80.0)
    table = published.beside(FIGURES, fits, cps)
    of_age = table[(table["model"] == "roberta-large") & (table["dimension"] == "age")].set_index("measure")
    assert of_age["paper"].to_dict() == {"n": 87, "cps": 70, "bias": 1.0}
