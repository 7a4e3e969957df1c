"""Analogies answered among all words of a source: a file of word vectors, or vectors learned by the study."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.metrics.word_associations import benchmarks
from herbarium.metrics.word_associations.benchmarks import Block
from herbarium.metrics.word_associations.space import Space
from herbarium.vectors.directions import unit

# One row per question of each list, in their order. answer: the cosine of its answer; other: the nearest word that is
# not one of its four; cosine: of that; null if one of the four has no vector. n_words: of the whole source; 0 if no
# question could be asked.
ANALOGIES = schema(
    "word_analogies",
    ("list", pa.string()),
    ("question", pa.string()),
    ("answer", pa.float64()),
    ("other", pa.string()),
    ("cosine", pa.float64()),
    ("n_words", pa.int64()),
    nullable=("answer", "other", "cosine"),
)


def among_all(
    lists: Mapping[str, Sequence[tuple[str, str, str, str]]],
    space: Space,
    looked_up: Callable[[Sequence[str]], list[str]],
    vocabulary: Callable[[int], Iterable[Block]],
) -> pd.DataFrame:
    """A table of the schema "word_analogies".

    lists: questions by the names of their lists. space: the words of the questions. looked_up: how the source spells
    words, to identify those of a question among its words. vocabulary: yields all words of the source and their
    vectors, of length 1, in blocks.
    """
    questions_of_lists = [words for questions in lists.values() for words in questions]
    names = [name for name, questions in lists.items() for _ in questions]
    rows = pd.DataFrame({"list": names, "question": list(map(" ".join, questions_of_lists)), "n_words": 0})
    rows = rows.reindex(columns=ANALOGIES.fields.names)
    known = np.array([space.has(words).all() for words in questions_of_lists])
    if not known.any():
        return rows
    questions_of_lists = [words for words, has in zip(questions_of_lists, known, strict=True) if has]
    words = sorted({word for question in questions_of_lists for word in question})
    vectors, places = unit(space.of(words)), np.searchsorted(words, questions_of_lists)
    wanted = benchmarks.targets(vectors, places)
    blocks = vocabulary(benchmarks.block_size(len(questions_of_lists)))
    others = benchmarks.nearest_others(wanted.astype(np.float32), list(map(looked_up, questions_of_lists)), blocks)
    rows.loc[known, "answer"] = (wanted * vectors[places[:, 3]]).sum(axis=1)
    rows.loc[known, "cosine"] = others.cosines
    rows["other"] = pd.Series(others.words, rows.index[known])
    return rows.assign(n_words=others.n_words)


def of_length_1(blocks: Iterable[Block]) -> Iterator[Block]:
    """Words and their vectors, (n, d), scaled to length 1; without those of length 0, which have no direction."""
    for words, vectors in blocks:
        lengths = np.linalg.norm(vectors, axis=1)
        rows = np.flatnonzero(lengths)
        yield [words[row] for row in rows], vectors[rows] / lengths[rows, None]
