"""Vectors with a gender direction of known strength, which the workflow makes itself: what a measure should find in
them can be computed.

The vector of a word is

    R (b + (D · gender + strength · lean) / √d · g + e),

b, standard normal over √d, so of length 1 on average, of what the word means (`concept`): equal in all sources, and so
for the words of two languages that mean the same; g, a fixed unit vector, the gender direction; D = 8; e, normal with a
fifth of b's spread, of the word in this source; R, a rotation of the source's own, or the identity. So a word that is
masculine by definition stands 16 standard deviations of what words have along g by chance from its feminine
counterpart in any source, and one that stereotypes call masculine 2 · strength from one that they call feminine.
"""

from collections.abc import Sequence

import numpy as np

from herbarium.core.random import stream

DIMENSIONS = 64
BY_DEFINITION = 8.0
NOISE = 0.2


def gender_direction(seed: int) -> np.ndarray:
    """g, (d,), before any rotation."""
    g = stream(seed, "planted vectors", "gender").standard_normal(DIMENSIONS)
    return g / np.linalg.norm(g)


def rotation(source: str, seed: int) -> np.ndarray:
    """R, (d, d), of a source by its name."""
    q, r = np.linalg.qr(stream(seed, "planted vectors", "rotation", source).standard_normal((DIMENSIONS, DIMENSIONS)))
    return q * np.sign(np.diag(r))


def vectors(
    words: Sequence[str],
    concepts: Sequence[str],
    gender: np.ndarray,
    lean: np.ndarray,
    source: str,
    strength: float,
    is_rotated: bool,
    seed: int,
) -> np.ndarray:
    """(n, d) of float64: the vectors of words in a source. gender, lean: (n,), as of the schema "words"."""
    own = [stream(seed, "planted vectors", "concept", name).standard_normal(DIMENSIONS) for name in concepts]
    noise = [stream(seed, "planted vectors", source, word).standard_normal(DIMENSIONS) for word in words]
    along = (BY_DEFINITION * np.asarray(gender) + strength * np.asarray(lean))[:, None] * gender_direction(seed)
    found = (np.reshape(own, (-1, DIMENSIONS)) + NOISE * np.reshape(noise, (-1, DIMENSIONS)) + along) / DIMENSIONS**0.5
    return found @ rotation(source, seed).T if is_rotated else found
