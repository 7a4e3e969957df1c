"""HERB: hierarchical regional bias (Li et al. 2022, Findings of AACL-IJCNLP, pp. 334-346).

A hierarchy is an array `parent`: parent[i] is the row of region i's parent, -1 for the root. Level 1 of the paper is a
region without sub-regions, whatever its place in the tree (Section 1: "In the case that a region does not contain any
sub-regions, its cluster sparseness is modelled by the distance to the centroids of the cluster, where all the regions
belong to the same upper-level region"). What the paper leaves open is settled as follows:

- a cluster of one sub-region has no pair: its sparseness is 0 in every dimension, so alpha is uniform, 1/n, and C = 0;
- the root ("the Earth") has a score but no descriptive vector: nothing lies above it that would use one.

Every pair of sub-regions counts once (unordered), as the factor 2/(|R|(|R|-1)) of Eqs. 3 and 6 requires. The weights of
Eqs. 9 and 10 sum to one over those pairs, so C_w and C_z carry that factor on top of a mean: they fall with the square
of the number of sub-regions. `size_free` leaves the factor out and can compare groups of different size.

The authors' released code departs from the paper; `DEPARTURES` names how its aggregation does.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

# Departures of the released code from the equations, from f(S) on. Its lowest level ("cities") is here the deepest of
# the tree, its highest ("continents") the one below the root.
DEPARTURES = {
    "last_pair": "Eq. 6 uses only the last pair of sub-regions, and its squared difference",
    "single_alpha": "a region with one sub-region adds the full v of that sub-region to its own: alpha is 1",
    "unit_V": "V is scaled to unit L2 norm before distances are taken",
    "raw_top": "v of a region of the highest level is not scaled to unit L2 norm",
    "last_leaf": "C of the last region of each cluster of the lowest level is 0",
    "childless": "C of a region above the lowest level that has no sub-regions is 0",
    "last_name": "C_z: f of the bare name is 0 for all but the last sub-region of a cluster",
}

# Rows and columns of a tile of distances: together they stay in a processor's cache from the product to the sums.
_ROWS, _COLUMNS = 256, 512


@dataclass(frozen=True)
class Scores:
    """Scores of every region, each an array (n_regions,), without unit; row order of the input."""

    C_w: np.ndarray
    C_z: np.ndarray
    C_w_size_free: np.ndarray
    C_z_size_free: np.ndarray
    sparseness: np.ndarray

    def array(self) -> np.ndarray:
        """(n_variants, n_regions), the variants in the order of `VARIANTS`."""
        return np.array([getattr(self, variant) for variant in VARIANTS])


VARIANTS = tuple(field.name for field in fields(Scores))


def descriptive_vectors(f: np.ndarray) -> np.ndarray:
    """v of Eq. 2: each region's likelihoods over the descriptions, scaled to unit L2 norm.

    f: (n_regions, n_descriptions) f(S) of Eq. 1, natural-log means. Raises ValueError on a value that is not finite.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", f, f))
    if not np.isfinite(norms).all():
        raise ValueError("f(S) must be finite for every region and description")
    return f / norms[:, None]


def unit_vectors(f: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """v of Eq. 2 for every region, 0 for the root, which has none. f, parent: as for `herb`."""
    v, is_root = np.copy(f), parent == -1
    v[is_root] = 1
    v = descriptive_vectors(v)
    v[is_root] = 0
    return v


def with_counts(f: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Columns that give the norms and distances of f with each column repeated counts times, from the distinct columns
    only.

    f: (n_regions, n_descriptions). counts: (n_descriptions,). k equal columns are equivalent to one that is sqrt(k)
    times as long.
    """
    drawn = counts > 0
    columns = f.T[drawn]
    columns *= np.sqrt(counts[drawn]).astype(f.dtype)[:, None]
    return columns.T


def dimension_sparseness(v: np.ndarray) -> np.ndarray:
    """c(R)_i of Eq. 6: mean distance of pairs within each dimension. v: (n, d) vectors of one cluster; gives (d,).

    The sum over pairs is taken from the sorted values: the k-th smallest of n is subtracted n-1-k times, added k times.
    """
    n = len(v)
    if n < 2:
        return np.zeros(v.shape[1])
    return np.sort(np.ascontiguousarray(v.T)) @ (2.0 * np.arange(n) - n + 1) / (n * (n - 1) / 2)


def aggregated_vector(
    v: np.ndarray,
    v_of_sub_regions: np.ndarray,
    departures: Collection[str] = (),
    counts: np.ndarray | int = 1,
    c: np.ndarray | None = None,
) -> np.ndarray:
    """V of a region with sub-regions (Eqs. 4, 5, 7): v plus their centroid, weighted by alpha in each dimension.

    v: (d,). v_of_sub_regions: (n, d), n >= 1. departures: of `DEPARTURES`. counts: (d,) or 1, how many copies each
    dimension represents; its column is then the square root of that number times as long. c: (d,) the
    `dimension_sparseness` of the sub-regions, if known.
    """
    n = len(v_of_sub_regions)
    if n == 1 and "single_alpha" in departures:
        return v + v_of_sub_regions[0]
    c = (dimension_sparseness(v_of_sub_regions) if c is None else c) / np.sqrt(counts)
    if n > 1 and "last_pair" in departures:
        c = 2 / (n * (n - 1)) * (v_of_sub_regions[-2] - v_of_sub_regions[-1]) ** 2 / counts
    alpha = np.exp(c) / (counts * np.exp(c)).sum()
    return v + alpha * v_of_sub_regions.mean(axis=0)


def weighted_mean_distance(vectors: np.ndarray, log_weights: np.ndarray) -> np.ndarray:
    """Mean Euclidean distance of unordered pairs, pair (i, j) weighted by exp(l_i + l_j) / sum over pairs (Eqs. 8-10).

    vectors: (n, d), n >= 2, of either precision; sums over rows are in double. log_weights: (n, k), k sets of weights;
    returns (k,).
    """
    # the common scale cancels, and exp of a likelihood would underflow
    weights = np.exp(log_weights - log_weights.max(axis=0))
    # each weight times the sum of those before it: if one region outweighs all others, the square of the sum minus the
    # squares would cancel
    pairs = (weights[1:] * np.cumsum(weights, axis=0)[:-1]).sum(axis=0)
    return sums_of_distances(vectors, weights) / pairs


def sums_of_distances(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k,) sums over unordered pairs of rows of their Euclidean distance, times the weights of both.

    vectors: (n, d), of either precision; sums over rows are in double. weights: (n, k), k sets of weights.
    """
    cast, distances = weights.astype(vectors.dtype, copy=False), _distances(vectors)
    total = np.zeros(weights.shape[1])
    for rows, columns, share in _tiles(len(vectors)):
        total += share * np.einsum("ik,ik->k", weights[rows], distances(rows, columns) @ cast[columns])
    return total


def sums_by_kind(each: Sequence[np.ndarray], kind: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n,) sums over unordered pairs of rows of their Euclidean distance, times the weight of the kinds of both, for n
    sets of vectors. Weights of pairs, which take as long as their distances, are laid out once for all sets.

    each: n arrays (n_rows, d_i) of one precision. kind: (n_rows,) codes. weights: (n_kinds, n_kinds), symmetric.
    """
    distances, total = [_distances(vectors) for vectors in each], np.zeros(len(each))
    weights = weights.astype(each[0].dtype, copy=False)
    for rows, columns, share in _tiles(len(kind)):
        of_pairs = np.take(weights[kind[rows]], kind[columns], axis=1)
        total += [share * np.vecdot(of_pairs, tile(rows, columns)).sum(dtype=float) for tile in distances]
    return total


def mean_distances_without(vectors: np.ndarray, log_weights: np.ndarray) -> np.ndarray:
    """(n, k) `weighted_mean_distance` without each of the n >= 3 rows in turn. Arguments as there."""
    weights = np.exp(log_weights - log_weights.max(axis=0))
    distances, to_others = _distances(vectors), np.zeros(weights.shape)  # each row's weighted ones to all the others
    for rows, columns, _ in _tiles(len(vectors)):
        tile = distances(rows, columns)
        to_others[rows] += tile @ weights[columns]
        if rows != columns:
            to_others[columns] += tile.T @ weights[rows]
    of_row = weights * to_others
    others = weights.sum(axis=0) - weights
    pairs_of_row = weights * others
    return (of_row.sum(axis=0) / 2 - of_row) / (pairs_of_row.sum(axis=0) / 2 - pairs_of_row)


def _tiles(n: int) -> Iterator[tuple[slice, slice, float]]:
    """Rows and columns of tiles that have each pair of n once, and the share of a tile that counts.

    A block of rows is first compared with itself, as a tile with both triangles; then with all rows after it.
    """
    for start in range(0, n, _ROWS):
        rows = slice(start, min(start + _ROWS, n))
        yield rows, rows, 0.5
        for at in range(rows.stop, n, _COLUMNS):
            yield rows, slice(at, min(at + _COLUMNS, n)), 1.0


def _distances(vectors: np.ndarray) -> Callable[[slice, slice], np.ndarray]:
    """Euclidean distances of some rows and others, as a tile."""
    n, d = vectors.shape
    # |a - b|² as one product: (-2a, |a|², 1) with (b, 1, |b|²); a vector is a column
    left, right = np.ones((2, d + 2, n), vectors.dtype)
    centred = right[:d]  # keeps the Gram form of the distance exact for vectors that nearly agree
    np.subtract(vectors.T, vectors.mean(axis=0)[:, None], out=centred)
    np.multiply(centred, -2, out=left[:d])
    left[d] = right[d + 1] = np.einsum("ij,ij->j", centred, centred)

    def tile(rows: slice, columns: slice) -> np.ndarray:
        distances = left[:, rows].T @ right[:, columns]
        if columns == rows:
            np.fill_diagonal(distances, 0)
        if distances.min() < 0:  # rounding, for vectors that nearly agree
            np.maximum(distances, 0, out=distances)
        return np.sqrt(distances, out=distances)

    return tile


def clusters(parent: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each region that has sub-regions, with their rows; a sub-region's own cluster comes before that of its parent."""
    order = np.argsort(parent, kind="stable")
    regions, starts = np.unique(parent[order], return_index=True)
    sub_regions = dict(zip(regions.tolist(), np.split(order, starts[1:]), strict=True))
    has_sub_regions = n_sub_regions(parent) > 0
    downward = [-1]  # above the root
    for region in downward:
        below = sub_regions[region]
        downward.extend(below[has_sub_regions[below]].tolist())
    for region in reversed(downward[1:]):
        yield region, sub_regions[region]


def n_sub_regions(parent: np.ndarray) -> np.ndarray:
    """(n_regions,) the number of regions directly in each: 0 for a leaf."""
    return np.bincount(parent[parent >= 0], minlength=len(parent))


def depths(parent: np.ndarray) -> np.ndarray:
    """(n_regions,) the number of regions above each: 0 for the root."""
    depth = np.zeros(len(parent), dtype=int)
    for region, below in reversed(list(clusters(parent))):  # from the root down
        depth[below] = depth[region] + 1
    return depth


def herb(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    departures: Collection[str] = (),
    counts: np.ndarray | None = None,
) -> Scores:
    """C_w (Eqs. 8, 9), C_z (Eqs. 8, 10), both also size-free, and sparseness c (Eq. 3) of every region.

    f: (n_regions, n_descriptions) f(S) of Eq. 1. f_name: (n_regions,) f of the bare region name. parent: (n_regions,)
    rows of the parents, -1 for the one root, whose own f and f_name no equation uses. departures: which of `DEPARTURES`
    follow the released code; none is the definition `paper`. Sparseness is that of the cluster of the region's
    sub-regions, nan with fewer than two of them; for a root without sub-regions, all scores are nan. Vectors and
    distances have the precision of f.

    A resample is given by counts: (n_descriptions,) how often each description is drawn; the scores are those of f with
    every column repeated that often.

    Raises ValueError on a value of a drawn description, or of a name, that is not finite, and on an unknown departure.
    """
    return herb_by_definition(f, f_name, parent, [departures], counts)[0]


def herb_by_definition(
    f: np.ndarray,
    f_name: np.ndarray,
    parent: np.ndarray,
    definitions: Sequence[Collection[str]],
    counts: np.ndarray | None = None,
) -> list[Scores]:
    """`herb` with each of several sets of departures. Leaves have the same vectors under all of them, and nearly all
    pairs of regions are leaves: their distances are computed once."""
    if unknown := sorted({name for departures in definitions for name in departures} - set(DEPARTURES)):
        raise ValueError(f"not departures: {unknown}")
    if not np.isfinite(f_name[parent != -1]).all():
        raise ValueError("f of the bare region name must be finite for every region but the root")
    if counts is None:
        counts = np.ones(f.shape[1], dtype=int)
    f, counts = with_counts(f, counts), counts[counts > 0]
    v = unit_vectors(f, parent)
    depth, is_leaf = depths(parent), n_sub_regions(parent) == 0
    c = np.full(len(v), np.nan)
    by_definition = [_Definition(departures, f, v, depth, is_leaf) for departures in definitions]
    for region, below in clusters(parent):
        of_below = np.take(v.T, below, axis=1).T
        about_centroid = of_below - of_below.mean(axis=0)
        spread = dimension_sparseness(about_centroid)
        to_centroid = np.sqrt(np.einsum("ij,ij->i", about_centroid, about_centroid))  # Eq. 8, l = 1
        for definition in by_definition:
            definition.enter(region, below, of_below, to_centroid, spread, counts)
        if len(below) > 1:
            together = [definition for definition in by_definition if definition.keeps_vectors(below)]
            c[region] = _leave(together, region, below, of_below, f_name)
            for definition in by_definition:
                if definition not in together:
                    _leave([definition], region, below, definition.vectors(below), f_name)
    return [Scores(*definition.C, c) for definition in by_definition]


def _leave(
    definitions: Sequence["_Definition"], region: int, below: np.ndarray, vectors: np.ndarray, f_name: np.ndarray
) -> float:
    """Set C of a region with at least two sub-regions, for definitions with the same vectors of these, and return the
    plain mean distance."""
    log_weights = [definition.log_weights(below, f_name) for definition in definitions]
    columns = np.concatenate([np.zeros((len(below), 1)), *log_weights], axis=1).T
    distinct = {column.tobytes(): column for column in columns}  # for several definitions, most are the same
    distances = dict(
        zip(distinct, weighted_mean_distance(vectors, np.stack(list(distinct.values()), axis=1)), strict=True)
    )
    plain, *means = (distances[column.tobytes()] for column in columns)
    for definition, (by_w, by_z, by_w_free) in zip(definitions, np.reshape(means, (-1, 3)), strict=True):
        factor = 2 / (len(below) * (len(below) - 1))
        definition.C[:, region] = factor * by_w, factor * by_z, by_w_free, by_z
    return plain


class _Definition:
    """The state of a definition while regions are visited from the leaves up: V and C."""

    def __init__(
        self, departures: Collection[str], f: np.ndarray, v: np.ndarray, depth: np.ndarray, is_leaf: np.ndarray
    ):
        self.departures, self.depth, self.is_leaf = departures, depth, is_leaf
        self.V = v.copy()  # Eq. 4, l = 1: what a leaf keeps
        if "raw_top" in departures:
            self.V[depth == 1] = f[depth == 1]
        self.C = np.zeros((4, len(v)))  # C_w, C_z, and both size-free
        self.C[:, is_leaf & (depth == 0)] = np.nan  # a root alone

    def enter(
        self,
        region: int,
        below: np.ndarray,
        v_below: np.ndarray,
        to_centroid: np.ndarray,
        spread: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        """Set C of the leaves of a cluster, and V of its region. spread: its `dimension_sparseness`."""
        has_C, lowest = self.is_leaf[below], self.depth.max()
        if "childless" in self.departures:
            has_C &= self.depth[below] == lowest
        if "last_leaf" in self.departures and self.depth[below[-1]] == lowest:
            has_C[-1] = False
        self.C[:, below[has_C]] = to_centroid[has_C]
        self.V[region] = aggregated_vector(self.V[region], v_below, self.departures, counts, spread)

    def keeps_vectors(self, below: np.ndarray) -> bool:
        """Whether V of a cluster is v: scaling that to unit length again changes nothing."""
        return bool(self.is_leaf[below].all()) and not ("raw_top" in self.departures and self.depth[below[0]] == 1)

    def vectors(self, below: np.ndarray) -> np.ndarray:
        return descriptive_vectors(self.V[below]) if "unit_V" in self.departures else self.V[below]

    def log_weights(self, below: np.ndarray, f_name: np.ndarray) -> np.ndarray:
        """(n, 3) of a cluster: of C_w, of C_z, and of C_w size-free."""
        likelihood = f_name[below]
        if "last_name" in self.departures:
            likelihood = np.where(below == below[-1], likelihood, 0)
        return np.stack([self.C[0, below], likelihood, self.C[2, below]], axis=1)


def sparseness(f: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Sparseness without hierarchy (Eq. 3, Table 2): for each region, over all regions inside it at any depth and
    itself.

    f, parent: as for `herb`. Returns (n_regions,), nan for a region without sub-regions; the root, which has no f, does
    not include itself. Every pair is counted, exactly; memory holds 2048 rows of the distances at a time.
    """
    v = unit_vectors(f, parent)
    c, inside = np.full(len(f), np.nan), {}
    for region, below in clusters(parent):
        itself = [] if parent[region] == -1 else [region]
        inside[region] = np.concatenate([itself, *(inside.pop(row, [row]) for row in below.tolist())]).astype(int)
        if len(inside[region]) >= 2:
            c[region] = weighted_mean_distance(v[inside[region]], np.zeros((len(inside[region]), 1)))[0]
    return c


def scorable(f: np.ndarray, f_name: np.ndarray, parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which regions and descriptions can be measured if some sentences were refused (nan).

    A description for which no region has a score is left out; then a region that lacks any other score, or lies inside
    such a region; without any description, every region. Returns two boolean masks, (n_regions,) and (n_descriptions,);
    the root is always kept.
    """
    root = parent == -1
    has_score = np.isfinite(f)
    descriptions = has_score[~root].any(axis=0)
    regions = root | (has_score[:, descriptions].all(axis=1) & np.isfinite(f_name) & descriptions.any())
    for region, below in reversed(list(clusters(parent))):  # from the root down
        regions[below] &= regions[region]
    return regions, descriptions
