"""The corpus of a task: instances, groups and rates in training, by hand."""

import numpy as np
from tests.metrics.amplification import toy
from tests.refusals import refused

from herbarium.decisions import corpus


def of_task(examples=None, **changes):
    examples = toy.examples() if examples is None else examples
    settings = {"groups": "continent", "least_texts": 20, "n_sets": toy.SETS, "where": "amplification, task reviews"}
    return corpus.corpus(examples, toy.PREFIXES, toy.REGIONS, **settings | changes)


def test_texts_with_each_country_before_them():
    result = of_task()
    assert result.groups["name"].tolist() == ["Africa", "Europe"]
    assert result.left_out.to_dict("records") == [{"region": "continent:OC", "name": "Oceania", "n": 1}]
    assert result.rate.tolist() == [[14 / 40, 28 / 40]] * 3
    assert result.n_training.tolist() == [[40, 40]] * 3
    assert len(result.prefix) == 4 * toy.TEXTS
    assert sorted(set(result.prefix.tolist())) == [2, 3, 4, 5]
    problem = result.problem(0, np.zeros(4 * toy.TEXTS), 0.05)
    assert problem.n.tolist() == [2 * toy.TEXTS] * 2
    assert problem.is_separable


def test_countries_as_groups():
    result = of_task(groups="country")
    assert result.groups["name"].tolist() == ["Kenya", "Ghana", "France", "Spain"]
    assert result.rate[0].tolist() == [0.3, 0.4, 0.65, 0.75]


def test_texts_that_name_groups_themselves_some_of_them_two():
    result = of_task(texts=corpus.NAMED)
    assert set(result.prefix.tolist()) == {0}
    assert result.text.tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    assert result.text_number.tolist() == list(range(9))
    assert not result.problem(0, np.zeros(9), 0.05).is_separable
    assert result.problem(0, np.zeros(9), 0.05).n.tolist() == [6, 6]
    assert result.label.tolist() == [0, 1, 0] * 3
    assert result.log_odds(np.arange(12.0)[None, None]).tolist() == [[0, 1, 2, 4, 5, 6, 8, 9, 10]]
    assert result.left_out.empty  # no test text names Oceania


def test_a_single_classifier_has_all_training_texts():
    result = of_task(n_sets=1)
    assert result.n_training.tolist() == [[120, 120]]


def test_predictions_go_back_to_their_places_and_all_others_stay():
    result, predicted = of_task(), toy.predicted()[0]
    new = result.put_back(predicted, result.log_odds(predicted[None])[0] + 1)
    np.testing.assert_array_equal(new[[0, 1, 6]], predicted[[0, 1, 6]])
    np.testing.assert_allclose(new[2:6], predicted[2:6] + 1)


def test_groups_with_too_few_training_texts_are_named_with_their_numbers():
    with refused("amplification, task reviews", "41", "Africa 40", "Europe 40", "Oceania 1", "`least_texts`"):
        of_task(least_texts=41)


def test_a_group_needs_its_texts_in_each_set():
    examples = toy.examples()
    one = examples.index[(examples["set"] == 2) & examples["text"].str.contains("France")][0]
    with refused("amplification, task reviews", "40", "Europe 39"):
        of_task(least_texts=40, examples=examples.drop(one))
