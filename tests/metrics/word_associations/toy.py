"""Planted vectors of the lists of this project, and of a few words."""

from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.metrics.word_associations import numbers, stimuli
from herbarium.vectors import planted
from herbarium.vectors.tables import Vectors

HERE = Path("resources/word_associations")
WOMEN = {"table": "resources/sentence_sets/winobias_women.csv", "women": "per cent women"}
PAIRS = str(HERE / "pairs.csv")
NOTHING = {"sembias": {}, "occupations": {}, "tests": {}, "similarity": {}, "analogies": {}}
ENTRY = NOTHING | {
    "directions": {"he-she": {"pairs": PAIRS, "method": "pair"}, "ten": {"pairs": PAIRS, "method": "mean"}},
    "sembias": {"own": {"table": str(HERE / "sembias")}},
    "occupations": {"jobs": WOMEN},
    "tests": {"family": {"words": str(HERE / "tests/career_family.csv"), "templates": []}},
}
SEED = 5


def vectors_of(words: pd.DataFrame, strength: float, seed: int = SEED) -> Vectors:
    columns = (words[column].to_numpy() for column in ("text", "concept", "gender", "lean"))
    values = planted.vectors(*columns, "toy", strength, False, seed)[:, None].astype(np.float32)
    return Vectors(["input"], values, np.ones(len(words), dtype=int), np.full(len(words), None))


def measured(
    entry=ENTRY,
    strength=2.0,
    source="toy",
    spoil=lambda words, vectors: vectors,
    in_sentences=(),
    among_all=None,
):
    """Tidy rows and projections of a planted source. spoil: what happens to its vectors."""
    word_lists = stimuli.read(entry)
    words = stimuli.words(word_lists)
    vectors = spoil(words, vectors_of(words, strength))
    texts = words["text"].tolist()
    return numbers.measure(source, texts, vectors, dict(in_sentences), word_lists, 0.95, "holm", SEED, among_all)


def without(*lost):
    """Vectors of which some words have none."""

    def spoil(words, vectors):
        vectors.values[words["text"].isin(lost).to_numpy()] = np.nan
        return vectors

    return spoil


def row(table, metric, unit, group, definition=None):
    is_row = (table["metric"] == metric) & (table["unit"] == unit) & (table["group"] == group)
    is_chance = table["definition"] == numbers.CHANCE
    return table[is_row & (table["definition"] == definition if definition else ~is_chance)].iloc[0]
