"""The conditional random field: its likelihood by hand, its gradient, what it learns; and what is planted."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from herbarium.metrics.amplification import crf, score
from herbarium.metrics.amplification.structured import MAN, NEITHER, WOMAN, Situations

SMALL = crf.Design(np.array([0.2, 0.5, 0.8]))


def weights(seed, d, v):
    random = np.random.default_rng(seed)
    return crf.Weights(random.normal(size=(d + 1, v)), random.normal(size=(d + 1, v, 3)))


def test_the_loss_by_hand():
    field_weights = crf.Weights(np.array([[2.0], [0.5]]), np.array([[[1.0, 0, 0]], [[0, 0, -1]]]))
    scores = [2 + 0.5 + 1, 2 + 0.5, 2 + 0.5 - 1]
    value, _ = crf.loss(field_weights, np.array([[1.0]]), Situations(np.array([0]), np.array([1])), penalty=0.1)
    likelihood = scores[1] - math.log(sum(map(math.exp, scores)))
    assert value == pytest.approx(-likelihood + 0.1 / 2 * (2**2 + 1**2))  # intercepts are free


def test_the_gradient():
    random = np.random.default_rng(0)
    data = crf.draw(SMALL, 20, random)
    field_weights = weights(1, 5, 3)
    sizes = field_weights.activity.size

    def value(flat):
        parts = crf.Weights(flat[:sizes].reshape(6, 3), flat[sizes:].reshape(6, 3, 3))
        return crf.loss(parts, *data, penalty=0.3)[0]

    _, gradient = crf.loss(field_weights, *data, penalty=0.3)
    slopes = optimize.approx_fprime(np.concatenate([part.ravel() for part in field_weights]), value)
    np.testing.assert_allclose(np.concatenate([part.ravel() for part in gradient]), slopes, atol=1e-6)


def test_what_is_planted_has_its_rates():
    data = crf.draw(SMALL, 40_000, np.random.default_rng(0))
    rates = data.labels.counted(np.arange(3)).rates()
    np.testing.assert_allclose(rates, SMALL.rate, atol=0.02)  # five standard errors
    assert (data.labels.agent == NEITHER).mean() == pytest.approx(0.2, abs=0.01)


def test_who_knows_what_is_planted_has_the_probabilities_of_bayes():
    data = crf.draw(SMALL, 50, np.random.default_rng(1))
    probabilities = crf.potentials(crf.planted(SMALL), data.features).probabilities()
    for x, p in zip(data.features, probabilities, strict=True):
        wanted = np.zeros((3, 3))
        for v, b in enumerate(SMALL.rate):
            for a, prior in ((MAN, 0.8 * b), (WOMAN, 0.8 * (1 - b)), (NEITHER, 0.2)):
                centre = np.zeros(5)
                centre[v] = SMALL.of_activity
                centre[3] = {MAN: 1, WOMAN: -1, NEITHER: 0}[a] * SMALL.of_gender / 2
                centre[4] = SMALL.of_activity if a == NEITHER else 0
                wanted[v, a] = prior * np.prod(stats.norm.pdf(x, centre))
        np.testing.assert_allclose(p, wanted / wanted.sum(), atol=1e-12)


def test_decisions_amplify_what_is_planted_and_probabilities_do_not():
    data = crf.draw(crf.DESIGN, 30_000, np.random.default_rng(2))
    field = crf.potentials(crf.planted(crf.DESIGN), data.features)
    rate = crf.DESIGN.rate
    assert score.mean_amplification(rate, field.best().counted(field.constrained).rates()) > 0.1
    assert abs(score.mean_amplification(rate, field.expected().rates())) < 0.01
    np.testing.assert_allclose(field.expected().rates(), rate, atol=0.03)


def test_without_a_difference_between_activities_there_is_nothing_to_amplify():
    same = crf.Design(np.full(6, 0.5))
    data = crf.draw(same, 30_000, np.random.default_rng(3))
    field = crf.potentials(crf.planted(same), data.features)
    np.testing.assert_allclose(field.best().counted(field.constrained).rates(), 0.5, atol=0.05)


def test_a_trained_field_keeps_the_rates_of_its_training_in_expectation_and_amplifies_in_decisions():
    random = np.random.default_rng(4)
    design = crf.Design(np.array([0.15, 0.3, 0.7, 0.85]))
    training, test = crf.draw(design, 800, random), crf.draw(design, 3000, random)
    learned = crf.fit(*training, n_activities=4)
    rate = training.labels.counted(np.arange(4)).rates()
    np.testing.assert_allclose(crf.potentials(learned, training.features).expected().rates(), rate, atol=1e-3)
    field = crf.potentials(learned, test.features)
    decided, expected = field.best().counted(field.constrained).rates(), field.expected().rates()
    assert score.mean_amplification(rate, decided) > 0.08
    assert abs(score.mean_amplification(rate, expected)) < 0.04
    assert score.violations(decided, rate, 0.05) == 4


def test_a_greater_penalty_makes_weights_smaller():
    data = crf.draw(SMALL, 200, np.random.default_rng(5))
    sizes = [np.abs(crf.fit(*data, n_activities=3, penalty=penalty).agent[:-1]).sum() for penalty in (1e-3, 1.0)]
    assert sizes[1] < sizes[0] / 5
