"""Local group bias: clusters of instances in which a classifier treats two groups unequally (LOGAN).

Zhao and Chang (2020), "LOGAN: Local Group Bias Detection by Clustering", EMNLP; chapter 4 of Zhao's thesis (2021).
Clusters should be compact and have different accuracies of the two groups (Eq. 4.2):

    L = sum_i |x_i - mu_c(i)|² - strength * sum_j (accuracy_0j - accuracy_1j)².

There are two ways. `exact` descends L, from K-Means partitions. `published` is what the authors' code does.

A gap as large as those published arises by chance alone, all the more if clusters are chosen for it. So the whole
search is repeated on data without group bias (`null`), and each number is compared with those found there. All
replicates go through the sequential passes in parallel; each gets exactly what it would get alone. Linear algebra has
one thread, since products may be rounded differently with another number of threads.

The `kind` of an instance encodes its group and whether the classifier was right: 2 * group + correct, 0 to 3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy  # imports its parts when they are first used
from threadpoolctl import threadpool_limits

EXACT, PUBLISHED = "exact", "published"
LEAST = 20  # least instances of each group in a reported cluster
FEWEST = 5  # least number of clusters after merging
GAP = 0.05  # difference of accuracies from which a cluster counts as biased
MOST_PASSES = 300
_TOLERANCE = 1e-4  # of scikit-learn: the shift of centres that ends `published`, in units of the mean variance
_BLOCK = 64  # instances per block of distances; fixed, since another number may be rounded differently
_CELLS = 2**24  # numbers in the largest array of a block of replicates


@dataclass(frozen=True)
class Partitions:
    """A partition of the same n instances into k clusters for each of some replicates."""

    cluster: np.ndarray  # (n_replicates, n) 0 to k - 1
    centres: np.ndarray  # (n_replicates, k, d)
    inertia: np.ndarray  # (n_replicates,) sum of squared distances to the centres
    loss: np.ndarray  # (n_replicates,) L
    converged: np.ndarray  # (n_replicates,) whether passes ended before MOST_PASSES

    def __getitem__(self, rows: np.ndarray | slice) -> "Partitions":
        return Partitions(
            self.cluster[rows], self.centres[rows], self.inertia[rows], self.loss[rows], self.converged[rows]
        )


def kinds(group: np.ndarray, correct: np.ndarray) -> np.ndarray:
    """2 * group + correct, of arrays of 0 and 1 of any one shape."""
    return (2 * np.asarray(group, np.int8) + np.asarray(correct, np.int8)).astype(np.int8)


def starts(features: np.ndarray, k: int, restarts: int, random: np.random.Generator) -> np.ndarray:
    """(restarts, k, d) initial centres by k-means++. features: (n, d), n >= k."""
    from sklearn.cluster import kmeans_plusplus  # longer to import than most steps take

    seeds = random.integers(2**31, size=restarts)
    with threadpool_limits(1):
        return np.stack([kmeans_plusplus(features, k, random_state=int(seed))[0] for seed in seeds])


def k_means(features: np.ndarray, centres: np.ndarray) -> Partitions:
    """The K-Means partition reached from each start. centres: (n_starts, k, d). The loss is the inertia."""
    from sklearn.cluster import KMeans

    with threadpool_limits(1):
        fits = [
            KMeans(len(start), init=start, n_init=1, tol=0, max_iter=MOST_PASSES, algorithm="lloyd").fit(features)
            for start in centres
        ]
    inertia = np.array([fit.inertia_ for fit in fits])
    return Partitions(
        np.stack([fit.labels_ for fit in fits]),
        np.stack([fit.cluster_centers_ for fit in fits]),
        inertia,
        inertia,
        np.array([fit.n_iter_ < MOST_PASSES for fit in fits]),
    )


def best(partitions: Partitions) -> Partitions:
    """The one partition of the least loss, the first of equal ones, as a single replicate."""
    row = int(partitions.loss.argmin())
    return partitions[row : row + 1]


def exact(
    features: np.ndarray,
    kind: np.ndarray,
    initial: Partitions,
    strength: float,
    order: np.ndarray,
    most_passes: int = MOST_PASSES,
) -> Partitions:
    """For each replicate the partition of least L that descent reaches from several initial ones.

    In a pass instances move, one by one, to the cluster with the least L while all others and the centres stay; then
    centres become means. So L never rises, and ends no higher than that of the initial partition. The gap of a cluster
    that lacks a group is 0.

    features: (n, d). kind: (n_replicates, n). initial: of `k_means`, from each of which every replicate starts.
    strength: of squared gaps, in units of the mean squared distance of the best initial partition, since L adds
    squared gaps to squared distances, whose scale is that of the features. order: (n,) of instances' moves.
    """
    strength = strength * initial.inertia.min() / len(features)

    def fit(kind: np.ndarray, start: np.ndarray) -> Partitions:
        return _descend(features, kind, initial.cluster[start], initial.centres[start], strength, order, most_passes)

    return _best_of_starts(fit, features, kind, len(initial.cluster), "loss")


def published(
    features: np.ndarray, kind: np.ndarray, centres: np.ndarray, strength: float, most_passes: int = MOST_PASSES
) -> Partitions:
    """For each replicate the partition that the authors' code (github.com/uclanlp/clusters) finds.

    It departs from the thesis as follows:
    - The gap influences the choice of an instance's cluster, which is the closest one in Section 4.2.
    - In every pass all begin without a cluster and join one by one; a gap is that of those that have joined so far.
    - They join in the order of their groups. Until the second group joins, its accuracy counts as 0 everywhere: the
      first one gathers where it is classified well.
    - The minimised quantity is the squared distance minus strength * gap² after joining, not the change of L. L can
      rise.
    - Among passes and restarts, the one with the least inertia is taken, whatever its gaps.
    As in the scikit-learn it is built on, passes end when centres hardly move; the best pass's centres then get the
    partition of one more pass; and an empty cluster gets the instance with the highest cost as its centre. A run that
    returns to earlier centres ends, too: it would only repeat itself. Merging of clusters departs as well (`merged`).

    features: (n, d). kind: (n_replicates, n), with the same number of group 0 in every replicate; ValueError otherwise.
    centres: (n_starts, k, d), from each of which every replicate starts. strength: of squared gaps against squared
    distances, unscaled; 5 in the authors' notebook, whose K-Means has a mean squared distance of 26.9.
    """
    if np.ptp((kind < 2).sum(axis=1)):
        raise ValueError("groups have different sizes in some replicates")

    def fit(kind: np.ndarray, start: np.ndarray) -> Partitions:
        return _join(features, kind, centres[start], strength, most_passes)

    return _best_of_starts(fit, features, kind, len(centres), "inertia")


def _best_of_starts(fit: Callable, features: np.ndarray, kind: np.ndarray, n_starts: int, criterion: str) -> Partitions:
    """The best start of each replicate, in blocks of replicates that fit into memory."""
    at_once = max(1, _CELLS // (n_starts * max(len(features), _BLOCK * features.shape[1])))
    parts = []
    with threadpool_limits(1):
        for first in range(0, len(kind), at_once):
            some = kind[first : first + at_once]
            tried = fit(np.repeat(some, n_starts, axis=0), np.tile(np.arange(n_starts), len(some)))
            row = getattr(tried, criterion).reshape(-1, n_starts).argmin(axis=1)
            parts.append(tried[np.arange(len(some)) * n_starts + row])
    fields = ("cluster", "centres", "inertia", "loss", "converged")
    return Partitions(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


def _descend(features, kind, cluster, centres, strength, order, most_passes) -> Partitions:
    """`exact` from one initial partition per replicate. cluster: (n_replicates, n). centres: (n_replicates, k, d)."""
    k = centres.shape[1]
    cluster = cluster.astype(np.int16)
    centres = _means(features, cluster, centres)
    converged = np.zeros(len(cluster), bool)
    for _ in range(most_passes):
        active = np.flatnonzero(~converged)
        if not len(active):
            break
        # Instances first: those of a step lie together.
        active_kind, at = np.ascontiguousarray(kind[active].T), np.ascontiguousarray(cluster[active].T)
        moved = _move(
            features, centres[active], active_kind, at, _counts(cluster[active], kind[active], k), strength, order
        )
        cluster[active] = at.T
        centres[active] = _means(features, cluster[active], centres[active])
        converged[active[~moved]] = True
    inertia = _inertia(features, cluster, centres)
    n, hits = _counts(cluster, kind, k)
    return Partitions(cluster, centres, inertia, inertia - strength * _squared_gap(n, hits).sum(axis=1), converged)


def _move(features, centres, kind, cluster, counts, strength, order) -> np.ndarray:
    """One pass of `exact`, in place. kind, cluster: (n, n_replicates). Returns whether any instance moved, by
    replicate.

    A replicate in which no instance of a block would move, given the state before the block, does not change in it:
    only the others go through it one by one.
    """
    n, hits = counts
    join, stay = _gains(n, hits, strength)
    moved = np.zeros(len(centres), bool)
    squares = (features**2).sum(axis=1)
    for block in _blocks(range(len(order))):
        instances = order[block]
        distances = _distances(features[instances], squares[instances], centres)
        instance_kind, at = kind[instances].T, cluster[instances].T
        every = np.arange(len(centres))[:, None]
        cost = distances - join[every, instance_kind]
        current = np.take_along_axis(distances, at[:, :, None], 2)[:, :, 0] - stay[every, instance_kind, at]
        np.put_along_axis(cost, at[:, :, None], current[:, :, None], 2)
        rows = np.flatnonzero((cost.min(axis=2) < current).any(axis=1))
        if not len(rows):
            continue
        moved[rows] = True
        few = [array[rows] for array in (n, hits, join, stay)]
        for instance, distance in zip(instances, distances[rows].transpose(1, 0, 2), strict=True):
            now = cluster[instance, rows]
            cluster[instance, rows] = _step(distance, kind[instance, rows], now, *few, strength)
        for array, changed in zip((n, hits, join, stay), few, strict=True):
            array[rows] = changed
    return moved


def _step(distance, kind, now, n, hits, join, stay, strength) -> np.ndarray:
    """The cluster to which one instance moves, by replicate; counts and gains are updated in place. distance:
    (n_replicates, k)."""
    rows = np.arange(len(now))
    cost = distance - join[rows, kind]
    current = distance[rows, now] - stay[rows, kind, now]
    cost[rows, now] = current
    target = cost.argmin(axis=1)
    goes = np.flatnonzero(cost[rows, target] < current)
    if len(goes):
        group, correct = kind[goes] >> 1, kind[goes] & 1
        n[goes, now[goes], group] -= 1
        n[goes, target[goes], group] += 1
        hits[goes, now[goes], group] -= correct
        hits[goes, target[goes], group] += correct
        for at in (now[goes], target[goes]):
            gained = _gains(n[goes, at][:, None], hits[goes, at][:, None], strength)
            join[goes, :, at], stay[goes, :, at] = (gain[:, :, 0] for gain in gained)
    return target


def _gains(n: np.ndarray, hits: np.ndarray, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """The decrease of L by squared gaps when an instance joins a cluster, and its increase if a member left.

    n, hits: (rows, k, 2) instances, and correct ones, by group. Each is (rows, 4, k), by the kind of the instance; the
    second is meaningless if a cluster has no such member.
    """
    size, own_hits = n[..., None], hits[..., None]  # (rows, k, group, correct)
    other = n[..., ::-1, None]
    rate = (hits / np.maximum(n, 1))[..., ::-1, None]
    correct = np.arange(2)
    now = _squared_gap(n, hits)[..., None, None]
    joined = np.where(other > 0, ((own_hits + correct) / (size + 1) - rate) ** 2, 0)
    left = np.where((other > 0) & (size > 1), ((own_hits - correct) / np.maximum(size - 1, 1) - rate) ** 2, 0)
    return tuple(strength * change.reshape(*n.shape[:2], 4).transpose(0, 2, 1) for change in (joined - now, now - left))


def _squared_gap(n: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """(..., k) of counts (..., k, 2); 0 if a group has no instance."""
    rate = hits / np.maximum(n, 1)
    return np.where(n.min(axis=-1) > 0, (rate[..., 0] - rate[..., 1]) ** 2, 0)


def _join(features, kind, centres, strength, most_passes) -> Partitions:
    """`published` from one start per replicate. centres: (n_replicates, k, d)."""
    n_replicates, k = centres.shape[:2]
    order = np.argsort(kind >> 1, axis=1, kind="stable")
    tolerance = _TOLERANCE * features.var(axis=0).mean()
    centres = centres.copy()
    best_cluster = np.empty(kind.shape, np.int16)
    best_centres, best_inertia = centres.copy(), np.full(n_replicates, np.inf)
    seen: list[set] = [set() for _ in range(n_replicates)]
    active, again = np.arange(n_replicates), np.ones(n_replicates, bool)
    converged = np.zeros(n_replicates, bool)
    for _ in range(most_passes):
        if not len(active):
            break
        cluster, inertia, cost = _joined(features, centres[active], kind[active], order[active], strength)
        moved = _relocated(features, cluster, cost, k)
        better = inertia < best_inertia[active]
        chosen = active[better]
        best_cluster[chosen], best_inertia[chosen] = cluster[better], inertia[better]
        best_centres[chosen] = moved[better]
        shift = ((centres[active] - moved) ** 2).sum(axis=(1, 2))
        centres[active] = moved
        again[active] = shift > 0
        converged[active] = shift <= tolerance
        on = []
        for row in active[shift > tolerance]:
            key = centres[row].tobytes()
            if key not in seen[row]:
                on.append(row)
            seen[row].add(key)
        active = np.array(on, dtype=int)
    if again.any():
        best_cluster[again], best_inertia[again], _ = _joined(
            features, best_centres[again], kind[again], order[again], strength
        )
    gaps = _squared_gap(*_counts(best_cluster, kind, k)).sum(axis=1)
    return Partitions(best_cluster, best_centres, best_inertia, best_inertia - strength * gaps, converged)


def _joined(features, centres, kind, order, strength) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One pass of `published`: clusters (n_replicates, n), inertia (n_replicates,), and each one's cost, as clusters.

    kind, order: (n_replicates, n); the instances of group 0 come first, the same number in every replicate.
    """
    n_replicates, k = centres.shape[:2]
    squares = (features**2).sum(axis=1)
    rows = np.arange(n_replicates)
    in_order = np.take_along_axis(
        kind, order, axis=1
    ).T  # (n, n_replicates), as the next two: those of a step lie together
    cluster, cost = np.empty(in_order.shape, np.int16), np.empty(in_order.shape)
    inertia, rate = np.zeros(n_replicates), np.zeros((n_replicates, k))  # the rate is that of the other group
    n_first = int((in_order[:, 0] < 2).sum())
    for group, steps in enumerate((range(n_first), range(n_first, len(in_order)))):
        n, hits = np.zeros((2, n_replicates * k))
        # strength * gap² after an incorrectly or correctly classified one joins
        prize = strength * (np.arange(2)[:, None] - rate[:, None]) ** 2
        by_row, cells = prize.reshape(-1, k), prize.reshape(-1)
        other = rate.ravel()
        for block in _blocks(steps):
            instances = order[:, block]
            distances = _distances(features[instances], squares[instances], centres)
            for at, distance in zip(block, distances.transpose(1, 0, 2), strict=True):
                correct = in_order[at] - 2 * group
                costs = distance - by_row.take(2 * rows + correct, axis=0)
                nearest = costs.argmin(axis=1)
                cell = k * rows + nearest
                cluster[at], cost[at] = nearest, costs.take(cell)
                n[cell] = more = n.take(cell) + 1
                hits[cell] = right = hits.take(cell) + correct
                for also in (0, 1):
                    cells[(2 * rows + also) * k + nearest] = (
                        strength * ((right + also) / (more + 1) - other.take(cell)) ** 2
                    )
            chosen = cluster[block].T[:, :, None].astype(int)
            inertia += np.take_along_axis(distances, chosen, axis=2).sum(axis=(1, 2))
        rate = (hits / np.maximum(n, 1)).reshape(n_replicates, k)
    unordered = [np.empty_like(array.T) for array in (cluster, cost)]
    for array, ordered in zip(unordered, (cluster, cost), strict=True):
        np.put_along_axis(array, order, ordered.T, axis=1)
    return unordered[0], inertia, unordered[1]


def _relocated(features, cluster, cost, k) -> np.ndarray:
    """(n_replicates, k, d) means of clusters; for empty ones, in order, the instances with the highest cost."""
    centres = _means(features, cluster, np.zeros((len(cluster), k, features.shape[1])))
    sizes = _tally(cluster, k)
    for row in np.flatnonzero((sizes == 0).any(axis=1)):
        empty = np.flatnonzero(sizes[row] == 0)
        centres[row, empty] = features[cost[row].argsort()[::-1][: len(empty)]]
    return centres


def _blocks(steps: range) -> Iterator[range]:
    return (steps[first : first + _BLOCK] for first in range(0, len(steps), _BLOCK))


def _distances(x: np.ndarray, squares: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """(n_replicates, n, k) squared distances of (n, d) or (n_replicates, n, d) to centres (n_replicates, k, d).

    squares: (n,) or (n_replicates, n) squared lengths of x.
    """
    return squares[..., None] - 2 * (x @ centres.transpose(0, 2, 1)) + (centres**2).sum(axis=-1)[:, None]


def _tally(label: np.ndarray, size: int) -> np.ndarray:
    """(n_replicates, size) how often each of the labels 0 to size - 1 occurs in each row of (n_replicates, n)."""
    rows = np.arange(len(label))[:, None]
    return np.bincount((rows * size + label).ravel(), minlength=len(label) * size).reshape(-1, size)


def _counts(cluster: np.ndarray, kind: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Instances and correct ones, each (n_replicates, k, 2), by cluster and group. cluster, kind: (n_replicates, n)."""
    by_kind = _tally(cluster * 4 + kind, 4 * k).reshape(-1, k, 2, 2)
    return by_kind.sum(axis=3), by_kind[..., 1].copy()


def _means(features: np.ndarray, cluster: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """(n_replicates, k, d) means of clusters (n_replicates, n); for empty ones, `centres`."""
    n_replicates, k, d = centres.shape
    n = len(features)
    at = (np.arange(n_replicates)[:, None] * k + cluster).ravel()
    entries = np.ones(at.size), (at, np.tile(np.arange(n), n_replicates))
    members = scipy.sparse.csr_array(entries, shape=(n_replicates * k, n))
    sizes = _tally(cluster, k)[:, :, None]
    return np.where(sizes > 0, (members @ features).reshape(n_replicates, k, d) / np.maximum(sizes, 1), centres)


def _inertia(features: np.ndarray, cluster: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """(n_replicates,)"""
    return np.array([((features - centre[at]) ** 2).sum() for centre, at in zip(centres, cluster, strict=True)])


def merged(partition: Partitions, row: int, kind: np.ndarray, features: np.ndarray, variant: str) -> np.ndarray:
    """(n,) the clusters of one replicate, merged until all have LEAST instances of each group, or FEWEST are left.

    The smallest of those with too few instances joins the one with the nearest centre. As published, the first with too
    few joins the one whose centre has the least dot product with its own: roughly the least similar one. Numbered from
    0 without a gap. kind: (n,) of this replicate.
    """
    names, cluster = np.unique(partition.cluster[row], return_inverse=True)
    centres = partition.centres[row][names]
    while len(centres) > FEWEST:
        n = _counts(cluster[None], kind[None], len(centres))[0][0]
        short = np.flatnonzero(n.min(axis=1) < LEAST)
        if not len(short):
            break
        if variant == PUBLISHED:
            gone = short[0]
            remoteness = centres @ centres[gone]
        else:
            gone = short[n[short].sum(axis=1).argmin()]
            remoteness = ((centres - centres[gone]) ** 2).sum(axis=1)
        remoteness[gone] = np.inf
        target = remoteness.argmin()
        cluster[cluster == gone] = target
        centres[target] = features[cluster == target].mean(axis=0)
        centres = np.delete(centres, gone, axis=0)
        cluster -= cluster > gone
    return cluster


def counts(cluster: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Instances and correct ones, each (k, 2), by cluster and group. cluster, kind: (n,)."""
    n, hits = _counts(cluster[None], kind[None], int(cluster.max()) + 1)
    return n[0], hits[0]


@dataclass(frozen=True)
class Summary:
    """Table 4.4 of the thesis and the largest gap, as shares: of clusters with LEAST instances of each group."""

    n_clusters: int
    bcr: float  # share of clusters with a gap of GAP or more; nan without clusters, as the next and the last
    bir: float  # share of instances in these
    bias: float  # their mean gap; nan without any
    largest_gap: float


def summarise(n: np.ndarray, hits: np.ndarray) -> Summary:
    """n, hits: (k, 2) instances and correct ones by cluster and group."""
    is_reported = reported(n)
    n, hits = n[is_reported], hits[is_reported]
    if not len(n):
        return Summary(0, np.nan, np.nan, np.nan, np.nan)
    gap = np.abs(np.diff(hits / n, axis=1)[:, 0])
    biased = gap >= GAP - 1e-12  # 0.80 - 0.75 rounds either way
    return Summary(
        n_clusters=len(n),
        bcr=float(biased.mean()),
        bir=float(n[biased].sum() / n.sum()),
        bias=float(gap[biased].mean()) if biased.any() else np.nan,
        largest_gap=float(gap.max()),
    )


def reported(n: np.ndarray) -> np.ndarray:
    """(k,) whether a cluster has at least LEAST instances of each group. n: (k, 2)."""
    return n.min(axis=1) >= LEAST


def rates(positive: np.ndarray, label: np.ndarray, score: np.ndarray) -> dict[str, float]:
    """`accuracy`, `auc`, `fpr` and `fnr` of instances; nan without the instances that it needs.

    positive: (n,) of 0 and 1, predictions. label: (n,) of 0 and 1. score: (n,) higher for the positive class.
    """
    yes, no = label == 1, label == 0
    n_yes, n_no = yes.sum(), no.sum()
    below = scipy.stats.rankdata(score)[yes].sum() - n_yes * (n_yes + 1) / 2  # pairs in order (Mann-Whitney)
    return {
        "accuracy": _share(positive == label),
        "auc": float(below / (n_yes * n_no)) if n_yes and n_no else np.nan,
        "fpr": _share(positive[no] == 1),
        "fnr": _share(positive[yes] == 0),
    }


def _share(true: np.ndarray) -> float:
    return float(true.mean()) if len(true) else np.nan
