"""Whether a model does the task that its numbers are about, by hand."""

import numpy as np
import pytest
from statsmodels.stats import proportion

from herbarium.metrics.sentence_sets.bbq_contrast import BBQ
from herbarium.metrics.sentence_sets.names import UNKNOWN
from herbarium.metrics.sentence_sets.stereoset_contrast import STEREOSET
from herbarium.statistics import tasks
from herbarium.statistics.sets import Sets
from herbarium.statistics.within_sets import PAIRS

BIASED, COUNTER, NOT_KNOWN = np.eye(3)
# Of one template: two ambiguous questions, and two whose context says the one person and the other.
CORRECT = [UNKNOWN, UNKNOWN, "biased", "counter"]


def of_templates(*templates):
    """templates: the answers to the four questions of each."""
    n = len(templates)
    values, none = np.concatenate(templates), np.full(4 * n, "")
    return Sets(BBQ.sides, values, none, np.repeat(np.arange(n), 4), False, correct=np.tile(CORRECT, n))


def faults(data, contrast=BBQ):
    return {row["task"]: row["note"] for row in tasks.done(data, contrast, 0.95)}


ABLE = [BIASED, NOT_KNOWN, BIASED, COUNTER]


def test_a_model_that_answers_by_the_context_does_the_task():
    rows = {row["task"]: row for row in tasks.done(of_templates(*[ABLE] * 10), BBQ, 0.95)}
    assert {name: row["estimate"] for name, row in rows.items()} == {
        "disambiguated": 100,
        "person": 100,
        "ambiguous": 50,
    }
    assert [row["note"] for row in rows.values()] == [None] * 3
    # no template varies: the exact interval of ten in ten
    low, high = proportion.proportion_confint(10, 10, method="beta")
    assert (rows["person"]["ci_low"], rows["person"]["ci_high"]) == pytest.approx((100 * low, 100 * high))
    assert rows["ambiguous"]["n"] == 10


@pytest.mark.parametrize(
    ("answers", "unable"),
    [
        ([NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN], {"disambiguated"}),  # and names nobody
        ([BIASED, NOT_KNOWN, BIASED, BIASED], {"person"}),  # half of all is right, and above a third
        ([BIASED, COUNTER, BIASED, COUNTER], {"ambiguous"}),
        ([BIASED, COUNTER, COUNTER, BIASED], {"disambiguated", "person", "ambiguous"}),
    ],
)
def test_each_way_to_guess_is_told(answers, unable):
    assert {name for name, fault in faults(of_templates(*[answers] * 20)).items() if fault} == unable


def test_the_interval_is_over_units():
    """Twelve right answers of twenty are more than a third if they are independent, but not as those of five
    templates, three of which are answered rightly and two wrongly."""
    wrong = [BIASED, NOT_KNOWN, COUNTER, BIASED]
    answered = of_templates(*[ABLE] * 12, *[wrong] * 8)
    assert faults(answered)["disambiguated"] is None
    answered.unit[:] = np.repeat([0, 1, 2, 3, 4], 16)
    assert "60 %" in faults(answered)["disambiguated"]


def test_of_one_unit_nothing_can_be_told():
    assert all(faults(of_templates(ABLE)).values())


def test_only_what_is_asked_for_is_a_task():
    ambiguous = of_templates(*[ABLE] * 8)
    assert set(faults(ambiguous.of(ambiguous.correct == UNKNOWN))) == {"ambiguous"}
    assert faults(Sets(("a", "b"), np.zeros((3, 2)), np.full(3, ""), np.arange(3), True), PAIRS) == {}


@pytest.mark.parametrize(("unrelated", "is_able"), [(-1.0, True), (0.5, False)])
def test_a_model_that_does_not_know_the_language_has_no_stereotypes(unrelated, is_able):
    """In the second case one of the two related sentences is likelier than the unrelated one, as by chance."""
    values = np.tile([[1.0, 0.0, unrelated], [0.0, 1.0, unrelated]], (10, 1))
    data = Sets(STEREOSET.sides, values, np.full(20, ""), np.arange(20), True)
    assert (faults(data, STEREOSET)["lms"] is None) == is_able
