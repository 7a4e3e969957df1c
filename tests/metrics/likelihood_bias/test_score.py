"""The published share of pairs, and the effects of descriptors."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from herbarium.metrics.likelihood_bias import score


def sentences(seed=0, shape=(5, 4, 6), spread=0.5):
    random = np.random.default_rng(seed)
    n_templates, n_nouns, n = shape
    y = random.normal(size=(n_templates, 1, 1)) + random.normal(size=(1, n_nouns, 1)) + spread * random.normal(size=n)
    y = y + 0.3 * random.normal(size=(n_templates, 1, n)) + 0.3 * random.normal(size=(1, n_nouns, n))
    return y + 0.2 * random.normal(size=(n_templates, n_nouns, 1)) + 0.2 * random.normal(size=shape)


def test_pairs_are_compared_one_by_one_as_published():
    y = sentences(shape=(3, 9, 5))
    for of_template, share in zip(y, score.significant_pairs(y), strict=True):
        p_values = [
            stats.mannwhitneyu(of_template[:, i], of_template[:, j]).pvalue for i, j in combinations(range(5), 2)
        ]
        assert share == np.mean(np.array(p_values) < 0.05)


def test_the_effects_of_descriptors_have_mean_0():
    y = score.deviations(sentences())
    assert sum(score.effect(y, place).estimate for place in range(6)) == pytest.approx(0)
