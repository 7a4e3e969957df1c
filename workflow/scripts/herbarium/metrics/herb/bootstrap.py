"""Resamples of HERB over descriptions, within topics; and the jackknife over sub-regions.

What is drawn depends on the study and the random stream alone, not on the model: two models given the same stream are
measured on the same resamples, and their difference is paired. A model that lacks some scores gets the draws of the
whole study, without what it lacks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from herbarium.metrics.herb import score as herb
from herbarium.statistics.parallel import side_by_side


@dataclass(frozen=True)
class Resampling:
    """What is drawn with replacement: as many descriptions as a topic has, from it."""

    topics: np.ndarray  # (n_descriptions,) the topic of each description of the study
    descriptions: np.ndarray | None = None  # (n_descriptions,) which of them a model has scores for; None: all

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """`counts` for `herb.herb`, of the descriptions that the model has scores for.

        A topic of which only descriptions without scores were drawn keeps each of its others once.
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
    """Of each replicate the scores of some regions, (n_definitions, n_variants, n_regions) as in `herb.VARIANTS`, in
    single precision: the bounds of an interval are of few digits anyway.

    f, f_name, parent: as for `herb.herb`, without what `resampling` says there are no scores for. definitions: as for
    `herb.herb_by_definition`. threads: replicates that are worked out side by side; each has a random stream of its
    own, so that their number changes nothing.
    """
    replicate = partial(_replicate, f.astype(np.float32), f_name, parent, resampling, definitions, regions)
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

    The weights of the other regions are held, and so is n of Eq. 8. So the scores are exact but for C_w of a parent of
    leaves, whose own C moves with the centroid that the region took part in. nan where fewer than two others are left.
    Arguments as for `herb.herb`; estimates: what it gives for them.
    """
    v = np.zeros_like(f)
    v[parent != -1] = herb.descriptive_vectors(f[parent != -1])
    V = v.copy()
    left_out = np.full((len(estimates.array()), len(f)), np.nan)
    for region, below in herb.clusters(parent):  # a sub-region's V is set before its parent's turn
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

    On the scale of logarithms, where a mean distance is nearly normal, with the quantile of t(n - 1). estimate: (...,).
    left_out: (n, ...) without each sub-region. nan where a score is 0, or fewer than two of others are left.
    """
    n = len(left_out)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(left_out)
        error = np.sqrt((n - 1) / n * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
        width = stdtrit(n - 1, (1 + level) / 2) * error
        return error, estimate * np.exp(-width), estimate * np.exp(width)
