"""Content that is there more than once: its copies say one thing, and are one unit of inference.

Two texts are *alike* if they have the same words, whatever their case, spaces, punctuation and Unicode form. Two units
are alike if they share what the caller calls their keys, such as a text; or if both are like a third.
"""

import unicodedata
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import pandas as pd


class _Written(dict):
    """Code point -> what is compared of it, for `str.translate`: no format characters, and a space for punctuation."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        self[code] = "" if category == "Cf" else " " if category[0] in "CPZ" else chr(code)
        return self[code]


_WRITTEN = _Written()


def content(text: str) -> str:
    """What texts that are alike share; of a text without words the text itself."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_WRITTEN).split()) or text


def clusters(keys: Iterable[Iterable[Hashable]]) -> list[int]:
    """For each unit the number of the first one that it is alike, its own if there is none. keys: of each unit."""
    first_with: dict[Hashable, int] = {}
    cluster: list[int] = []

    def first(unit: int) -> int:
        while cluster[unit] != unit:
            unit = cluster[unit]
        return unit

    for number, of_unit in enumerate(keys):
        cluster.append(number)
        for key in of_unit:
            one, other = sorted([first(number), first(first_with.setdefault(key, number))])
            cluster[other] = one
    return [first(unit) for unit in range(len(cluster))]


def firsts(names: Sequence[Hashable] | np.ndarray | pd.Series, keys: Iterable[Iterable[Hashable]]) -> np.ndarray:
    """For each row the name of its unit, or of the first unit that this is alike: the names themselves if no two are.

    names: (n,) of the units of rows; those of one name are alike. keys: of each row.
    """
    named = ((("", name), *of_row) for name, of_row in zip(names, keys, strict=True))
    return np.asarray(names, dtype=object)[clusters(named)]


def alike(texts: pd.Series) -> pd.Series:
    """For each text the first one that it is alike."""
    return pd.Series(firsts(texts, ([content(text)] for text in texts)), texts.index, name=texts.name)


def numbered(texts: Iterable[str]) -> np.ndarray:
    """(n,) for each text the number of the first one that it is alike, its own if there is none."""
    return np.array(clusters([content(text)] for text in texts), dtype=int)


def merged(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Values of units with the mean of those of texts: to that the deviations of a unit's texts add up, so that its
    spread over units is the error clustered by them. The values themselves if no two texts are of one unit.

    values: (n_sets, n). unit: (n,). Returns (n_sets, n_units).
    """
    names, place = np.unique(unit, return_inverse=True)
    if len(names) == len(unit):
        return values
    means = values.mean(axis=1, keepdims=True)
    return means + len(names) / len(unit) * np.stack([np.bincount(place, row) for row in values - means])


def remark(n: int, n_units: int, what: str) -> str | None:
    """The note beside a number of which some units are alike; None if none are. n: as they are given. n_units: that
    differ. what: they are."""
    return f"{n} {what}, of which {n_units} differ: those alike are one unit" if n_units < n else None
