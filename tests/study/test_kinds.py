"""What each metric measures of each kind of model: one table, from which refusals come."""

import pytest

from herbarium.core.section import ByKind
from herbarium.metrics.sentence_sets.stimuli import SCORES
from herbarium.models.by_kind import VECTORS, scored
from herbarium.models.kinds import LANGUAGE_MODELS, Kind
from herbarium.scoring.quantities import QUANTITIES
from herbarium.study import config, targets

TABLE = config.by_kind()


def test_every_metric_is_in_the_table_by_its_name():
    assert TABLE.keys() == {module.FILES.metric for module in (*targets.METRICS, targets.counterfactual)}


@pytest.mark.parametrize("metric", TABLE)
def test_a_kind_that_is_refused_has_something_else(metric):
    computed, instead = TABLE[metric]
    assert not computed.keys() & instead.keys()
    assert computed.keys() | instead.keys() >= LANGUAGE_MODELS | {Kind.extractive}


def test_a_kind_is_never_asked_for_a_quantity_that_it_cannot_give():
    named = [(kind, cell) for computed, _ in TABLE.values() for kind, cell in computed.items() if "`" in cell]
    asked = {(kind, name) for kind, cell in named for name in cell.split("`")[1::2] if name in QUANTITIES}
    assert len(asked) > 10
    assert [(kind, name) for kind, name in asked if kind not in QUANTITIES[name]] == []


def test_what_is_to_be_used_instead_can_measure_the_kind():
    named = [(kind, other.split("`")[1::2]) for _, instead in TABLE.values() for kind, other in instead.items()]
    metrics = [(kind, name) for kind, names in named for name in names if name in TABLE]
    quantities = [(kind, name.removeprefix("quantity: ")) for kind, names in named for name in names if ":" in name]
    assert len(metrics) > 10
    assert [(kind, name) for kind, name in metrics if kind not in TABLE[name].computed] == []
    assert [(kind, name) for kind, name in quantities if name in SCORES and kind not in SCORES[name]] == []


def test_vectors_are_those_of_every_kind():
    assert VECTORS.computed.keys() == set(Kind)


def test_quantities_are_named_by_kind():
    named = scored({Kind.masked: ["pll", "pppl"], Kind.causal: ["ll"]}, {Kind.seq2seq: "another"})
    assert named == ByKind({"masked": "`pll`, `pppl`", "causal": "`ll`"}, {"seq2seq": "another"})
