"""The part of the page on CrowS-Pairs: what it says of which numbers."""

import pandas as pd
import pytest
from tests.metrics.crows_pairs.example import MARKUP, MODELS, numbers, part_of
from tests.reports import table

from herbarium.metrics.crows_pairs.report.part import _OF_CAUSAL, all_answer


def test_without_fits_the_score_stands_alone():
    page = part_of(numbers())
    assert "mixed model" not in page.html
    assert page.uncertainty == ""


@pytest.mark.parametrize(("n", "shown"), [(5, "cannot fall below 0.062 here"), (6, "0.04")])
def test_a_p_value_of_too_few_pairs_is_not_shown(n, shown):
    assert [cells[4] for cells in table(part_of(numbers(n=n)).html, "table-crows-pairs")] == [shown] * 2


def test_the_published_score_stands_beside_ours_where_it_is_of_as_many_pairs():
    (answer,) = part_of(numbers()).answers
    assert [(row["published"], row["estimate"]) for row in answer.rows] == [(64.25, 60.0)]
    (answer,) = part_of(numbers(MARKUP)).answers  # 90 pairs are not the 1,508 of the paper
    assert answer.rows[0]["published"] is None


def test_a_causal_model_says_what_its_score_is_where_masked_models_stand_beside_it():
    left_out = "5 pairs left out"
    masked, remarked = (numbers(groups=["all"], note=note) for note in (None, left_out))
    causal = [numbers(MARKUP, ["all"], definition="whole", note=note) for note in (None, left_out)]
    for scores, caveats in (
        ([remarked], [left_out]),
        (causal[1:], [left_out]),
        ([masked, *causal], [None, _OF_CAUSAL, f"{left_out}; {_OF_CAUSAL}"]),
    ):
        assert [row["caveat"] for row in all_answer(pd.concat(scores), MODELS, {}).rows] == caveats


def test_the_share_of_shared_tokens_has_a_column_of_its_own():
    both = [numbers(groups=["all"], definition=name, estimate=x) for name, x in (("whole", 70), ("shared", 55))]
    ((*_, share, _, _, _, _, _, shared_tokens),) = table(part_of(pd.concat(both)).html, "table-crows-pairs")
    assert (share[:4], shared_tokens[:4]) == ("70.0", "55.0")
