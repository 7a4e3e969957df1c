"""Cards: the tables of a metric's page, docs/metrics/{metric}.md, with the names of every number that it can write."""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

PAGES = Path("docs/metrics")
KEYS = ["metric", "definition", "variant", "unit"]


def cards(metric: str) -> pd.DataFrame:
    """The rows of the tables whose first columns are `KEYS`, one for each of the names in their cells."""
    rows = []
    for line in (PAGES / f"{metric}.md").read_text(encoding="utf-8").splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == len(KEYS) + 1:
            rows += [dict(zip(KEYS, key, strict=True)) for key in pd.MultiIndex.from_product(cells[: len(KEYS)])]
    return pd.DataFrame(rows, columns=KEYS)


def pattern(key: str, names: Mapping[str, Collection[str]]) -> re.Pattern:
    """What a name of a card stands for: in the place of what is in braces one of its names, else anything."""
    parts = re.split(r"\{(\w+)\}", key)
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = ["|".join(names.get(name, [".+"])) for name in parts[1::2]]
    return re.compile("".join(f"(?:{part})" for part in parts))


def assert_cards(
    metric: str, numbers: Iterable[pd.DataFrame], names: Mapping[str, Collection[str]] | None = None
) -> None:
    """Every number has a card on the metric's page, and every card a number.

    numbers: tidy tables, with everything that the metric can write. names: what a word in braces stands for.
    """
    of_cards = cards(metric).to_numpy().tolist()
    patterns = [[pattern(key, names or {}) for key in card] for card in of_cards]
    written = pd.concat([table[KEYS] for table in numbers]).drop_duplicates().to_numpy().tolist()
    fits = np.array(
        [[all(map(re.Pattern.fullmatch, card, number)) for number in written] for card in patterns], dtype=bool
    ).reshape(len(patterns), len(written))
    without_card = [" / ".join(number) for number, has in zip(written, fits.any(axis=0), strict=True) if not has]
    without_number = [" / ".join(card) for card, has in zip(of_cards, fits.any(axis=1), strict=True) if not has]
    assert (without_card, without_number) == ([], [])
