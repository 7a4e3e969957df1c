"""Does a model see the hierarchy? A permutation test: do regions of one region lie closer together than chance?

The statistic of a level is the mean distance of descriptive vectors (Eq. 2) over all pairs of regions that lie in the
same region, each pair once. Under chance, every region of the level might as well lie in another region with the same
grandparent: countries change continents, cities change countries within their continent, and every region keeps the
number of its sub-regions. So the cities of a country do not count as close if all cities of the continent are.

Regions are only swapped with those whose names are similar to the model: with the same number of tokens, and the same
words shared with other names of the level. f(S) depends on both without any bias, and continents differ in them: "…
Islands" lie in Oceania, "Saint …" in America. Otherwise models without a bias would seem to see the hierarchy.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import score
from herbarium.metrics.herb.crossed import words_of
from herbarium.metrics.herb.selection import Likelihoods
from herbarium.statistics.inference import adjust, percentile_interval
from herbarium.statistics.parallel import one_thread, side_by_side
from herbarium.statistics.tidy import tidy

# In single precision, sums of the same distances in another order differ by less than this share.
_TIE = 1e-6
# Replicates that share the chances of pairs: computing these for one takes as long as its distances.
_TOGETHER = 8


@dataclass(frozen=True)
class Family:
    """The regions of a level within one grandparent, by name: their rows, codes for the parent and the name of each.

    Regions with the same code for their names may be swapped.
    """

    rows: np.ndarray
    parent: np.ndarray
    name: np.ndarray

    def counts(self) -> np.ndarray:
        """(n_names, n_parents) the number of regions of each."""
        counts = np.zeros((self.name.max() + 1, self.parent.max() + 1))
        np.add.at(counts, (self.name, self.parent), 1)
        return counts

    def chances(self) -> np.ndarray:
        """(n_names, n_names) the probability that a region with one name and another with the other share a parent.

        In which parent a region lies depends only on its name: the share of the regions with that name that lie there.
        For two names these are independent; two regions with the same name do not take the same place.
        """
        counts = self.counts()
        n = counts.sum(axis=1)
        shares = counts / n[:, None]
        chances = shares @ shares.T
        np.fill_diagonal(chances, (counts * (counts - 1)).sum(axis=1) / np.maximum(n * (n - 1), 1))
        return chances

    def clusters(self) -> list[np.ndarray]:
        """Rows by parent."""
        return [self.rows[self.parent == parent] for parent in range(self.parent.max() + 1)]

    def n_movable(self) -> int:
        """The number of regions with another parent to go to: one that has a region with a similar name."""
        counts = self.counts()
        return int(counts[(counts > 0).sum(axis=1) > 1].sum())


def alike(names: Sequence[str], n_tokens: Sequence[int]) -> list[tuple]:
    """What makes names similar to a model: the number of tokens, and the words that they share with other names."""
    words = [words_of(name) for name in names]
    n_names = Counter(word for name_words in words for word in name_words)
    return [
        (n, frozenset(word for word in name_words if n_names[word] > 1))
        for n, name_words in zip(n_tokens, words, strict=True)
    ]


def families(parent: np.ndarray, names: Sequence[str], n_tokens: Sequence[int]) -> dict[int, list[Family]]:
    """Depth of a level, the second below the root or deeper -> its regions by grandparent.

    parent: (n_regions,) rows, -1 for the root. names, n_tokens: of every region.
    """
    depth, by_level = score.depths(parent), {}
    for level in range(2, int(depth.max()) + 1):
        rows = np.flatnonzero(depth == level)
        kinds = pd.Series(alike([names[row] for row in rows], [n_tokens[row] for row in rows]), rows)
        grandparent = parent[parent[rows]]
        by_level[level] = [_family(rows[grandparent == ancestor], parent, kinds) for ancestor in np.unique(grandparent)]
    return by_level


def _family(rows: np.ndarray, parent: np.ndarray, kinds: pd.Series) -> Family:
    name = pd.factorize(kinds[rows])[0]
    order = np.argsort(name, kind="stable")
    return Family(rows[order], pd.factorize(parent[rows])[0][order], name[order])


def n_pairs(level: list[Family]) -> int:
    """The number of pairs of regions of a level that share a parent."""
    return sum(len(cluster) * (len(cluster) - 1) // 2 for family in level for cluster in family.clusters())


def within(v: np.ndarray, level: list[Family]) -> float:
    """Mean distance of the pairs that share a parent, at least one pair. v: (n_regions, d) of Eq. 2."""
    clusters = (cluster for family in level for cluster in family.clusters())
    return sum(_sum_of_distances(v[cluster]) for cluster in clusters) / n_pairs(level)


def _sum_of_distances(v: np.ndarray) -> float:
    return score.sums_of_distances(v, np.ones((len(v), 1))).item()


def expected(each: Sequence[np.ndarray], level: list[Family]) -> np.ndarray:
    """(n,) the mean of `within` over all permutations, exactly. each: n arrays as for `within`."""
    sums = [score.sums_by_kind([v[family.rows] for v in each], family.name, family.chances()) for family in level]
    return np.sum(sums, axis=0) / n_pairs(level)


def permuted(level: list[Family], random: np.random.Generator) -> list[Family]:
    """A random swap of regions with similar names within their families."""
    return [Family(_permuted(family, random), family.parent, family.name) for family in level]


def _permuted(family: Family, random: np.random.Generator) -> np.ndarray:
    rows = family.rows.copy()
    for start, stop in pairwise(np.flatnonzero(np.diff(family.name, prepend=-1, append=-1))):
        random.shuffle(rows[start:stop])
    return rows


def p_value(
    v: np.ndarray, level: list[Family], permutations: int, random: np.random.Generator, threads: int = 1
) -> float:
    """Share of the permutations, including the hierarchy itself, whose `within` is not greater than its own.

    threads: permutations computed in parallel, each with its own random stream.
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
    streams = random.spawn(replicates)
    together = [streams[start : start + _TOGETHER] for start in range(0, replicates, _TOGETHER)]
    resampling = herb_bootstrap.Resampling(topics)
    drawn = chain.from_iterable(side_by_side(partial(_distances, f, parent, resampling, level), together, threads))
    return np.array(list(tracked(drawn, replicates, "replicates", "Bootstrap of the hierarchy"))).reshape(-1, 2)


def _distances(
    f: np.ndarray,
    parent: np.ndarray,
    resampling: herb_bootstrap.Resampling,
    level: list[Family],
    streams: list[np.random.Generator],
) -> np.ndarray:
    each = [score.unit_vectors(score.with_counts(f, resampling.draw(random)), parent) for random in streams]
    return np.stack([[within(v, level) for v in each], expected(each, level)], axis=1)


@one_thread
def measure(
    model: str,
    selected: Likelihoods,
    n_tokens: Mapping[str, int],
    permutations: int,
    bootstrap: dict,
    method: str,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Tidy rows of metric "herb_hierarchy": each level below the first a `unit`, the root the `group`.

    n_tokens: of the sentence of each name alone. Variant `effect` is 1 - within / expected: 0 if regions lie as
    close as expected by chance, 1 if those of one region agree, below 0 if they lie farther apart. Its p-value is
    from the permutations, one-sided, adjusted over the levels with `method` (`inference.adjust`). `within` and
    `expected` are the two distances, without unit. Percentile intervals over descriptions within topics: bootstrap,
    `replicates`, of which the first `bootstrap.FOR_INTERVALS` are drawn, and `level`. `n`: the regions of the
    level; the note says how many of them have another parent to go to. A level whose regions have none, lie in a
    region each, or all have the same vector, has no numbers.
    """
    parent, single = selected.parent, selected.f.astype(np.float32)
    v, v_single = score.unit_vectors(selected.f, parent), score.unit_vectors(single, parent)
    names = selected.regions["name"].tolist()
    rows = []
    for depth, level in families(parent, names, [n_tokens.get(name, 0) for name in names]).items():
        unit = " and ".join(sorted(selected.regions["level"][score.depths(parent) == depth].unique()))
        of_level = {"unit": unit, "n": sum(len(family.rows) for family in level)}
        if not any(family.n_movable() for family in level):
            rows.append({**of_level, "variant": "effect", "note": "not tested: no region can be swapped"})
            continue
        if not n_pairs(level):
            rows.append({**of_level, "variant": "effect", "note": "not tested: no two regions lie in the same region"})
            continue
        distances = within(v, level), expected([v], level).item()
        if not distances[1]:
            rows.append({**of_level, "variant": "effect", "note": "not tested: all regions have the same vector"})
            continue
        of_level["note"] = f"{sum(family.n_movable() for family in level)} of {of_level['n']} regions can be swapped"
        estimates = _variants(*distances)
        n = min(bootstrap["replicates"], herb_bootstrap.FOR_INTERVALS)
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
    table = tidy(
        pd.DataFrame(rows).assign(model=model, metric="herb_hierarchy", definition="paper", group=root), over="regions"
    )
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(dtype=float), method)
    return table


def _variants(within: np.ndarray, expected: np.ndarray) -> dict[str, np.ndarray]:
    return {"effect": 1 - within / expected, "within": within, "expected": expected}
