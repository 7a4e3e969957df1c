"""Does a model see the hierarchy? A permutation test: do regions of one region lie closer together than chance?

The statistic of a level is the mean distance of descriptive vectors (Eq. 2) over all pairs of regions that lie in the
same region, each pair once. Chance is that every region of the level might as well lie in another region, of those that
share its grandparent: countries change continents, cities change countries within their continent, and every region
keeps the number of its sub-regions. So the cities of a country do not count as close when all of the continent's are.
"""

from functools import partial

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import score
from herbarium.metrics.herb.selection import Likelihoods
from herbarium.statistics.inference import adjust, percentile_interval
from herbarium.statistics.parallel import side_by_side
from herbarium.statistics.tidy import tidy

# One grandparent's regions: the rows of each cluster of them.
Family = list[np.ndarray]
# Sums of the same distances in another order differ in single precision by less than this share.
_TIE = 1e-6


def families(parent: np.ndarray) -> dict[int, list[Family]]:
    """Depth of a level, the second below the root or deeper -> its regions by grandparent and parent."""
    sub_regions, depth = dict(score.clusters(parent)), score.depths(parent)
    by_depth = {}
    for region, below in sub_regions.items():
        family = [sub_regions[row] for row in below.tolist() if row in sub_regions]
        if family:
            by_depth.setdefault(int(depth[region]) + 2, []).append(family)
    return dict(sorted(by_depth.items()))


def n_pairs(level: list[Family]) -> int:
    """How many pairs of regions of a level share a parent."""
    return sum(len(cluster) * (len(cluster) - 1) // 2 for family in level for cluster in family)


def within(v: np.ndarray, level: list[Family]) -> float:
    """Mean distance of the pairs that share a parent, at least one of them. v: (n_regions, d) of Eq. 2."""
    return sum(_sum_of_distances(v[cluster]) for family in level for cluster in family) / n_pairs(level)


def expected(v: np.ndarray, level: list[Family]) -> float:
    """The mean of `within` over all permutations, exactly: in them each pair of a family is as often one as any other.

    So each family adds the mean distance of all its pairs, as often as it has pairs that share a parent.
    """
    total = 0.0
    for family in level:
        rows = np.concatenate(family)
        if len(rows) > 1:
            total += _sum_of_distances(v[rows]) / n_pairs([[rows]]) * n_pairs([family])
    return total / n_pairs(level)


def _sum_of_distances(v: np.ndarray) -> float:
    if len(v) < 2:
        return 0.0
    return score.weighted_mean_distance(v, np.zeros((len(v), 1)))[0] * n_pairs([[np.arange(len(v))]])


def permuted(level: list[Family], random: np.random.Generator) -> list[Family]:
    """Each family's regions put anew into its clusters, which keep their sizes."""
    shuffled = []
    for family in level:
        ends = np.cumsum([len(cluster) for cluster in family])
        shuffled.append(np.split(random.permutation(np.concatenate(family)), ends[:-1]))
    return shuffled


def p_value(
    v: np.ndarray, level: list[Family], permutations: int, random: np.random.Generator, threads: int = 1
) -> float:
    """Share of the permutations, with the hierarchy itself as one of them, whose `within` is no greater than its own.

    threads: permutations that are worked out side by side, each with a random stream of its own.
    """
    observed = within(v, level)
    drawn = side_by_side(partial(_permuted_within, v, level), random.spawn(permutations), threads)
    drawn = tracked(drawn, permutations, "permutations", "Permuting regions")
    return (1 + sum(distance <= observed * (1 + _TIE) for distance in drawn)) / (1 + permutations)


def _permuted_within(v: np.ndarray, level: list[Family], random: np.random.Generator) -> float:
    return within(v, permuted(level, random))


def resampled_distances(
    f: np.ndarray,
    parent: np.ndarray,
    topics: np.ndarray,
    level: list[Family],
    replicates: int,
    random: np.random.Generator,
    threads: int = 1,
) -> np.ndarray:
    """(replicates, 2) `within` and `expected` on descriptions drawn within their topics; arguments as for `p_value`."""
    resampling = herb_bootstrap.Resampling("descriptions", topics, parent)
    drawn = side_by_side(partial(_distances, f, parent, resampling, level), random.spawn(replicates), threads)
    return np.array(list(tracked(drawn, replicates, "replicates", "Bootstrap of the hierarchy"))).reshape(-1, 2)


def _distances(
    f: np.ndarray,
    parent: np.ndarray,
    resampling: herb_bootstrap.Resampling,
    level: list[Family],
    random: np.random.Generator,
) -> tuple[float, float]:
    counts, _ = resampling.draw(random)
    v = _vectors(score.with_counts(f, counts), parent)
    return within(v, level), expected(v, level)


def _vectors(f: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """v of Eq. 2, of all but the root, which has none."""
    v = np.zeros_like(f)
    v[parent != -1] = score.descriptive_vectors(f[parent != -1])
    return v


def measure(
    model: str,
    selected: Likelihoods,
    permutations: int,
    bootstrap: dict,
    method: str,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Tidy rows of metric "herb_hierarchy": each level below the first a `unit`, the root the `group`.

    Variant `effect` is 1 - within / expected: 0 where regions lie as close as chance has it, 1 where those of one
    region agree, below 0 where they lie farther apart. Its p-value is of the permutations, one-sided, adjusted over the
    levels with `method` (`inference.adjust`). `within` and `expected` are the two distances, without unit. Percentile
    intervals over descriptions within topics: bootstrap, `replicates` and `level`. `n`: the regions of the level. A
    level whose regions cannot change places, or all have one vector, has no numbers but a note.
    """
    parent, single = selected.parent, selected.f.astype(np.float32)
    v, v_single = _vectors(selected.f, parent), _vectors(single, parent)
    rows = []
    for depth, level in families(parent).items():
        unit = " and ".join(sorted(selected.regions["level"][score.depths(parent) == depth].unique()))
        of_level = {"unit": unit, "n": sum(len(cluster) for family in level for cluster in family)}
        if not n_pairs([family for family in level if len(family) > 1]):
            rows.append({**of_level, "variant": "effect", "note": "not tested: no region has another place to go"})
            continue
        distances = within(v, level), expected(v, level)
        if not distances[1]:
            rows.append({**of_level, "variant": "effect", "note": "not tested: all regions have the same vector"})
            continue
        estimates = _variants(*distances)
        n = bootstrap["replicates"]
        random = stream(seed, "bootstrap", "herb", "descriptions")
        drawn = _variants(*resampled_distances(single, parent, selected.topic_of, level, n, random, threads).T)
        for variant, estimate in estimates.items():
            row = {**of_level, "variant": variant, "estimate": estimate}
            if n > 1:
                row["std_error"] = drawn[variant].std(ddof=1)
                row["ci_low"], row["ci_high"] = percentile_interval(drawn[variant], bootstrap["level"])
            if variant == "effect":
                random = stream(seed, "permutation", "herb", unit)
                row["p_value"] = p_value(v_single, level, permutations, random, threads)
            rows.append(row)
    root = selected.regions.loc[parent == -1, "region"].item()
    table = tidy(pd.DataFrame(rows).assign(model=model, metric="herb_hierarchy", definition="paper", group=root))
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(dtype=float), method)
    return table


def _variants(within: np.ndarray, expected: np.ndarray) -> dict[str, np.ndarray]:
    return {"effect": 1 - within / expected, "within": within, "expected": expected}
