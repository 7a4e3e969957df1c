"""Planted vectors of the lists of this project, and of a few words."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

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


@cache
def _of_source(source, strength):
    return measured(strength=strength, source=source)


def of_source(source, strength):
    """As `measured`, once whoever asks."""
    return [table.copy() for table in _of_source(source, strength)]


ANALOGIES = (
    ": one\nhe she king queen\nking queen he she\nman woman he she\n: two\nhe she uncle aunt\nuncle aunt he she\n"
)
SIMILARITIES = "uncle\taunt\t9\napple\tpear\t7\napple\tking\t1\nspoon\tfork\t8\nking\tqueen\t9\n"


def with_benchmarks(folder):
    (folder / "analogies.txt").write_text(ANALOGIES)
    (folder / "similar.txt").write_text(SIMILARITIES)
    benchmarks = {"similarity": {"few": folder / "similar.txt"}, "analogies": {"few": folder / "analogies.txt"}}
    return NOTHING | {"directions": ENTRY["directions"]} | benchmarks


def among_all(without):
    """The analogies among 1,000 words: the answer of the first question is nearest, the others tie, and the last two
    have another word before theirs. without: questions, by number, whose words have no vector."""
    asked = [line for line in ANALOGIES.splitlines() if not line.startswith(":")]
    table = pd.DataFrame({"list": "few", "question": asked, "other": "word", "n_words": 1000})
    table = table.assign(answer=[0.9, 0.7, 0.7, 0.6, 0.5], cosine=[0.8, 0.7 + 1e-7, 0.7, 0.7, 0.7])
    table.loc[without, ["answer", "cosine"]] = np.nan
    return table


@cache
def in_sentences():
    """Numbers of a test in two templates."""
    seat = {"words": str(HERE / "tests/math_arts.csv"), "templates": ["This is [word].", "The [word]."]}
    entry = NOTHING | {"directions": ENTRY["directions"], "tests": {"seat": seat}}
    result = vectors_of(stimuli.sentences(stimuli.read(entry).tests["seat"]), 0.0)
    return measured(entry, in_sentences={"seat": result})[0]


@cache
def everything():
    """Tables with every number that the metric can have."""
    with TemporaryDirectory() as folder:
        of_benchmarks = measured(with_benchmarks(Path(folder)), among_all=among_all([]))[0]
    return [of_source("strong", 2.0)[0], of_benchmarks, in_sentences()]


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
