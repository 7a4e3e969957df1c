"""The gender direction of word vectors, projections on it, and word vectors without it.

Nothing here scales its arguments unless it says so: for cosines, or for the directions of Bolukbasi et al. (2016),
"Man is to Computer Programmer as Woman is to Homemaker? Debiasing Word Embeddings", NeurIPS, whose vectors have
length 1, call `unit` first.
"""

from typing import Literal

import numpy as np

from herbarium.core.errors import HerbariumError

Method = Literal["pair", "mean", "pca"]

# For a cosine of vectors in single precision: closer to 0 than this, its sign is not certain.
ROUNDING = 1e-6
_ZERO = 1e-12  # a vector this short, relative to those it is computed from, has no direction


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors, (..., d), scaled to length 1; those with NaN stay NaN. Raises HerbariumError for one of length 0."""
    vectors = np.asarray(vectors, dtype=float)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if n := np.count_nonzero(lengths == 0):
        raise HerbariumError(
            f"{n} of {lengths.size} vectors have length 0, and so no direction: leave these words out."
        )
    return vectors / lengths


def direction(masculine: np.ndarray, feminine: np.ndarray, method: Method) -> np.ndarray:
    """The gender direction, (d,), of length 1, masculine positive.

    masculine, feminine: (n, d), one row per pair of words. method: `pair`, the difference of the first pair, by
    custom he − she; `mean`, the mean difference of all pairs, v_g of Zhao (2021, §3.1); `pca`, the first principal
    component of all words, each pair centred at its own mean (Bolukbasi et al., 2016, §5, with one direction). Half of
    a pair's difference, with either sign, is left, so that the component is the first right singular vector of the
    differences. Raises HerbariumError if there are no pairs, vectors are not finite, or the two sides do not differ.
    """
    differences = np.asarray(masculine, dtype=float) - np.asarray(feminine, dtype=float)
    if not len(differences):
        raise HerbariumError(
            "There is no pair of gendered words to compute a gender direction from: give at least one."
        )
    if method == "pair":
        differences = differences[:1]
    if not np.isfinite(differences).all():
        raise HerbariumError(
            "The vectors of some pairs of gendered words are missing or not finite: leave these pairs out of the "
            "gender direction."
        )
    mean = differences.mean(axis=0)
    axis = mean
    if method == "pca":
        axis = np.linalg.svd(differences, full_matrices=False)[2][0]
        axis = axis if axis @ mean >= 0 else -axis
    length, scale = np.linalg.norm(axis), np.abs(differences).max()
    if scale == 0 or length < _ZERO * scale:
        raise HerbariumError(
            f"The two sides of the {len(differences)} pairs of gendered words do not differ: there is no gender "
            "direction. Give pairs of different words."
        )
    return axis / length


def projections(vectors: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The projections of vectors, (..., d), on a direction, (d,) of length 1: (...), masculine positive; for vectors of
    length 1 (`unit`), their cosines with it."""
    return np.asarray(vectors, dtype=float) @ direction


def hard_debias(vectors: np.ndarray, direction: np.ndarray, pairs: np.ndarray, is_neutral: np.ndarray) -> np.ndarray:
    """Word vectors, (n, d), in which only gendered words have a gender: hard debiasing, Bolukbasi et al. (2016, §6).

    direction: (d,), of length 1. pairs: (n_pairs, 2) rows of `vectors`, masculine and feminine. is_neutral: (n,), which
    words have no gender by definition. As in the paper, all vectors are scaled to length 1 first, and again
    before they are returned. Neutral words lose their component along the direction (neutralise). The two words of a
    pair become equal except along the direction, where they are equally far from 0, on their original sides (equalise):
    any neutral word is then equally close to both. Other words are only scaled.

    Raises HerbariumError for a word in two pairs, which cannot be equalised with both, and for a word whose vector is
    along the direction.
    """
    pairs = np.asarray(pairs, dtype=int).reshape(-1, 2)
    words, n_pairs = np.unique(pairs, return_counts=True)
    if (n_pairs > 1).any():
        raise HerbariumError(
            f"{np.count_nonzero(n_pairs > 1)} words (the first in row {words[n_pairs > 1][0]}) are in more than one "
            "pair, or twice in one: each word can only be equalised in one pair."
        )
    units = unit(vectors)
    along = projections(units, direction)
    orthogonal = units - along[:, None] * direction
    if (np.linalg.norm(orthogonal[is_neutral], axis=1) < _ZERO).any():
        raise HerbariumError(
            "The vector of a neutral word is along the gender direction, so nothing would be left of it."
        )
    units[is_neutral] = unit(orthogonal[is_neutral])

    masculine, feminine = pairs.T
    shared = (orthogonal[masculine] + orthogonal[feminine]) / 2
    apart = np.sqrt(np.maximum(1 - (shared**2).sum(axis=1), 0))
    apart = np.where(along[masculine] < along[feminine], -apart, apart)[:, None] * direction
    units[masculine], units[feminine] = shared + apart, shared - apart
    return units
