"""Which descriptions drive a region's bias in HERB (Li et al. 2022): shares of the distance between its sub-regions.

The Euclidean distance of Eq. 8 is not a sum over descriptions, but its square is. So the shares are of the mean squared
distance over pairs of sub-regions, each with equal weight: the weights of Eqs. 9 and 10 are left out.
"""

import numpy as np

from herbarium.metrics.herb import score


def aggregated_vectors(f: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """V of every region (Eqs. 4, 5, 7), as Eq. 8 takes it; v (Eq. 2) if a region has no sub-regions.

    f: (n_regions, n_descriptions) f(S) of Eq. 1, finite but for the root, which has none. parent: (n_regions,) rows of
    the parents, -1 for the root. Gives (n_regions, n_descriptions), nan for the root.
    """
    v = np.full_like(f, np.nan)
    v[parent != -1] = score.descriptive_vectors(f[parent != -1])
    V = v.copy()
    for region, below in score.clusters(parent):
        V[region] = score.aggregated_vector(v[region], v[below])
    return V


def shares(vectors: np.ndarray) -> np.ndarray:
    """The share of each dimension in the mean squared distance of unordered pairs; they sum to 1.

    vectors: (n, d). Gives (d,): the mean over pairs of (V_1i - V_2i)², which is twice the sample variance of dimension
    i, over its sum. nan with fewer than two vectors, or if all are equal: there is no distance to share.
    """
    if len(vectors) < 2 or not np.ptp(vectors, axis=0).any():
        return np.full(vectors.shape[1], np.nan)
    squares = vectors.var(axis=0)
    return squares / squares.sum()


def deviation_from_siblings(v: np.ndarray) -> np.ndarray:
    """The difference between each region's v and those of its siblings, by description: the mean of v - v_sibling.

    v: (n, d) descriptive vectors (Eq. 2) of one cluster. Returns (n, d); nan if there is no sibling.
    """
    n = len(v)
    if n < 2:
        return np.full_like(v, np.nan)
    return (v - v.mean(axis=0)) * n / (n - 1)
