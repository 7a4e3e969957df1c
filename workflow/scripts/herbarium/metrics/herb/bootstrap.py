"""Resamples of HERB: over descriptions within topics, over sub-regions within the region that they lie in, over both.

What is drawn depends on the study and the random stream alone, not on the model: two models given the same stream are
measured on the same resamples, and their difference is paired. A model that lacks some scores gets the draws of the
whole study, without what it lacks.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from herbarium.metrics.herb import score as herb
from herbarium.statistics.inference import jackknife_sums
from herbarium.statistics.parallel import side_by_side

OVER = ("descriptions", "sub_regions", "both")


def variant_over(variant: str, source: str) -> str:
    """What a variant is called whose replicates are drawn over one of `OVER`."""
    return f"{variant}_over_{source}"


@dataclass(frozen=True)
class Resampling:
    """What is drawn with replacement. Raises ValueError on an unknown `over`."""

    over: str  # of OVER
    topics: np.ndarray  # (n_descriptions,) the topic of each description of the study
    parent: np.ndarray  # (n_regions,) the hierarchy of the study: rows, -1 for the root
    descriptions: np.ndarray | None = None  # (n_descriptions,) which of them a model has scores for; None: all
    regions: np.ndarray | None = None  # (n_regions,) likewise

    def __post_init__(self):
        if self.over not in OVER:
            raise ValueError(f"over must be one of {', '.join(OVER)}, not '{self.over}'")

    def draw(self, random: np.random.Generator) -> tuple[np.ndarray | None, np.ndarray | None]:
        """`counts` and `copies` for `herb.herb`, of what the model has scores for; None for what is not drawn.

        A topic of which only descriptions without scores were drawn keeps each of its others once; likewise a cluster
        of which fewer than two regions with scores were drawn.
        """
        counts = copies = None
        if self.over != "sub_regions":
            counts = _scored(_drawn(self.topics, 1, random), self.topics, self.descriptions, 1)
        if self.over != "descriptions":
            copies = _scored(_drawn(self.parent, 2, random), self.parent, self.regions, 2)
        return counts, copies


def _drawn(labels: np.ndarray, least: int, random: np.random.Generator) -> np.ndarray:
    """(n,) how often each unit is drawn when as many as a stratum has are drawn from it, with replacement.

    labels: (n,) the stratum of each. A stratum with `least` units or more is drawn until so many distinct ones are.
    """
    _, stratum, size = np.unique(labels, return_inverse=True, return_counts=True)
    by_stratum = np.argsort(stratum, kind="stable")
    start = np.cumsum(size) - size
    drawn = np.zeros(len(labels), dtype=int)
    again = np.ones(len(labels), dtype=bool)
    while again.any():
        rows = stratum[again]
        drawn[again] = 0
        drawn += np.bincount(by_stratum[start[rows] + random.integers(size[rows])], minlength=len(drawn))
        distinct = np.bincount(stratum[drawn > 0], minlength=len(size))
        again = (distinct < np.minimum(size, least))[stratum]
    return drawn


def _scored(drawn: np.ndarray, labels: np.ndarray, scored: np.ndarray | None, least: int) -> np.ndarray:
    """Draws of the units that have scores; all of a stratum once where fewer than `least` distinct ones are left."""
    if scored is not None:
        drawn, labels = drawn[scored], labels[scored]
    _, stratum = np.unique(labels, return_inverse=True)
    distinct = np.bincount(stratum, weights=drawn > 0)
    return np.where(distinct[stratum] < least, 1, drawn)


def bootstrap(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    resampling: Resampling,
    replicates: int,
    random: np.random.Generator,
    threads: int = 1,
    departures: Collection[str] = (),
) -> Iterator[herb.Scores]:
    """Bootstrap replicates of the scores, in single precision: the bounds of an interval are of few digits anyway.

    f, f_name, parent, departures: as for `herb.herb`, without what `resampling` says there are no scores for. threads:
    replicates that are worked out side by side; each has a random stream of its own, so that their number changes
    nothing.
    """
    replicate = partial(_replicate, f.astype(np.float32), f_name, parent, resampling, departures)
    return side_by_side(replicate, random.spawn(replicates), threads)


def _replicate(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    resampling: Resampling,
    departures: Collection[str],
    random: np.random.Generator,
) -> herb.Scores:
    counts, copies = resampling.draw(random)
    return herb.herb(f, f_name, parent, departures, counts, copies)


def jackknife(
    f: np.ndarray, f_name: np.ndarray, parent: np.ndarray, topics: np.ndarray, threads: int = 1
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each of `OVER` the sums of `inference.jackknife_sums`, each (n_variants, n_regions), variants as in `Scores`.

    Over sub-regions a score is taken to depend on the direct ones alone (`without_sub_regions`): what the skewness owes
    to regions further below, which a resample draws too, is left out. topics: (n_descriptions,). The other arguments
    are those of `herb.herb`.
    """
    estimates = herb.herb(f, f_name, parent)
    without = partial(_without_description, f, f_name, parent, topics)
    by_description = jackknife_sums(np.array(list(side_by_side(without, range(len(topics)), threads))), topics)
    left_out = without_sub_regions(f, f_name, parent, estimates)
    squares, cubes = np.full(left_out.shape, np.nan), np.full(left_out.shape, np.nan)
    for region, below in herb.clusters(parent):
        squares[:, region], cubes[:, region] = jackknife_sums(left_out[:, below].T, np.zeros(len(below)))
    by_both = by_description[0] + squares, by_description[1] + cubes
    return {"descriptions": by_description, "sub_regions": (squares, cubes), "both": by_both}


def _without_description(
    f: np.ndarray, f_name: np.ndarray, parent: np.ndarray, topics: np.ndarray, description: int
) -> np.ndarray:
    """(n_variants, n_regions) the scores without a description; with it where its topic has no other."""
    counts = np.ones(len(topics), dtype=int)
    counts[description] = (topics == topics[description]).sum() == 1  # every resample has it
    return herb.herb(f, f_name, parent, counts=counts).array()


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
