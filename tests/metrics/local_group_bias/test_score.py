"""Local group bias: Table 4.4, one instance at a time, descent, what it finds where a bias is and where none is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sklearn_metrics
from tests.refusals import refused

from herbarium.metrics.local_group_bias import null
from herbarium.metrics.local_group_bias import score as lgb

# Instances and accuracies of White and Black in the clusters of the authors' notebook.
K_MEANS = [
    *((112, 26, 0.75893, 0.53846), (116, 41, 0.81034, 0.70732), (96, 53, 0.84375, 0.67925)),
    *((128, 59, 0.72656, 0.72881), (128, 81, 0.85156, 0.85185), (192, 75, 0.88021, 0.80000)),
    *((122, 66, 0.80328, 0.81818), (63, 40, 0.69841, 0.75000)),
]
LOGAN = [
    *((103, 29, 0.76699, 0.55172), (130, 43, 0.83077, 0.67442), (109, 56, 0.85321, 0.71429)),
    *((62, 42, 0.64516, 0.71429), (142, 77, 0.83803, 0.84416), (246, 92, 0.85772, 0.80435)),
    *((111, 64, 0.79279, 0.82812), (54, 38, 0.64815, 0.73684)),
]


@pytest.mark.parametrize(
    ("clusters", "bcr", "bir", "bias", "largest"),
    [(K_MEANS, 62.5, 58.2, 12.4, 22.1), (LOGAN, 75.0, 71.8, 12.0, 21.5)],
)
def test_table_4_4(clusters, bcr, bir, bias, largest):
    table = np.array(clusters)
    n = table[:, :2].astype(int)
    result = lgb.summarise(n, np.rint(table[:, 2:] * n).astype(int))
    shares = (result.bcr, result.bir, result.bias)
    assert [round(100 * share, 1) for share in shares] == [bcr, bir, bias]
    assert 100 * result.largest_gap == pytest.approx(largest, abs=0.06)  # a difference of rounded figures in Table 4.1
    assert result.n_clusters == 8


def test_summary_by_hand():
    # gaps .05, a bit less as numbers are rounded, and .04; the third cluster has too few of one group
    result = lgb.summarise(np.array([[20, 20], [100, 50], [19, 90]]), np.array([[17, 16], [80, 42], [0, 90]]))
    assert result == lgb.Summary(2, 0.5, 40 / 190, pytest.approx(0.05), pytest.approx(0.05))
    nothing = lgb.summarise(np.array([[19, 90]]), np.array([[0, 90]]))
    assert nothing.n_clusters == 0
    assert np.isnan([nothing.bcr, nothing.bir, nothing.bias, nothing.largest_gap]).all()
    equal = lgb.summarise(np.array([[20, 20]]), np.array([[10, 10]]))
    assert (equal.bcr, equal.bir, equal.largest_gap) == (0, 0, 0)
    assert np.isnan(equal.bias)
    n, hits = lgb.counts(np.array([0, 0, 1, 1, 1]), lgb.kinds([0, 1, 1, 1, 0], [1, 0, 1, 1, 0]))
    assert (n.tolist(), hits.tolist()) == ([[1, 1], [1, 2]], [[1, 0], [0, 2]])


def data(seed, n=90, d=3, k=4, replicates=5, restarts=2):
    """Blobs, kinds by replicate with as many of a group in each, and starts."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, d)) + 2 * random.normal(size=(k, d))[random.integers(k, size=n)]
    group = random.permutation(np.arange(n) % 3 == 0).astype(int)
    kind = null.free(group, random.random(n) < 0.7, replicates, random)
    return x, kind, lgb.starts(x, k, restarts, random), random.permutation(n)


def gap(members, group, correct):
    rates = [np.mean([correct[i] for i in members if group[i] == g] or [0.0]) for g in (0, 1)]
    return rates[1] - rates[0]


def literal_pass(x, group, correct, centres, strength):
    """The released loop, word for word: the gap is worked out anew for each instance and cluster."""
    label = np.full(len(x), -1)
    cost, inertia = np.zeros(len(x)), 0.0
    for i in sorted(range(len(x)), key=lambda i: group[i]):
        least = np.inf
        for j in range(len(centres)):
            distance = ((x[i] - centres[j]) ** 2).sum()
            members = [*np.flatnonzero(label == j), i]
            biased = distance - strength * gap(members, group, correct) ** 2
            if biased < least:
                least, plain, chosen = biased, distance, j
        label[i], cost[i] = chosen, least
        inertia += plain
    return label, inertia, cost


def literal_published(x, group, correct, centres, strength, passes):
    tolerance = 1e-4 * x.var(axis=0).mean()
    best = (np.inf,)
    for _ in range(passes):
        label, inertia, cost = literal_pass(x, group, correct, centres, strength)
        moved = np.zeros_like(centres)
        far = iter(np.argsort(cost)[::-1])
        for j in range(len(centres)):
            moved[j] = x[label == j].mean(axis=0) if (label == j).any() else x[next(far)]
        if inertia < best[0]:
            best = (inertia, label, moved)
        shift = ((centres - moved) ** 2).sum()
        centres = moved
        if shift <= tolerance:
            break
    inertia, label, centres = best
    if shift > 0:
        label, inertia, _ = literal_pass(x, group, correct, centres, strength)
    return label, inertia


@pytest.mark.parametrize(
    ("strength", "passes", "far"), [*((s, p, 0) for s in (0, 1, 8, 60) for p in (1, 12)), (3, 20, 1000)]
)
def test_published_is_the_released_loop(strength, passes, far):
    """far: of two starts, whose clusters are empty then and get the costliest instance."""
    x, kind, starts, _ = data(seed=strength, n=48, replicates=2)
    starts[:, [1, 3]] += far
    result = lgb.published(x, kind, starts, strength, passes)
    for row, kinds in enumerate(kind):
        tried = [literal_published(x, kinds // 2, kinds % 2, start, strength, passes) for start in starts]
        label, inertia = min(tried, key=lambda one: one[1])
        assert result.cluster[row].tolist() == label.tolist()
        assert result.inertia[row] == pytest.approx(inertia)
        assert len(set(label)) == 4 or not far
    with refused(None, "sizes", kind=ValueError):  # of groups, which replicates have in common
        lgb.published(x, np.array([kind[0], np.zeros(48, np.int8)]), starts, 1)


def test_a_published_run_that_goes_round_in_circles_gives_what_all_passes_give():
    x, kind, starts, _ = data(seed=3, n=60, replicates=8, restarts=1)
    passes = 60
    result = lgb.published(x, kind, starts, strength=60, most_passes=passes)
    assert not result.converged.all()
    for row in np.flatnonzero(~result.converged)[:2]:
        label, inertia = literal_published(x, kind[row] // 2, kind[row] % 2, starts[0], 60, passes)
        assert result.cluster[row].tolist() == label.tolist()
        assert result.inertia[row] == pytest.approx(inertia)


def loss(x, kind, cluster, unit, strength):
    """L with centres at the means."""
    total = 0.0
    for j in np.unique(cluster):
        members = np.flatnonzero(cluster == j)
        total += ((x[members] - x[members].mean(axis=0)) ** 2).sum()
        if len(set(kind[members] // 2)) == 2:
            total -= strength * unit * gap(members, kind // 2, kind % 2) ** 2
    return total


def literal_exact(x, kind, cluster, centres, unit, strength, order, passes):
    """Descent with L worked out anew, as a whole, for each instance and cluster."""
    group, correct = kind // 2, kind % 2

    def whole_loss(cluster):
        squares = ((x - centres[cluster]) ** 2).sum()
        for j in range(len(centres)):
            members = np.flatnonzero(cluster == j)
            if len(set(group[members])) == 2:
                squares -= strength * unit * gap(members, group, correct) ** 2
        return squares

    cluster, centres = cluster.copy(), centres.copy()
    for _ in range(passes):
        before = cluster.copy()
        for i in order:
            losses = []
            for j in range(len(centres)):
                tried = cluster.copy()
                tried[i] = j
                losses.append(whole_loss(tried))
            if min(losses) < losses[cluster[i]] - 1e-9:
                cluster[i] = int(np.argmin(losses))
        for j in range(len(centres)):
            if (cluster == j).any():
                centres[j] = x[cluster == j].mean(axis=0)
        if (before == cluster).all():
            break
    return cluster


@pytest.mark.parametrize("strength", [1, 20, 300])
def test_exact_is_descent_of_the_whole_loss(strength):
    x, kind, starts, order = data(seed=18, n=40, k=5, replicates=2)
    initial = lgb.k_means(x, starts)
    unit = min(initial.inertia) / len(x)
    assert max(initial.inertia) > 1.01 * min(initial.inertia)
    for passes in (1, 2, lgb.MOST_PASSES):
        result = lgb.exact(x, kind, initial, strength, order, passes)
        for row, kinds in enumerate(kind):
            begun = zip(initial.cluster, initial.centres, strict=True)
            tried = [literal_exact(x, kinds, *start, unit, strength, order, passes) for start in begun]
            losses = [loss(x, kinds, cluster, unit, strength) for cluster in tried]
            least = np.flatnonzero(np.array(losses) <= min(losses) + 1e-9)
            assert result.cluster[row].tolist() in [tried[place].tolist() for place in least]
            assert result.loss[row] == pytest.approx(min(losses))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 5, 50, 500]))
@pytest.mark.slow
def test_the_loss_never_rises_from_pass_to_pass(seed, strength):
    x, kind, starts, order = data(seed, n=70, replicates=2, restarts=1)
    initial = lgb.k_means(x, starts)
    unit = initial.inertia[0] / len(x)
    for row, kinds in enumerate(kind):
        losses = [loss(x, kinds, initial.cluster[0], unit, strength)]
        for passes in (1, 2, 3, 4, lgb.MOST_PASSES):
            result = lgb.exact(x, kind, initial, strength, order, passes)
            losses.append(loss(x, kinds, result.cluster[row], unit, strength))
        assert losses[-1] == pytest.approx(result.loss[row])
        assert (np.diff(losses) <= 1e-9 * abs(losses[0])).all()
        assert result.converged[row]


def test_without_strength_both_are_k_means():
    x, kind, starts, order = data(seed=7, n=200)
    for start in starts:
        initial = lgb.k_means(x, start[None])
        exact = lgb.exact(x, kind, initial, 0, order)
        published = lgb.published(x, kind, start[None], 0)
        for side in (exact, published):
            assert (side.cluster == initial.cluster).all()
            assert side.inertia == pytest.approx(initial.inertia[0])
            assert side.loss == pytest.approx(side.inertia)


@pytest.mark.parametrize("cells", [lgb._CELLS, 1])
@pytest.mark.slow
def test_each_replicate_gets_what_it_would_get_alone(monkeypatch, cells):
    x, kind, starts, order = data(seed=5, n=300, d=5, k=6, replicates=9, restarts=3)
    initial = lgb.k_means(x, starts)
    monkeypatch.setattr(lgb, "_CELLS", cells)
    for together, alone in (
        (lgb.exact(x, kind, initial, 40, order), lambda one: lgb.exact(x, one, initial, 40, order)),
        (lgb.published(x, kind, starts, 9), lambda one: lgb.published(x, one, starts, 9)),
    ):
        assert len(np.unique(together.cluster, axis=0)) > 1
        for row, one in enumerate(kind):
            result = alone(one[None])
            for name in ("cluster", "centres", "inertia", "loss", "converged"):
                np.testing.assert_array_equal(getattr(result, name)[0], getattr(together, name)[row], name)


def partition(cluster, x):
    cluster = np.asarray(cluster)
    centres = np.stack([x[cluster == j].mean(axis=0) for j in range(cluster.max() + 1)])
    return lgb.Partitions(cluster[None], centres[None], *np.zeros((2, 1)), np.ones(1, bool))


def test_small_clusters_merge_into_the_nearest_or_as_published_into_the_least_like_it():
    # on a line; those at 15 and 12 lack instances
    places = np.array([15.0, 12, 10, 19.6, 30, 40, 9])
    sizes = np.array([[25, 10], [5, 12], [25, 25], [25, 25], [25, 25], [25, 25], [25, 25]])
    cluster = np.repeat(np.arange(7), sizes.sum(axis=1))
    x = places[cluster][:, None]
    kind = np.concatenate([np.repeat([0, 2], size) for size in sizes])

    def together(variant):
        result = lgb.merged(partition(cluster, x), 0, kind, x, variant)
        return sorted(sorted(set(places[cluster[result == j]])) for j in range(result.max() + 1))

    # 12, the smallest, joins 10; then 15 joins the mean of both, 10.5, which is nearer than 19.6
    assert together(lgb.EXACT) == [[9], [10, 12, 15], [19.6], [30], [40]]
    # 15, the first, joins 9; then 12 joins 10, since the mean of the others is 11.5 now
    assert together(lgb.PUBLISHED) == [[9, 15], [10, 12], [19.6], [30], [40]]
    # five are left, and no gap in their numbers
    x, kind = np.arange(60.0)[:, None], np.arange(60) % 4
    cluster = lgb.merged(partition(np.arange(60) // 10, x), 0, kind, x, lgb.EXACT)
    assert sorted(set(cluster)) == [0, 1, 2, 3, 4]
    with_hole = lgb.Partitions(np.array([[0] * 30 + [2] * 30]), np.array([[[5.0], [0.0], [9.0]]]), *[None] * 3)
    assert set(lgb.merged(with_hole, 0, kind, x, lgb.PUBLISHED)) == {0, 1}


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=1, max_size=30))
def test_rates_are_those_of_scikit_learn(instances):
    label, score = (np.array(column, int) for column in zip(*instances, strict=True))
    positive = (score > 0).astype(int)
    result = lgb.rates(positive, label, score)
    (tn, fp), (fn, tp) = sklearn_metrics.confusion_matrix(label, positive, labels=[0, 1])
    assert result["accuracy"] == (tn + tp) / len(label)
    for name, part, side in (("fpr", fp, fp + tn), ("fnr", fn, fn + tp)):
        assert np.isnan(result[name]) if side == 0 else result[name] == part / side
    if 0 < label.sum() < len(label):
        assert result["auc"] == pytest.approx(sklearn_metrics.roc_auc_score(label, score))
    else:
        assert np.isnan(result["auc"])


def study(random, n=600, worse=0.0):
    """Six blobs; in one of them the classifier is wrong more often on group 1, by `worse`."""
    blob = random.integers(6, size=n)
    x = random.normal(size=(n, 4)) + 4 * np.eye(6, 4)[blob] - 4 * (blob == 5)[:, None]
    group = random.permutation(np.arange(n) % 2)
    correct = random.random(n) < 0.85 - worse * ((blob == 2) & (group == 1))
    return x, group, correct


def p_values(random, permutations, worse):
    """Of the largest gap, by method."""
    x, group, correct = study(random, worse=worse)
    kind = np.concatenate([[lgb.kinds(group, correct)], null.free(group, correct, permutations, random)])
    starts, by_variant = lgb.starts(x, 6, 1, random), {}
    exact = lgb.exact(x, kind, lgb.k_means(x, starts), 5, np.arange(len(x)))
    for variant, partitions in ((lgb.EXACT, exact), (lgb.PUBLISHED, lgb.published(x, kind, starts, 2))):
        clusters = [lgb.merged(partitions, row, one, x, variant) for row, one in enumerate(kind)]
        gaps = [lgb.summarise(*lgb.counts(*cluster)).largest_gap for cluster in zip(clusters, kind, strict=True)]
        by_variant[variant] = null.p_value(gaps[0], np.array(gaps[1:]))
    return by_variant


def test_a_planted_local_bias_is_found():
    result = p_values(np.random.default_rng(1), 99, worse=0.5)
    assert result[lgb.EXACT] < 0.05
    assert result[lgb.PUBLISHED] < 0.05


@pytest.mark.nightly
def test_without_bias_p_values_are_uniform():
    random = np.random.default_rng(2)
    drawn = [p_values(random, 19, worse=0) for _ in range(60)]
    for variant in (lgb.EXACT, lgb.PUBLISHED):
        # they are multiples of 1/20
        p = np.array([by_variant[variant] for by_variant in drawn]) - random.random(60) / 20
        assert stats.kstest(p, "uniform").pvalue > 0.01, variant
