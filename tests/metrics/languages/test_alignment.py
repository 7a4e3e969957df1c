import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from herbarium.metrics.languages import alignment
from herbarium.metrics.languages.alignment import Pool


def spaces(n=60, d=6, noise=0.0, seed=0):
    """Unit vectors of n words, those of their translations, and the rotation between the two."""
    random = np.random.default_rng(seed)
    x = alignment.unit(random.normal(size=(n, d)))
    rotation = stats.ortho_group.rvs(d, random_state=seed)
    return x, alignment.unit(x @ rotation.T + noise * random.normal(size=(n, d))), rotation


def literal_objective(w, x, y, pool, k):
    """Joulin et al. 2018, Section 3, term by term."""
    total = 0.0
    for x_i, y_i in zip(x, y, strict=True):
        total += -2 * x_i @ w.T @ y_i
        by_target = sorted(pool.target, key=lambda y_j: -(w @ x_i) @ y_j)
        total += sum(x_i @ w.T @ y_j for y_j in by_target[:k]) / k
        by_source = sorted(pool.source, key=lambda x_j: -(w @ x_j) @ y_i)
        total += sum(x_j @ w.T @ y_i for x_j in by_source[:k]) / k
    return total / len(x)


def literal_found(queries, translations, pool, k):
    """Conneau et al. 2018, Eq. 3, word by word."""

    def r(vector, others):
        return np.mean(sorted(others @ vector)[-k:])

    right = []
    for query, translation in zip(queries, translations, strict=True):
        csls = [2 * query @ y - r(query, pool.target) - r(y, pool.source) for y in pool.target]
        right.append(int(np.argmax(csls)) in translation)
    return right


def test_procrustes_finds_the_rotation_or_the_best_one():
    x, y, rotation = spaces()
    np.testing.assert_allclose(alignment.procrustes(x, y), rotation, atol=1e-12)
    x, y, _ = spaces(noise=0.5)
    w = alignment.procrustes(x, y)
    np.testing.assert_allclose(w @ w.T, np.eye(6), atol=1e-12)
    others = (stats.ortho_group.rvs(6, random_state=seed) for seed in range(50))
    assert ((x @ w.T - y) ** 2).sum() < min(((x @ other.T - y) ** 2).sum() for other in others)


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_the_paper(seed):
    random = np.random.default_rng(seed)
    x, y, _ = spaces(12, noise=0.3, seed=seed)
    pool = Pool(alignment.unit(random.normal(size=(30, 6))), alignment.unit(random.normal(size=(25, 6))))
    w = random.normal(size=(6, 6))
    assert alignment.objective(w, x, y, pool, 4)[0] == pytest.approx(literal_objective(w, x, y, pool, 4))


def test_the_gradient_is_that_of_finite_differences_and_the_mean_of_batches():
    x, y, _ = spaces(20, d=4, noise=0.3)
    pool, w = Pool(x, y), np.random.default_rng(1).normal(size=(4, 4))
    gradient, step = alignment.objective(w, x, y, pool, 3)[1], 1e-6
    for place in np.ndindex(w.shape):
        moved = np.zeros_like(w)
        moved[place] = step
        up, down = (alignment.objective(w + sign * moved, x, y, pool, 3)[0] for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / (2 * step), abs=1e-7)
    batches = [alignment.objective(w, x[side], y[side], pool, 3)[1] for side in (slice(0, 10), slice(10, 20))]
    np.testing.assert_allclose(np.mean(batches, axis=0), gradient)


def test_rcsls_never_ends_above_procrustes_and_finds_words_where_no_rotation_does():
    x, y, _ = spaces(1500, d=20, noise=0.15)
    x = alignment.unit(x * np.exp(0.6 * np.random.default_rng(3).normal(size=20)))
    train, test = slice(0, 1000), slice(1000, 1500)
    fit = alignment.rcsls(x[train], y[train], Pool(x, y))
    assert (np.diff(fit.losses) < 0).all()
    right, shares = [[row] for row in range(1000, 1500)], []
    for w in (alignment.procrustes(x[train], y[train]), fit.w):
        found = alignment.found(alignment.mapped(x[test], w), right, Pool(alignment.mapped(x, w), y))
        shares.append(found.mean())
    assert shares[1] > shares[0] + 0.2
    with refused(None, "10", "8", kind=ValueError):  # words for so many neighbours
        alignment.rcsls(x[:8], y[:8], Pool(x[:8], y[:8]))


def test_a_rate_that_is_too_large_is_halved_and_its_step_taken_back():
    x, y, _ = spaces(40, noise=0.2)
    y = y[:, ::-1]  # a start far from the least
    fits = [alignment.rcsls(x, y, Pool(x, y), k=3, steps=1, rate=rate) for rate in (1e-3, 1e6)]
    assert fits[0].losses[-1] < fits[0].losses[0]
    for fit in fits:
        assert fit.losses[-1] == pytest.approx(alignment.objective(fit.w, x, y, Pool(x, y), 3)[0])


@pytest.mark.parametrize("seed", range(3))
def test_translations_are_found_as_the_paper_says(seed):
    x, y, rotation = spaces(40, noise=0.6, seed=seed)
    pool = Pool(alignment.mapped(x, rotation), y)
    random = np.random.default_rng(seed)
    translations = [[row, int(random.integers(40))] for row in range(40)]
    result = alignment.found(pool.source, translations, pool, 5)
    assert result.tolist() == literal_found(pool.source, translations, pool, 5)
    assert 0 < result.mean() < 1


def test_any_of_several_translations_counts_and_a_tie_is_a_failure():
    y = np.eye(4)
    pool, query = Pool(y, y), y[:1]
    assert alignment.found(query, [[0]], pool, 2).item()
    assert alignment.found(query, [[3, 0]], pool, 2).item()
    assert not alignment.found(query, [[3]], pool, 2).item()
    twins = Pool(y, np.vstack([y, y[:1]]))
    assert not alignment.found(query, [[0]], twins, 2).item()
    assert alignment.found(query, [[0, 4]], twins, 2).item()


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(12, 2000))
def test_the_nearest_are_those_of_a_sort(seed, k, m):
    random = np.random.default_rng(seed)
    queries, pool = random.normal(size=(3, 2)), random.normal(size=(m, 2))
    result = np.sort(np.take_along_axis(queries @ pool.T, alignment.nearest(queries, pool, k), axis=1))
    np.testing.assert_allclose(result, np.sort(queries @ pool.T)[:, -k:])


def test_blocks_change_nothing(monkeypatch):
    x, y, _ = spaces(50, noise=0.5)
    results = []
    for cells in (alignment._CELLS, 150):
        monkeypatch.setattr(alignment, "_CELLS", cells)
        results.append((alignment.found(x, [[row] for row in range(50)], Pool(x, y)), alignment.hubness(x, y)))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other)


def test_a_noisy_copy_is_turned_and_as_far_off_as_the_target():
    x, y, rotation = spaces(4000, d=20, noise=0.1)
    copies = alignment.noisy_copies(x, x, y, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(copies, axis=1), 1)
    np.testing.assert_allclose(alignment.procrustes(x, copies), alignment.procrustes(x, y), atol=0.05)
    angles = [np.sort(((x @ rotation.T) * side).sum(axis=1)) for side in (y, copies)]
    np.testing.assert_allclose(*np.quantile(angles, [0.05, 0.5, 0.95], axis=1).T, atol=0.01)
    exact = alignment.noisy_copies(x, x, x @ rotation.T, np.random.default_rng(0))
    np.testing.assert_allclose(exact, x @ rotation.T, atol=1e-6)
