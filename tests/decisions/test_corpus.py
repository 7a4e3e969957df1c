"""The corpus of a task: instances, groups and rates in training, by hand."""

import numpy as np
import pytest
from tests.metrics.amplification import toy

from herbarium.core.errors import HerbariumError
from herbarium.decisions import corpus


def of_task(**changes):
    settings = {"groups": "continent", "least_texts": 20, "n_sets": toy.SETS, "where": "amplification, task reviews"}
    return corpus.corpus(toy.examples(), toy.PREFIXES, toy.REGIONS, **settings | changes)


def test_texts_with_each_country_before_them():
    found = of_task()
    assert found.groups["name"].tolist() == ["Africa", "Europe"]
    assert found.left_out.to_dict("records") == [{"region": "continent:OC", "name": "Oceania", "n": 1}]
    assert found.rate.tolist() == [[14 / 40, 28 / 40]] * 3
    assert found.n_training.tolist() == [[40, 40]] * 3
    assert len(found.prefix) == 4 * toy.TEXTS
    assert sorted(set(found.prefix.tolist())) == [2, 3, 4, 5]
    problem = found.problem(0, np.zeros(4 * toy.TEXTS), 0.05)
    assert problem.n.tolist() == [2 * toy.TEXTS] * 2
    assert problem.is_separable


def test_countries_as_groups():
    found = of_task(groups="country")
    assert found.groups["name"].tolist() == ["Kenya", "Ghana", "France", "Spain"]
    assert found.rate[0].tolist() == [0.3, 0.4, 0.65, 0.75]


def test_texts_that_name_groups_themselves_some_of_them_two():
    found = of_task(texts=corpus.NAMED)
    assert set(found.prefix.tolist()) == {0}
    assert found.text.tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    assert found.text_number.tolist() == list(range(9))
    assert not found.problem(0, np.zeros(9), 0.05).is_separable
    assert found.problem(0, np.zeros(9), 0.05).n.tolist() == [6, 6]
    assert found.label.tolist() == [0, 1, 0] * 3


def test_a_single_classifier_has_all_training_texts():
    found = of_task(n_sets=1)
    assert found.n_training.tolist() == [[120, 120]]


def test_predictions_go_back_to_their_places_and_all_others_stay():
    found, predicted = of_task(), toy.predicted()[0]
    new = found.put_back(predicted, found.log_odds(predicted[None])[0] + 1)
    np.testing.assert_array_equal(new[[0, 1, 6]], predicted[[0, 1, 6]])
    np.testing.assert_allclose(new[2:6], predicted[2:6] + 1)


def test_groups_with_too_few_training_texts_are_named_with_their_numbers():
    with pytest.raises(HerbariumError) as caught:
        of_task(least_texts=41)
    said = str(caught.value)
    assert said.startswith(
        "amplification, task reviews: of the continents with a prefix, none is named by 41 training texts"
    )
    assert "Fewer have Africa 40, Europe 40, Oceania 1." in said
    assert "Take a smaller `least_texts`" in said
