"""HERB at the size of all cities of the world, from likelihoods to numbers (`make bench`): no model is run.

(e) Tables 1, 2, 3 and 6 and every departure, of one model and all 34,000 regions: the numbers alone, then with 200
replicates. (f) 2,000 replicates and the jackknife over sub-regions, with 25,000 cities. (g) The test of the hierarchy,
all regions. Random likelihoods of the size of real ones stand in for what a model would say. Each runs in a process of
its own.
"""

import resource
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa

from herbarium.metrics.herb import ablations, score
from herbarium.metrics.herb import hierarchy as herb_hierarchy
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb.likelihoods import with_matrix
from herbarium.metrics.herb.selection import select
from herbarium.regions.hierarchy import geonames

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
    herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS)
    departures = [*score.DEPARTURES, "no_full_stop", "odd_spaces", "pad_mean"]
    ablations.ablate("bench", regions, WORDS, likelihoods, list(WORDS), departures, bootstrap, 0, THREADS)


def replicates(n: int) -> None:
    regions, likelihoods = study(22_000)
    bootstrap = {"replicates": n, "level": 0.95}
    resampled = herb_table.resample("bench", regions, WORDS, likelihoods["paper"], bootstrap, 0, THREADS)
    herb_table.intervals(resampled, 0.95)


def hierarchy(permutations: int) -> None:
    regions, likelihoods = study(0)
    selected = select(regions, WORDS, likelihoods["paper"])
    bootstrap = {"replicates": 200, "level": 0.95}
    herb_hierarchy.measure("bench", selected, permutations, bootstrap, "holm", 0, THREADS)


PARTS = {
    "(e) tables and departures, no replicates": (tables, 0),
    "(e) tables and departures, 200 replicates": (tables, 200),
    "(f) 25,000 cities, 2,000 replicates": (replicates, 2_000),
    "(g) hierarchy, 999 permutations, 200 replicates": (hierarchy, 999),
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
