"""HERB against toys computed by hand and against the paper's equations, transcribed literally and slowly."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.metrics.herb import score as herb

# --- the oracle: Li et al. (2022), Eqs. 2-10, pair by pair ---


def literal_v(f):
    norm = math.sqrt(sum(x * x for x in f))
    return [x / norm for x in f]


def literal_distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def literal_sparseness(vectors):  # Eq. 3
    n = len(vectors)
    return 2 / (n * (n - 1)) * sum(literal_distance(a, b) for a, b in itertools.combinations(vectors, 2))


def distinct_pairs(drawn):
    """Unordered pairs of a cluster, where no region is paired with its own copy: n(n-1)/2 of n regions drawn once."""
    return [(a, b) for a, b in itertools.combinations(drawn, 2) if a != b]


def literal_V(v, drawn, of_children):  # Eqs. 4-7  # noqa: N802
    n, d = len(drawn), len(v)
    if n == 0:
        return v
    centroid = [sum(of_children[k][i] for k in drawn) / n for i in range(d)]
    pairs = distinct_pairs(drawn)
    c = [
        sum(abs(of_children[a][i] - of_children[b][i]) for a, b in pairs) / len(pairs) if pairs else 0.0
        for i in range(d)
    ]
    alpha = [math.exp(x) / sum(math.exp(y) for y in c) for x in c]
    return [v[i] + alpha[i] * centroid[i] for i in range(d)]


def literal_scores(f, f_name, parent, size_free):
    """C_w and C_z of every region, by the recursion as written."""
    regions = range(len(parent))
    below = {r: [k for k in regions if parent[k] == r] for r in regions}
    v = {r: literal_v(f[r]) for r in regions if parent[r] != -1}
    V = {r: literal_V(v[r], below[r], v) for r in v}

    def C(r, by_name):  # noqa: N802
        if not below[r]:  # Eq. 8, l = 1
            siblings = [v[k] for k in below[parent[r]]]
            centroid = [sum(x) / len(siblings) for x in zip(*siblings, strict=True)]
            return literal_distance(v[r], centroid)
        n = len(below[r])
        if n == 1:
            return 0.0
        pairs = list(itertools.combinations(below[r], 2))
        importance = {k: f_name[k] if by_name else C(k, by_name) for k in below[r]}
        total = sum(math.exp(importance[a] + importance[b]) for a, b in pairs)
        mean = sum(math.exp(importance[a] + importance[b]) / total * literal_distance(V[a], V[b]) for a, b in pairs)
        return mean if size_free else 2 / (n * (n - 1)) * mean

    return [C(r, False) for r in regions], [C(r, True) for r in regions]


@st.composite
def studies(draw):
    """A random tree (children after parents), f(S) and f of the names."""
    n = draw(st.integers(2, 14))
    parent = [-1] + [draw(st.integers(0, r - 1)) for r in range(1, n)]
    d = draw(st.integers(2, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    f = -random.uniform(0.5, 12, size=(n, d))
    if draw(st.booleans()):
        f[1:] = f[1]  # every region alike
    return f, -random.uniform(0.5, 30, size=n), np.array(parent)


@given(studies())
@settings(max_examples=150)
def test_equals_the_equations_as_written(study):
    f, f_name, parent = study
    scores = herb.herb(f, f_name, parent)
    for size_free, C_w, C_z in ((False, scores.C_w, scores.C_z), (True, scores.C_w_size_free, scores.C_z_size_free)):
        by_w, by_z = literal_scores(f, f_name, parent, size_free)
        # sqrt of a rounding error: vectors that agree are 1e-8 apart in the Gram form, not 0
        np.testing.assert_allclose(C_w, by_w, rtol=1e-9, atol=3e-8)
        np.testing.assert_allclose(C_z, by_z, rtol=1e-9, atol=3e-8)
    v = f / np.linalg.norm(f, axis=1, keepdims=True)
    for region in range(len(parent)):
        below = np.flatnonzero(parent == region)
        if len(below) > 1:
            assert scores.sparseness[region] == pytest.approx(literal_sparseness(v[below].tolist()), abs=3e-8)
        else:
            assert np.isnan(scores.sparseness[region])


# --- resamples, told by numbers ---


@given(studies(), st.integers(0, 2**32 - 1), st.sampled_from([(), *((name,) for name in herb.DEPARTURES)]))
@settings(max_examples=150)
def test_counts_are_the_study_with_its_columns_so_often(study, seed, departures):
    f, f_name, parent = study
    sample = np.random.default_rng(seed).integers(0, f.shape[1], f.shape[1])
    expected = herb.herb(f[:, sample], f_name, parent, departures)
    by_counts = herb.herb(f, f_name, parent, departures, counts=np.bincount(sample, minlength=f.shape[1]))
    for variant in ("C_w", "C_z", "C_w_size_free", "C_z_size_free", "sparseness"):
        np.testing.assert_allclose(getattr(by_counts, variant), getattr(expected, variant), rtol=1e-9, atol=3e-8)


@given(studies(), st.permutations(list(herb.DEPARTURES)))
@settings(max_examples=100)
def test_definitions_together_are_each_by_itself(study, departures):
    f, f_name, parent = study
    definitions = [(), *((name,) for name in departures), departures]
    together = herb.herb_by_definition(f, f_name, parent, definitions)
    for scores, definition in zip(together, definitions, strict=True):
        np.testing.assert_allclose(
            scores.array(), herb.herb(f, f_name, parent, definition).array(), rtol=1e-12, atol=3e-8
        )


def test_single_precision_is_close():
    random = np.random.default_rng(2)
    f, parent = -12 + random.normal(size=(60, 40)), np.repeat([-1, 0, 1, 2, 3], [1, 3, 20, 20, 16])
    f_name = -random.uniform(1, 20, size=60)
    expected = herb.herb(f, f_name, parent)
    single = herb.herb(f.astype(np.float32), f_name, parent)
    for variant in ("C_w", "C_z", "C_w_size_free", "C_z_size_free", "sparseness"):
        np.testing.assert_allclose(getattr(single, variant), getattr(expected, variant), rtol=2e-6, atol=1e-9)


# --- the released code: continents, countries, cities, as its loops go ---


def literal_weighted(vectors, exponents):
    n = len(vectors)
    pairs = list(itertools.combinations(range(n), 2))
    total = sum(math.exp(exponents[i] + exponents[j]) for i, j in pairs)
    mean = sum(
        math.exp(exponents[i] + exponents[j]) / total * literal_distance(vectors[i], vectors[j]) for i, j in pairs
    )
    return 2 / (n * (n - 1)) * mean


def literal_released_V(v, children):  # noqa: N802
    n, d = len(children), len(v)
    for a, b in itertools.combinations(children, 2):  # overwritten in the loop: the last pair remains
        cal = [2 / (n * (n - 1)) * (a[i] - b[i]) ** 2 for i in range(d)]
    alpha = [math.exp(x) / sum(math.exp(y) for y in cal) for x in cal]
    return [v[i] + alpha[i] * sum(child[i] for child in children) / n for i in range(d)]


def literal_released(continents, by_name):
    """continents: of (f, f of name, countries); countries: of (f, f of name, cities); cities: of (f, f of name)."""

    def exponents(C, names):
        return [0.0] * (len(names) - 1) + [names[-1]] if by_name else C

    C_continents, V_continents = [], []
    for f_continent, _, countries in continents:
        C_countries, V_countries = [], []
        for f_country, _, cities in countries:
            v, v_cities = literal_v(f_country), [literal_v(f) for f, _ in cities]
            if len(cities) > 1:
                centroid = [sum(x) / len(cities) for x in zip(*v_cities, strict=True)]
                C_cities = [0.0] * len(cities)
                for i in range(len(cities) - 1):
                    C_cities[i] = literal_distance(v_cities[i], centroid)
                C_countries.append(literal_weighted(v_cities, exponents(C_cities, [name for _, name in cities])))
                V_countries.append(literal_released_V(v, v_cities))
            else:
                C_countries.append(0.0)
                V_countries.append([x + y for x, y in zip(v, v_cities[0], strict=True)] if cities else v)
        names = [name for _, name, _ in countries]
        C_continents.append(literal_weighted([literal_v(V) for V in V_countries], exponents(C_countries, names)))
        V_continents.append(literal_released_V(f_continent, [literal_v(f) for f, _, _ in countries]))
    names = [name for _, name, _ in continents]
    earth = literal_weighted([literal_v(V) for V in V_continents], exponents(C_continents, names))
    return [earth, *C_continents]


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=4), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_with_every_departure_equals_the_released_loops(n_cities, seed):
    n_cities[0][0] = 3  # some country has cities
    random = np.random.default_rng(seed)
    rows, parent, continents, tops = [None], [-1], [], []

    def added(above):
        rows.append((-random.uniform(0.5, 12, size=4), -random.uniform(0.5, 9)))
        parent.append(above)
        return len(parent) - 1

    for of_countries in n_cities:
        continent, countries = added(0), []
        tops.append(continent)
        for n in of_countries:
            country = added(continent)
            countries.append((*rows[country], [rows[added(country)] for _ in range(n)]))
        continents.append((*rows[continent], countries))
    f = np.array([np.zeros(4), *(f for f, _ in rows[1:])])
    scores = herb.herb(f, np.array([0.0, *(name for _, name in rows[1:])]), np.array(parent), herb.DEPARTURES)
    for C, by_name in ((scores.C_w, False), (scores.C_z, True)):
        np.testing.assert_allclose(C[[0, *tops]], literal_released(continents, by_name), rtol=1e-9, atol=3e-8)


def test_each_departure_changes_something_by_itself():
    random = np.random.default_rng(0)
    parent = np.array([-1, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4])  # one city in 4; none in 5, 6, 7
    f, f_name = -random.uniform(0.5, 12, size=(12, 4)), -random.uniform(0.5, 3, size=12)
    paper = herb.herb(f, f_name, parent)
    for departure in herb.DEPARTURES:
        departed = herb.herb(f, f_name, parent, [departure])
        changed = "C_z" if departure == "last_name" else "C_w"
        assert not np.allclose(getattr(departed, changed), getattr(paper, changed), rtol=1e-6, atol=0), departure
    with refused(None, "'last_par'", kind=ValueError):
        herb.herb(f, f_name, parent, ["last_par"])


@given(studies())
@settings(max_examples=50)
def test_sparseness_without_hierarchy_is_of_all_regions_inside(study):
    f, _, parent = study

    def inside(region):
        return [region] + [x for k in np.flatnonzero(parent == region) for x in inside(k)]

    c = herb.sparseness(f, parent)
    for region in range(len(parent)):
        vectors = [literal_v(f[r]) for r in inside(region) if r != 0]
        if len(vectors) > 1:
            assert c[region] == pytest.approx(literal_sparseness(vectors), abs=3e-8)
        else:
            assert np.isnan(c[region])


# --- toys by hand ---


def test_eq_2_unit_norm():
    np.testing.assert_allclose(herb.descriptive_vectors(np.array([[-3.0, -4.0]])), [[-0.6, -0.8]])


def test_eq_3_mean_distance_of_a_3_4_5_triangle():
    triangle = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])
    assert herb.weighted_mean_distance(triangle, np.zeros((3, 1)))[0] == pytest.approx((3 + 4 + 5) / 3)


def test_eqs_9_and_10_weights_of_pairs():
    # weights e^{l_i + l_j} of the pairs (0,1), (0,2), (1,2) are 2, 3, 6; the distances 3, 5, 4
    triangle = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])
    log_weights = np.log([[1.0], [2.0], [3.0]])
    assert herb.weighted_mean_distance(triangle, log_weights)[0] == pytest.approx((2 * 3 + 3 * 5 + 6 * 4) / 11)


def test_eq_6_sparseness_of_each_dimension():
    # dimension 0: |1-2| + |1-4| + |2-4| = 6, dimension 1: 0; two thirds of a pair each
    np.testing.assert_allclose(herb.dimension_sparseness(np.array([[1.0, 5.0], [4.0, 5.0], [2.0, 5.0]])), [2.0, 0.0])


def test_eqs_4_5_7_aggregated_vector():
    # c = (2, 0), alpha = softmax(2, 0), centroid = (2, 1)
    alpha = math.exp(2) / (math.exp(2) + 1)
    V = herb.aggregated_vector(np.array([0.6, 0.8]), np.array([[1.0, 1.0], [3.0, 1.0]]))
    np.testing.assert_allclose(V, [0.6 + alpha * 2, 0.8 + (1 - alpha) * 1])


def test_eq_8_leaf_and_parent():
    # v = (1, 0) and (0, 1): the centroid is (.5, .5), each leaf sqrt(.5) from it, the pair sqrt(2) apart
    scores = herb.herb(np.array([[9.0, 9.0], [2.0, 0.0], [0.0, 5.0]]), np.zeros(3), np.array([-1, 0, 0]))
    np.testing.assert_allclose(scores.C_w, [math.sqrt(2), math.sqrt(0.5), math.sqrt(0.5)])
    np.testing.assert_allclose(scores.C_z, scores.C_w)


def test_a_cluster_of_one_sub_region_has_no_pair():
    # 0 > 1 > 2: region 1 has one sub-region; V = v + v_below / d (alpha uniform), C = 0
    scores = herb.herb(np.array([[1.0, 1.0], [3.0, 4.0], [4.0, 3.0]]), np.zeros(3), np.array([-1, 0, 1]))
    np.testing.assert_array_equal(scores.C_w, [0, 0, 0])
    V = herb.aggregated_vector(np.array([0.6, 0.8]), np.array([[0.8, 0.6]]))
    np.testing.assert_allclose(V, [1.0, 1.1])


def test_a_region_without_sub_regions_is_a_leaf_at_any_level():
    # countries 1 and 2 lie in the root; 1 has two cities, 2 has none and counts as level 1 of Eq. 8
    f = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    scores = herb.herb(f, np.zeros(5), np.array([-1, 0, 0, 1, 1]))
    assert scores.C_w[2] == pytest.approx(math.sqrt(0.5))


# --- what must hold ---


def test_c_w_falls_with_the_number_of_sub_regions_and_size_free_does_not():
    # the vertices of a regular simplex: every pair equally far, whatever their number
    for n in (3, 10, 40):
        f = np.vstack([np.ones(50), 10 + np.eye(50)[:n]])
        scores = herb.herb(f, np.zeros(n + 1), np.array([-1] + [0] * n))
        d = scores.sparseness[0]
        assert scores.C_w_size_free[0] == pytest.approx(d)
        assert scores.C_w[0] == pytest.approx(2 / (n * (n - 1)) * d)
        assert d == pytest.approx(math.sqrt(2) / np.linalg.norm(f[1]))


def test_order_of_regions_and_descriptions_changes_nothing():
    random = np.random.default_rng(5)
    parent = np.array([-1, 0, 0, 1, 1, 1, 2, 2])
    f, f_name = -random.uniform(1, 9, (8, 12)), -random.uniform(1, 9, 8)
    expected = herb.herb(f, f_name, parent)
    order = random.permutation(8)
    new_row = np.argsort(order)
    moved_parent = np.array([-1 if parent[r] == -1 else new_row[parent[r]] for r in order])
    moved = herb.herb(f[order][:, random.permutation(12)], f_name[order], moved_parent)
    np.testing.assert_allclose(moved.C_w, expected.C_w[order], rtol=1e-12)
    np.testing.assert_allclose(moved.C_z, expected.C_z[order], rtol=1e-12)


def test_tiles_of_pairs_do_not_change_the_mean(monkeypatch):
    vectors, weights = np.random.default_rng(1).normal(size=(70, 5)), np.random.default_rng(2).normal(size=(70, 2))
    whole = herb.weighted_mean_distance(vectors, weights)
    monkeypatch.setattr(herb, "_ROWS", 16)
    monkeypatch.setattr(herb, "_COLUMNS", 24)
    np.testing.assert_allclose(herb.weighted_mean_distance(vectors, weights), whole, rtol=1e-12)


def test_weights_by_kind_are_those_of_each_pair(monkeypatch):
    monkeypatch.setattr(herb, "_ROWS", 16)
    monkeypatch.setattr(herb, "_COLUMNS", 24)
    random = np.random.default_rng(3)
    each, kind, weights = random.normal(size=(3, 70, 5)), random.integers(0, 9, 70), random.random((9, 9))
    weights += weights.T
    expected = [
        sum(
            weights[kind[a], kind[b]] * literal_distance(vectors[a], vectors[b])
            for a, b in itertools.combinations(range(70), 2)
        )
        for vectors in each
    ]
    np.testing.assert_allclose(herb.sums_by_kind(each, kind, weights), expected, rtol=1e-12)


def test_likelihoods_far_below_zero_still_weigh():
    # e^-2000 underflows; the ratio of the weights does not
    triangle = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])
    far = herb.weighted_mean_distance(triangle, np.log([[1.0], [2.0], [3.0]]) - 1000)
    assert far[0] == pytest.approx(45 / 11)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_refused(bad):
    f = np.ones((3, 2))
    f[1, 0] = bad
    with refused(None, "f(S)", kind=ValueError):
        herb.herb(f, np.zeros(3), np.array([-1, 0, 0]))
    with refused(None, "root", kind=ValueError):
        herb.herb(np.ones((3, 2)), np.array([0, bad, 0]), np.array([-1, 0, 0]))


def test_the_roots_own_likelihoods_are_not_read():
    parent = np.array([-1, 0, 0])
    f = np.array([[np.nan, np.nan], [1.0, 2.0], [2.0, 1.0]])
    assert np.isfinite(herb.herb(f, np.array([np.nan, -1, -2]), parent).C_w).all()


# --- refused sentences ---


def test_scorable_leaves_out_unknown_descriptions_then_regions_with_all_inside_them():
    #       0 root, 1 and 2 in it, 3 and 4 in 1, 5 in 2
    parent = np.array([-1, 0, 0, 1, 1, 2])
    f = np.ones((6, 3))
    f[:, 2] = np.nan  # a word that the tokenizer does not know
    f[1, 0] = np.nan  # region 1 lacks a score: it goes, with 3 and 4
    f_name = np.zeros(6)
    f_name[0] = np.nan  # the root needs none
    regions, descriptions = herb.scorable(f, f_name, parent)
    assert regions.tolist() == [True, False, True, False, False, True]
    assert descriptions.tolist() == [True, True, False]
