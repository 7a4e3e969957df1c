"""HERB at the size of all cities of the world, from likelihoods to numbers (`make bench`): no model is run.

(e) Tables 1, 2, 3 and 6 and every departure, of one model and all 34,000 regions: the numbers alone, then with 200
replicates. (f) 2,000 replicates of each kind, with 25,000 cities. (g) The test of the hierarchy, all regions. Random
likelihoods of the size of real ones stand in for what a model would say. Each runs in a process of its own.
(h) Of how many simulated studies the intervals over sub-regions hold the true value.
"""

import resource
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa

from herbarium.metrics.herb import ablations, score
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import hierarchy as herb_hierarchy
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb.likelihoods import with_matrix
from herbarium.metrics.herb.selection import select
from herbarium.regions.hierarchy import geonames
from herbarium.statistics.inference import acceleration, bca_interval, percentile_interval

CONTINENTS = ["AF", "AS", "EU", "NA", "OC", "SA"]
TOPICS = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}
WORDS = {topic: [f"{topic}-{i}" for i in range(n)] for topic, n in TOPICS.items()}
THREADS = 2


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
    regions, likelihoods = study(0)
    bootstrap = {"replicates": replicates, "level": 0.95}
    herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS, over=["descriptions"])
    departures = [*score.DEPARTURES, "no_full_stop", "odd_spaces", "pad_mean"]
    ablations.ablate("bench", regions, WORDS, likelihoods, list(WORDS), departures, bootstrap, 0, THREADS)


def replicates(n: int) -> None:
    regions, likelihoods = study(22_000)
    bootstrap = {"replicates": n, "level": 0.95}
    resampled = herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS)
    herb_table.intervals(resampled, 0.95, THREADS)


def hierarchy(permutations: int) -> None:
    regions, likelihoods = study(0)
    selected = select(regions, WORDS, likelihoods["paper"])
    bootstrap = {"replicates": 200, "level": 0.95}
    herb_hierarchy.measure("bench", selected, permutations, bootstrap, "holm", 0, THREADS)


def coverage(n_studies: int) -> None:
    """Sparseness of one region: sub-regions are drawn from a population whose mean distance is known."""
    level, n_replicates, n_descriptions = 0.95, 400, 20
    random = np.random.default_rng(0)

    def draw(n: int) -> np.ndarray:
        spread = np.exp(random.normal(0, 0.5, (n, 1)))  # some regions lie farther out than others
        return np.concatenate([np.zeros((1, n_descriptions)), -4 + spread * random.normal(0, 0.3, (n, n_descriptions))])

    def cluster(n: int) -> np.ndarray:
        return np.array([-1] + [0] * n)

    many = draw(5_000)
    truth = score.herb(many, np.zeros(len(many)), cluster(len(many) - 1)).sparseness[0]
    for n in (6, 10, 30, 60):
        parent, f_name = cluster(n), np.zeros(n + 1)
        held = np.zeros(2)
        for _ in range(n_studies):
            f = draw(n)
            estimate = score.herb(f, f_name, parent).sparseness[0]
            resampling = herb_bootstrap.Resampling("sub_regions", np.zeros(n_descriptions), parent)
            drawn = herb_bootstrap.bootstrap(f, f_name, parent, resampling, n_replicates, random)
            replicates = np.array([scores.sparseness[0] for scores in drawn])
            sums = herb_bootstrap.jackknife(f, f_name, parent, np.zeros(n_descriptions))["sub_regions"]
            a = acceleration(*(of_kind[score.VARIANTS.index("sparseness"), 0] for of_kind in sums))
            bounds = percentile_interval(replicates, level), bca_interval(replicates, estimate, a, level)
            held += [low <= truth <= high for low, high in bounds]
        percentile, bca = held / n_studies
        print(f"(h) {n} sub-regions: percentile {percentile:.3f}, BCa {bca:.3f}", flush=True)


PARTS = {
    "(e) tables and departures, no replicates": (tables, 0),
    "(e) tables and departures, 200 replicates": (tables, 200),
    "(f) 25,000 cities, 2,000 replicates of each kind": (replicates, 2_000),
    "(g) hierarchy, 999 permutations, 200 replicates": (hierarchy, 999),
    "(h) coverage of nominal 95 % intervals over sub-regions": (coverage, 500),
}


def main() -> None:
    for name in PARTS:
        start = time.perf_counter()
        subprocess.run([sys.executable, __file__, name], check=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(f"{name}: {time.perf_counter() - start:.0f} s; largest process until now {peak:.2f} GB", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work, argument = PARTS[sys.argv[1]]
        work(argument)
    else:
        main()
