"""Random streams and intervals that every metric shares."""

import hashlib

import numpy as np


def stream(seed: int, *name: object) -> np.random.Generator:
    """The random stream of a named step: the same whatever else runs, in whatever order, on however many cores.

    seed: the study's one seed. name: what the step is, for instance ("bootstrap", "herb", model).
    """
    digest = hashlib.sha256("\x1f".join(map(str, name)).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype=np.uint32)])


def percentile_interval(replicates: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the percentile bootstrap interval along the first axis (Efron 1979).

    replicates: (n_replicates, ...) bootstrap estimates. level: coverage, such as 0.95.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
