"""The words and sentences whose vectors are needed, for all lists at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.metrics.word_associations import lists
from herbarium.metrics.word_associations.lists import SLOT
from herbarium.metrics.word_associations.sembias import DEFINITION, STEREOTYPE, Instances
from herbarium.vectors.directions import Method
from herbarium.vectors.tables import WORDS, bare


class Test(NamedTuple):
    """words, names: of `lists.read_test`. templates: sentences with the slot [word]; none for bare words."""

    words: dict[str, list[str]]
    names: dict[str, str]
    templates: list[str]


class Lists(NamedTuple):
    """Everything that is measured, by name as in the configuration."""

    directions: dict[str, tuple[list[tuple[str, str]], Method]]
    sembias: dict[str, Instances]
    occupations: dict[str, tuple[list[str], np.ndarray | None]]
    tests: dict[str, Test]
    similarity: dict[str, tuple[list[tuple[str, str]], np.ndarray]]
    analogies: dict[str, tuple[list[tuple[str, str, str, str]], list[str]]]


def read(entry: Mapping) -> Lists:
    """The lists of a section. entry: `word_associations` of the configuration, as plain data. Raises HerbariumError."""
    return Lists(
        {
            name: (lists.read_pairs(Path(entry["pairs"])), entry["method"])
            for name, entry in entry["directions"].items()
        },
        {name: lists.read_sembias(Path(entry["table"])) for name, entry in entry["sembias"].items()},
        {
            name: lists.read_occupations(Path(entry["table"]), entry["women"])
            for name, entry in entry["occupations"].items()
        },
        {
            name: Test(*lists.read_test(Path(entry["words"])), entry["templates"])
            for name, entry in entry["tests"].items()
        },
        {name: lists.read_similarities(Path(path)) for name, path in entry["similarity"].items()},
        {name: lists.read_analogies(Path(path)) for name, path in entry["analogies"].items()},
    )


def as_record(of: Lists) -> dict:
    """The lists as plain data, in their order: their names and contents, for each field."""
    kinds = of._asdict() | {
        "sembias": {
            name: (instances.pairs, instances.rows.tolist(), instances.in_subset.tolist())
            for name, instances in of.sembias.items()
        },
        "occupations": {name: (found, _plain(women)) for name, (found, women) in of.occupations.items()},
        "similarity": {name: (pairs, _plain(scores)) for name, (pairs, scores) in of.similarity.items()},
    }
    return {kind: [[name, *content] for name, content in entries.items()] for kind, entries in kinds.items()}


def _plain(values: np.ndarray | None) -> list[float] | None:
    return None if values is None else values.tolist()


def from_record(record: Mapping) -> Lists:
    """The lists from the record that `as_record` made."""

    def of(kind: str, read: Callable) -> dict:
        return {name: read(*content) for name, *content in record[kind]}

    return Lists(
        directions=of("directions", lambda pairs, method: (_tuples(pairs), method)),
        sembias=of(
            "sembias", lambda pairs, rows, held_out: Instances(_tuples(pairs), np.array(rows), np.array(held_out, bool))
        ),
        occupations=of("occupations", lambda found, women: (found, None if women is None else np.array(women))),
        tests=of("tests", Test),
        similarity=of("similarity", lambda pairs, scores: (_tuples(pairs), np.array(scores))),
        analogies=of("analogies", lambda questions, sections: (_tuples(questions), sections)),
    )


def _tuples(rows: Sequence[Sequence[str]]) -> list[tuple]:
    return list(map(tuple, rows))


def words(word_lists: Lists) -> pd.DataFrame:
    """Every bare word once, as of the schema "words"."""
    gender, lean = gendered(word_lists), leaning(word_lists)
    unique = list(dict.fromkeys(_words(word_lists)))
    columns = {"gender": [gender.get(word, 0.0) for word in unique]}
    return bare(unique, **columns, lean=[0.0 if word in gender else lean.get(word, 0.0) for word in unique])


def sentences(test: Test) -> pd.DataFrame:
    """Each word in each template, in the order of words, then templates, as of the schema "words": the vector is that
    of the whole sentence."""
    rows = [
        {"text": (text := template.replace(SLOT, word)), "start": 0, "end": len(text), "concept": text}
        for word in all_words(test)
        for template in test.templates
    ]
    return pd.DataFrame(rows).assign(gender=0.0, lean=0.0)[WORDS.fields.names]


def all_words(test: Test) -> list[str]:
    """The four sets, in order."""
    return [word for role in lists.ROLES for word in test.words[role]]


def _words(word_lists: Lists) -> Iterator[str]:
    for pairs, _ in word_lists.directions.values():
        yield from (word for pair in pairs for word in pair)
    for instances in word_lists.sembias.values():
        yield from (word for pair in instances.pairs for word in pair)
    for occupations, _ in word_lists.occupations.values():
        yield from occupations
    for test in word_lists.tests.values():
        if not test.templates:
            yield from all_words(test)
    for pairs, _ in word_lists.similarity.values():
        yield from (word for pair in pairs for word in pair)
    for questions, _ in word_lists.analogies.values():
        yield from (word for question in questions for word in question)


def gendered(word_lists: Lists) -> dict[str, float]:
    """Words that are masculine (1) or feminine (-1) by definition: of directions and definition pairs."""
    pairs = [pair for direction_pairs, _ in word_lists.directions.values() for pair in direction_pairs]
    pairs += [pair for instances in word_lists.sembias.values() for pair in _of_category(instances, DEFINITION)]
    return _sides(pairs)


def leaning(word_lists: Lists) -> dict[str, float]:
    """The stereotypes of planted vectors: 1 for the first words of stereotype pairs and of the sets X and A, -1 for
    their counterparts; for an occupation, from 1 of the list's least share of women to -1 of its largest."""
    leans: dict[str, float] = {}
    for test in word_lists.tests.values():
        leans |= {word: 1.0 if role in "XA" else -1.0 for role in lists.ROLES for word in test.words[role]}
    for occupations, women in word_lists.occupations.values():
        if women is not None:
            leans |= dict(zip(occupations, 1 - 2 * _from_0_to_1(women), strict=True))
    pairs = [pair for instances in word_lists.sembias.values() for pair in _of_category(instances, STEREOTYPE)]
    return leans | _sides(pairs)


def _from_0_to_1(values: np.ndarray) -> np.ndarray:
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread else np.full(len(values), 0.5)


def _of_category(instances: Instances, category: str) -> list[tuple[str, str]]:
    return [
        pair
        for pair, pair_category in zip(instances.pairs, instances.category, strict=True)
        if pair_category == category
    ]


def _sides(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    return {word: side for pair in pairs for word, side in zip(pair, (1.0, -1.0), strict=True)}
