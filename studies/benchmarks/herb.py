"""HERB at the size of all cities of the world, from likelihoods to numbers (`make bench`): no model is run.

Tables 1, 2, 3 and 6 and every departure, of one model and all 34,000 regions: the numbers alone, then with 200
replicates. 2,000 replicates and the jackknife over sub-regions, with 25,000 cities. The test of the hierarchy,
all regions. Each runs in a process of its own. A replicate of the scores and one of the hierarchy, all regions,
beside the products of the same vectors alone. C_w of the Earth and its continents, from f(S) on, as the loops of
the released code have it, and ours. Random likelihoods of the size of real ones stand in for what a model would say.
"""

import resource
import subprocess
import sys
from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pyarrow as pa
from studies.benchmarks.shared import Figure, say, size, timed
from threadpoolctl import threadpool_limits

from herbarium.metrics.herb import ablations, score
from herbarium.metrics.herb import hierarchy as herb_hierarchy
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb.bootstrap import Resampling
from herbarium.metrics.herb.likelihoods import with_matrix
from herbarium.metrics.herb.selection import select
from herbarium.regions.hierarchy import geonames

CONTINENTS = ["AF", "AS", "EU", "NA", "OC", "SA"]
TOPICS = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}
WORDS = {topic: [f"{topic}-{i}" for i in range(n)] for topic, n in TOPICS.items()}
THREADS = size(2, 1)
MIN_POPULATION, LARGE = size((0, 22_000), (5_000_000, 10_000_000))
REPLICATES, MANY, PERMUTATIONS = size((200, 2_000, 999), (3, 6, 19))
# Of scores from f(S) on: continents, countries in each, cities in each of these.
SMALL = size((6, 20, 50), (2, 3, 4))


def study(min_population: int):
    """The hierarchy, and likelihoods of the published wording, the substitutes and the released sentences."""
    regions = geonames(CONTINENTS, "all", "all", min_population, None)
    random, n = np.random.default_rng(0), len(regions) - 1
    f_name = random.normal(-8, 2, n)
    table = pa.table({"region": regions["region"][1:], "f_name": f_name, "note": pa.nulls(n, pa.string()), "f": f_name})
    by_wording = {
        wording: with_matrix(table, random.normal(-4, 1, (n, 1)) + random.normal(0, 0.3, (n, sum(TOPICS.values()))))
        for wording in ("paper", "substitutes", "no_full_stop", "odd_spaces", "pad_mean", "released")
    }
    return regions, by_wording


def tables(replicates: int) -> None:
    regions, likelihoods = study(MIN_POPULATION)
    bootstrap = {"replicates": replicates, "level": 0.95}
    herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS)
    departures = [*score.DEPARTURES, "no_full_stop", "odd_spaces", "pad_mean"]
    ablations.ablate("bench", regions, WORDS, likelihoods, list(WORDS), departures, bootstrap, 0, THREADS)


def replicates(n: int) -> None:
    regions, likelihoods = study(LARGE)
    bootstrap = {"replicates": n, "level": 0.95}
    resampled = herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS)
    herb_table.intervals(resampled, 0.95)


def hierarchy(permutations: int) -> None:
    regions, likelihoods = study(MIN_POPULATION)
    selected = select(regions, WORDS, likelihoods["paper"])
    bootstrap = {"replicates": REPLICATES, "level": 0.95}
    n_words = {name: len(name.split()) for name in regions["name"]}  # a word stands in for a token
    herb_hierarchy.measure("bench", selected, n_words, permutations, bootstrap, "holm", 0, THREADS)


def beside_products() -> None:
    regions, likelihoods = study(MIN_POPULATION)
    selected = select(regions, WORDS, likelihoods["paper"])
    f, parent, names = np.asfortranarray(selected.f, np.float32), selected.parent, selected.regions["name"].tolist()
    counts = Resampling(selected.topic_of).draw(np.random.default_rng(0))
    v = score.unit_vectors(score.with_counts(f, counts), parent)
    level = herb_hierarchy.families(parent, names, [len(name.split()) for name in names])[3]

    def products(clusters: Iterable[np.ndarray]) -> None:
        for rows in clusters:
            one, other = np.ascontiguousarray(v[rows]), np.ascontiguousarray(v[rows].T)
            for these, those, _ in score._tiles(len(rows)):
                one[these] @ other[:, those]

    works = {
        "replicate of the scores": (
            lambda: score.herb(f, selected.f_name, parent, counts=counts),
            lambda: products(below for _, below in score.clusters(parent)),
            1,
        ),
        "replicate of the hierarchy": (
            lambda: [herb_hierarchy.expected([v] * 8, level), *(herb_hierarchy.within(v, level) for _ in range(8))],
            lambda: products(family.rows for family in level),
            8,
        ),
    }
    with threadpool_limits(1):
        for name, (work, floor, times) in works.items():
            pairs = [(timed(work)[0] / times, timed(floor)[0]) for _ in range(5)]
            ours, bare = np.min(pairs, axis=0)
            say(
                f"{name}: {ours:.3f} s, its products alone {bare:.3f} s",
                Figure(f"{name}", ours, "s"),
                Figure(f"{name}", ours / bare, peer="its products alone"),
                threads=1,
            )


PARTS = {
    "tables and departures, no replicates": (tables, 0),
    f"tables and departures, {REPLICATES} replicates": (tables, REPLICATES),
    f"cities of {LARGE:,} or more, {MANY:,} replicates": (replicates, MANY),
    f"hierarchy, {PERMUTATIONS} permutations, {REPLICATES} replicates": (hierarchy, PERMUTATIONS),
}


def unit(f: np.ndarray) -> np.ndarray:
    return f / np.linalg.norm(f)


def released_C(vectors: list[np.ndarray], C: list[float]) -> float:  # noqa: N802
    """Eqs. 8 and 9, pair by pair."""
    n, total, result = len(vectors), 0.0, 0.0
    for i, j in combinations(range(n), 2):
        total += np.exp(C[i] + C[j])
    for i, j in combinations(range(n), 2):
        result += np.exp(C[i] + C[j]) / total * np.linalg.norm(vectors[i] - vectors[j])
    return 2 / (n * (n - 1)) * result


def released_V(v: np.ndarray, below: list[np.ndarray]) -> np.ndarray:  # noqa: N802
    """Eqs. 4 to 7, where the last pair overwrites all others."""
    n = len(below)
    for a, b in combinations(below, 2):
        c = 2 / (n * (n - 1)) * (a - b) ** 2
    return v + np.exp(c) / np.exp(c).sum() * np.mean(below, axis=0)


def released(continents: list) -> list[float]:
    """C_w of the Earth and of each continent. continents: of (f, countries), countries: of (f, f of cities)."""
    C_continents, V_continents = [], []
    for f_continent, countries in continents:
        C_countries, V_countries = [], []
        for f_country, f_cities in countries:
            cities = [unit(f) for f in f_cities]
            centroid = np.mean(cities, axis=0)
            C_cities = [np.linalg.norm(v - centroid) for v in cities[:-1]] + [0.0]
            C_countries.append(released_C(cities, C_cities))
            V_countries.append(unit(released_V(unit(f_country), cities)))
        C_continents.append(released_C(V_countries, C_countries))
        V_continents.append(unit(released_V(f_continent, [unit(f) for f, _ in countries])))
    return [released_C(V_continents, C_continents), *C_continents]


def beside_released() -> None:
    n, in_each, cities = SMALL
    random, rows, parent, continents, tops = np.random.default_rng(0), [np.zeros(112)], [-1], [], []

    def added(above: int) -> int:
        rows.append(random.normal(-8, 2) + random.normal(0, 0.3, 112))
        parent.append(above)
        return len(parent) - 1

    for _ in range(n):
        continent, countries = added(0), []
        tops.append(continent)
        for _ in range(in_each):
            country = added(continent)
            countries.append((rows[country], [rows[added(country)] for _ in range(cities)]))
        continents.append((rows[continent], countries))
    f, above, departures = np.array(rows), np.array(parent), list(score.DEPARTURES)
    theirs, expected = timed(lambda: released(continents))
    ours, values = timed(lambda: score.herb(f, np.zeros(len(f)), above, departures))
    np.testing.assert_allclose(values.C_w[[0, *tops]], expected, rtol=1e-9)
    say(
        f"{len(f):,} regions from f(S) on: released loops, C_w alone, {theirs:.2f} s, every score {ours:.4f} s",
        Figure("scores from f(S) on", ours, "s"),
        Figure("scores from f(S) on", ours / theirs, peer="released loops"),
    )


def main() -> None:
    for name in PARTS:
        seconds, _ = timed(lambda name=name: subprocess.run([sys.executable, __file__, name], check=True))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        say(
            f"{name}: {seconds:.0f} s; largest process until now {peak:.2f} GB",
            Figure(name, seconds, "s"),
            Figure(f"{name}: largest process until now", peak, "GB"),
            threads=THREADS,
        )
    beside_products()
    beside_released()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work, argument = PARTS[sys.argv[1]]
        work(argument)
    else:
        main()
