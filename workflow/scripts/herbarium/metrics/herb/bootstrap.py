"""Resamples of HERB over descriptions, within topics; and the jackknife over sub-regions.

The draws depend only on the study and the random stream, not on the model: two models given the same stream are
measured on the same resamples, and their difference is paired. A model that lacks some scores gets the draws of the
whole study, without the missing ones.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from herbarium.metrics.herb import score as herb
from herbarium.statistics.parallel import side_by_side

# The most replicates of a number that has an interval and no p-value. Drawn again, they move the ends of the interval
# by 0.12 standard errors; other descriptions move its width by as much (docs/cost.md).
FOR_INTERVALS = 500


@dataclass(frozen=True)
class Resampling:
    """Draws with replacement: from each topic, as many descriptions as it has."""

    topics: np.ndarray  # (n_descriptions,) the topic of each description of the study
    descriptions: np.ndarray | None = None  # (n_descriptions,) whether a model has scores for it; None: all

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """`counts` for `herb.herb`, for the descriptions for which the model has scores.

        If only descriptions without scores were drawn from a topic, each of its others counts once.
        """
        _, topic, size = np.unique(self.topics, return_inverse=True, return_counts=True)
        by_topic, start = np.argsort(topic, kind="stable"), np.cumsum(size) - size
        drawn = by_topic[start[topic] + random.integers(size[topic])]
        counts = np.bincount(drawn, minlength=len(topic))
        if self.descriptions is None:
            return counts
        counts, topic = counts[self.descriptions], topic[self.descriptions]
        return np.where(np.bincount(topic, weights=counts)[topic] == 0, 1, counts)


def bootstrap(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    resampling: Resampling,
    replicates: int,
    random: np.random.Generator,
    threads: int = 1,
    definitions: Sequence[Collection[str]] = ((),),
    regions: np.ndarray | slice = slice(None),
) -> Iterator[np.ndarray]:
    """The scores of some regions in each replicate, (n_definitions, n_variants, n_regions) as in `herb.VARIANTS`, in
    single precision: the bounds of an interval have few reliable digits anyway.

    f, f_name, parent: as for `herb.herb`, without the descriptions that have no scores according to `resampling`.
    definitions: as for `herb.herb_by_definition`. threads: replicates computed in parallel; each has its own random
    stream, so the number of threads changes nothing.
    """
    replicate = partial(_replicate, np.asfortranarray(f, np.float32), f_name, parent, resampling, definitions, regions)
    return side_by_side(replicate, random.spawn(replicates), threads)


def _replicate(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    resampling: Resampling,
    definitions: Sequence[Collection[str]],
    regions: np.ndarray | slice,
    random: np.random.Generator,
) -> np.ndarray:
    drawn = herb.herb_by_definition(f, f_name, parent, definitions, resampling.draw(random))
    return np.array([scores.array()[:, regions] for scores in drawn], np.float32)


def without_sub_regions(f: np.ndarray, f_name: np.ndarray, parent: np.ndarray, estimates: herb.Scores) -> np.ndarray:
    """(n_variants, n_regions) the scores of each region's parent without that region; variants as in `Scores`.

    The weights of the other regions, and n of Eq. 8, are kept fixed. So the scores are exact except C_w of a parent of
    leaves, whose own C changes with the centroid that included the region. nan if fewer than two others are left.
    Arguments as for `herb.herb`; estimates: its result for them.
    """
    v = herb.unit_vectors(f, parent)
    V = v.copy()
    left_out = np.full((len(estimates.array()), len(f)), np.nan)
    for region, below in herb.clusters(parent):  # a sub-region's V is set before its parent is visited
        n = len(below)
        if n > 2:
            importance = np.stack([estimates.C_w[below], estimates.C_w_size_free[below], f_name[below]], axis=1)
            by_w, by_w_free, by_z = herb.mean_distances_without(V[below], importance).T
            c = herb.mean_distances_without(v[below], np.zeros((n, 1)))[:, 0]
            factor = 2 / (n * (n - 1))
            left_out[:, below] = factor * by_w, factor * by_z, by_w_free, by_z, c
        V[region] = herb.aggregated_vector(v[region], v[below])
    return left_out


def jackknife_interval(
    estimate: np.ndarray, left_out: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard error of the logarithm, and bounds, of a score by the jackknife over its n sub-regions (Tukey 1958).

    On the log scale, on which a mean distance is nearly normal, with the quantile of t(n - 1). estimate: (...,).
    left_out: (n, ...) without each sub-region. nan if a score is 0, or fewer than two others are left.
    """
    n = len(left_out)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(left_out)
        error = np.sqrt((n - 1) / n * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
        width = stdtrit(n - 1, (1 + level) / 2) * error
        return error, estimate * np.exp(-width), estimate * np.exp(width)
