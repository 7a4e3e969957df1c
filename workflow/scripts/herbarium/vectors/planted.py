"""Vectors with a gender direction of known strength, which the workflow makes itself: the expected result of a measure
can be computed.

The vector of a word is

    R (b + (D · gender + strength · lean) / √d · g + e),

b, standard normal over √d, so of length 1 on average, for the meaning of the word (`concept`): equal in all sources,
and so for words of two languages with the same meaning; g, a fixed unit vector, the gender direction; D = 8; e, normal
with a fifth of b's spread, for the word in this source; R, the source's own rotation, or the identity. So along g, in
units of the standard deviation of words by chance, a word that is masculine by definition is 16 from its feminine
counterpart in any source, and a stereotypically masculine word 2 · strength from a stereotypically feminine one.
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
    """R, (d, d), of a source, by its name."""
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
    """(n, d) of float64: the vectors of words in a source. gender, lean: (n,), as in the schema "words"."""
    concept_vectors = [
        stream(seed, "planted vectors", "concept", name).standard_normal(DIMENSIONS) for name in concepts
    ]
    noise = [stream(seed, "planted vectors", source, word).standard_normal(DIMENSIONS) for word in words]
    along = (BY_DEFINITION * np.asarray(gender) + strength * np.asarray(lean))[:, None] * gender_direction(seed)
    values = (
        np.reshape(concept_vectors, (-1, DIMENSIONS)) + NOISE * np.reshape(noise, (-1, DIMENSIONS)) + along
    ) / DIMENSIONS**0.5
    return values @ rotation(source, seed).T if is_rotated else values
