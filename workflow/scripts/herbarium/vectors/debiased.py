"""Vectors of another source after hard debiasing."""

from collections.abc import Sequence

import numpy as np

from herbarium.core.errors import HerbariumError
from herbarium.vectors import directions
from herbarium.vectors.directions import Method
from herbarium.vectors.pairs import Pair, disjoint


def vectors(
    words: Sequence[str], values: np.ndarray, pairs: Sequence[Pair], masculine: np.ndarray, feminine: np.ndarray,
    method: Method,
) -> np.ndarray:  # fmt: skip
    """(n, d): the vectors of words after `directions.hard_debias`, nan if there was none; all others have length 1.

    values: (n, d), the original ones. masculine, feminine: (n_pairs, d), those of the words in `pairs`. nan: no vector.
    The gender direction is that of all pairs with both vectors. Words of pairs, in lower case or not, have a gender by
    definition, and all others are neutral. A word of a pair is equalised as written in the pair; if it is in two, in
    the first. Raises HerbariumError if no pair has both vectors, and as `directions` does.
    """
    is_whole = np.isfinite(masculine).all(axis=1) & np.isfinite(feminine).all(axis=1)
    if not is_whole.any():
        raise HerbariumError(
            f"None of the {len(pairs)} pairs of gendered words has vectors for both words: use pairs in the language "
            "and spelling of the source."
        )
    masculine, feminine = directions.unit(masculine[is_whole]), directions.unit(feminine[is_whole])
    direction = directions.direction(masculine, feminine, method)
    whole = [pair for pair, is_complete in zip(pairs, is_whole, strict=True) if is_complete]
    equalised = [whole.index(pair) for pair in disjoint(whole)]
    n = len(equalised)

    of_gender = {word for pair in pairs for word in pair}
    debiased = np.full(values.shape, np.nan)
    is_there = np.isfinite(values).all(axis=1)
    is_neutral = np.array([word.lower() not in of_gender for word in words], dtype=bool)[is_there]
    together = directions.hard_debias(
        np.concatenate([masculine[equalised], feminine[equalised], values[is_there]]),
        direction,
        np.arange(2 * n).reshape(2, n).T,
        np.concatenate([np.zeros(2 * n, dtype=bool), is_neutral]),
    )
    debiased[is_there] = together[2 * n :]
    place = {word: row for side in (0, 1) for row, word in enumerate((whole[at][side] for at in equalised), side * n)}
    for at in np.flatnonzero(is_there):
        if words[at] in place:
            debiased[at] = together[place[words[at]]]
    return debiased


def halves(listed: Sequence[str], gendered: np.ndarray) -> tuple[list[Pair], np.ndarray, np.ndarray]:
    """Pairs, and the vectors of their masculine and feminine words, (n_pairs, d) each.

    listed: from rule list_pairs, all masculine words before the feminine ones. gendered: (2 n_pairs, d), their vectors.
    """
    n = len(listed) // 2
    return list(zip(listed[:n], listed[n:], strict=True)), gendered[:n], gendered[n:]
