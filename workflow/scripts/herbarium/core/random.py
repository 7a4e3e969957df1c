"""Random streams: one seed for a study, and a stream from it for each named step."""

import hashlib

import numpy as np


def stream(seed: int, *name: object) -> np.random.Generator:
    """The random stream of a named step: the same whatever else runs, in whatever order, on however many cores.

    seed: the study's only seed. name: of the step, for instance ("bootstrap", metric, model).
    """
    digest = hashlib.sha256("\x1f".join(map(str, name)).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype=np.uint32)])
