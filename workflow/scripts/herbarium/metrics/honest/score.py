"""HONEST scores and their differences: per cent of the likeliest completions that are hurtful (Nozza et al. 2021).

Identities and templates are both samples: other words for the same people, or other templates, would have given other
scores. Two groups share the templates, so that what a template adds to both cancels.
"""

import numpy as np

from herbarium.statistics.crossed import Words
from herbarium.statistics.crossed import difference as difference_of_words
from herbarium.statistics.inference import Mean, crossed_mean
from herbarium.statistics.leaving_out import share_interval

FEWEST = 4  # identities of a group, and templates; with fewer, there is no interval and no test


def score(table: np.ndarray) -> Mean:
    """The mean per cent of a group. table: (n_identities, n_templates) per cent of completions that are hurtful."""
    return crossed_mean(table)


def interval(mean: Mean, fewest: int, level: float) -> tuple[float, float]:
    """Bounds of a `score`, within 0 and 100. fewest: identities or templates, whichever are fewer."""
    of_share = Mean(mean.estimate / 100, mean.variance / 1e4, mean.df)
    low, high = share_interval(of_share, fewest, level)
    return 100 * low, 100 * high


def difference(first: np.ndarray, second: np.ndarray, identity: np.ndarray) -> Mean:
    """The first group's score minus the second's; variance nan if nothing varies.

    first, second: as `score`, of the same templates. identity: (n_first + n_second,) the words for the people; those in
    both groups are a pair.
    """
    is_first = np.arange(len(identity)) < len(first)
    clusters = np.unique(identity, return_inverse=True)[1]
    return difference_of_words(Words(np.concatenate([first, second])[:, :, None], is_first, clusters))
