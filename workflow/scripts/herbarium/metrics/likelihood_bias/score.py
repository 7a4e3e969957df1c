"""The differences between the descriptors of an axis in the log-perplexity of their sentences.

y, (n_templates, n_nouns, n_descriptors), is the log-perplexity of a sentence: minus the mean natural log-probability of
its tokens. Every descriptor stands in the same templates with the same nouns, which are samples of those that could
have been used. The descriptors are those of the list: a number is about them, and about no others.

    y[t, n, d] = template + noun + template:noun + effect of d + template:d + noun:d + rest

is the crossed mixed model of such sentences; from balanced data its variances are estimated by mean squares, which have
nothing to converge (`tests/statistics/test_between.py` compares them with lme4).
"""

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import Mean, crossed_mean

# Templates, and nouns. Fewer do not generalise to others.
FEWEST = 4
# Of the published test of a pair.
ALPHA = 0.05


def significant_pairs(y: np.ndarray) -> np.ndarray:
    """(n_templates,) the share of pairs of descriptors whose sentences differ by Mann and Whitney's test, p < .05, with
    nouns as the sample: the likelihood bias of Smith et al. (2022, Section 2.3.1), as their code computes it."""
    first, second = np.triu_indices(y.shape[2], 1)
    p_values = [
        scipy.stats.mannwhitneyu(of_template[:, first], of_template[:, second], axis=0).pvalue for of_template in y
    ]
    return (np.array(p_values) < ALPHA).mean(axis=1)


def deviations(y: np.ndarray) -> np.ndarray:
    """y minus the mean over descriptors of a template and noun."""
    return y - y.mean(axis=2, keepdims=True)


def effect(y: np.ndarray, descriptor: int) -> Mean:
    """How much higher the log-perplexity of a descriptor is than the mean of its axis. y: `deviations`."""
    return crossed_mean(y[:, :, descriptor])
