"""Words of a language with their vectors, and one language mapped into the space of another."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.metrics.languages import alignment
from herbarium.metrics.languages.alignment import NEIGHBOURS, Pool
from herbarium.vectors.tables import Vectors

# Words of a language in the space of its pivot; the fit is described in the file's metadata.
ALIGNED = schema("languages_aligned", ("word", pa.string()), ("vector", pa.list_(pa.float32())))
# Words whose translations were searched for: the number of right ones, and whether one was found.
TRANSLATIONS = schema(
    "languages_translations",
    ("word", pa.string()),
    ("n_right", pa.int32()),
    ("procrustes", pa.bool_()),
    ("rcsls", pa.bool_()),
)


# Fits of a language to noisy copies of itself: each a W, (d × d), by row.
CONTROLS = schema("languages_controls", ("w", pa.list_(pa.float32())))
N_CONTROLS = 5


class Space(NamedTuple):
    """Words that have a vector, and their unit vectors (n, d), float32."""

    words: pd.Index
    vectors: np.ndarray

    def without(self, words: Collection[str]) -> "Space":
        is_left = ~self.words.isin(list(words))
        return Space(self.words[is_left], self.vectors[is_left])

    def rows(self, words: pd.Series) -> np.ndarray:
        """The row of each word; -1 if it has no vector."""
        return self.words.get_indexer(pd.Index(words))


class Aligned(NamedTuple):
    """space: the language in its pivot's. losses: of RCSLS, step by step. n_train: pairs of the dictionary in the fit,
    of n_asked. translations: a table of TRANSLATIONS. controls: (N_CONTROLS, d, d) W of `control`."""

    space: Space
    losses: list[float]
    n_train: int
    n_asked: int
    translations: pd.DataFrame
    controls: np.ndarray


def of_source(words: pd.Series, loaded: Vectors, source: str) -> Space:
    """The words for which a source has a vector. Raises HerbariumError if it has several layers."""
    if len(loaded.layers) != 1:
        raise HerbariumError(
            f"vectors.{source}: it has the layers {', '.join(loaded.layers)}; languages are measured in one space, so "
            "name one, for instance layers: [-1]."
        )
    vectors = loaded.values[:, 0]
    is_there = np.isfinite(vectors).all(axis=1) & (vectors != 0).any(axis=1)
    return Space(pd.Index(words[is_there]), alignment.unit(vectors[is_there]))


def align(
    language: Space,
    pivot: Space,
    train: pd.DataFrame,
    test: pd.DataFrame,
    measured: tuple[Collection[str], Collection[str]],
    where: str,
    random: np.random.Generator,
) -> Aligned:
    """Map a language into the space of its pivot by RCSLS, and search for translations there, also with Procrustes
    alone.

    Neighbours of the fit are searched for among all words except the measured ones, which would push each other apart
    and so change the measurement. Translations are searched for among all.

    train, test: dictionaries with `source` and `target`. measured: words of the lists of both languages. where: the
    dictionary of the test, for messages. random: the stream of the controls. Raises HerbariumError if vectors have
    different numbers of dimensions, or dictionaries do not overlap with their words.
    """
    if language.vectors.shape[1] != pivot.vectors.shape[1]:
        dimensions = f"{language.vectors.shape[1]} and {pivot.vectors.shape[1]}"
        raise HerbariumError(
            f"{where}: its languages have vectors of {dimensions} dimensions; the numbers must be equal."
        )
    pool = [space.without(words) for space, words in zip((language, pivot), measured, strict=True)]
    fewest = min(len(space.words) for space in pool)
    if fewest < NEIGHBOURS:
        raise HerbariumError(
            f"{where}: {fewest} words in addition to those of the lists have a vector; {NEIGHBOURS} neighbours of each "
            "are needed."
        )
    rows = known(language, pivot, train)
    tested_pairs = known(language, pivot, test)
    for what, known_rows, table in (("fitted to", rows, train), ("tested on", tested_pairs, test)):
        if known_rows.empty:
            raise HerbariumError(
                f"{where}: of the {len(table)} pairs of words that the alignment is {what}, none has a vector on both "
                f"sides; the first is '{table['source'].iloc[0]}' and '{table['target'].iloc[0]}'. Is the dictionary "
                "of these languages, in this order, and written in the same case?"
            )
    x, y = language.vectors[rows["source"]], pivot.vectors[rows["target"]]
    fit = alignment.rcsls(x, y, Pool(*(space.vectors for space in pool)))
    right = tested_pairs.groupby("source", sort=False)["target"].agg(list)
    table = pd.DataFrame({"word": language.words[right.index], "n_right": right.map(len).to_numpy()})
    spaces = {
        name: alignment.mapped(language.vectors, w).astype(np.float32)
        for name, w in (("procrustes", alignment.procrustes(x, y)), ("rcsls", fit.w))
    }
    for name, vectors in spaces.items():
        table[name] = alignment.found(vectors[right.index], right.tolist(), Pool(vectors, pivot.vectors))
    fitted = language.words[rows["source"]]
    controls = np.stack([control(pool[0], pool[0].without(fitted), x, y, random) for _ in range(N_CONTROLS)])
    return Aligned(Space(language.words, spaces["rcsls"]), fit.losses, len(rows), len(train), table, controls)


def control(pool: Space, others: Space, x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """(d, d) W of RCSLS, fitted to a noisy copy of a language's own space instead of its pivot's
    (`alignment.noisy_copies`): the effect of the fit alone.

    pool: the words among which neighbours are searched for; others: those of them that are not in the dictionary. x, y:
    (n, d) vectors of the words of the dictionary and of their translations. random: the stream of this copy.
    """
    copies = alignment.noisy_copies(np.concatenate([x, others.vectors]), x, y, random)
    return alignment.rcsls(x, copies[: len(x)], Pool(pool.vectors, copies)).w


def known(language: Space, pivot: Space, dictionary: pd.DataFrame) -> pd.DataFrame:
    """`source` and `target`, rows of the vectors of both, of the pairs of a dictionary that have both."""
    rows = pd.DataFrame(
        {"source": language.rows(dictionary["source"]), "target": pivot.rows(dictionary["target"])},
    )
    return rows[(rows >= 0).all(axis=1)].reset_index(drop=True)
