"""`herbarium sets`: the catalogue of sets of sentences by others, and a set of it."""

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.metrics.sentence_sets import catalogue
from herbarium.metrics.sentence_sets.catalogue import Card
from herbarium.statistics.sets import SET

SHOWN = 3  # sets of a set of the catalogue


def listed(fetch: bool) -> str:
    """A line for each set. fetch: the sentences of all, of which those that are not to be had are named."""
    cards = {name: catalogue.card(name) for name in catalogue.names()}
    missing = _missing(cards) if fetch else []
    table = pd.DataFrame(
        [
            {
                "set": name,
                "items": f"{card.items:,}",
                "languages": ", ".join(card.languages),
                "models": ", ".join(card.kinds),
                "here": "yes" if card.is_here else "no",
                "asks": card.asks,
            }
            for name, card in cards.items()
        ]
    )
    return "\n".join([*_lines(table), *missing])


def _missing(cards: dict[str, Card]) -> list[str]:
    missing = []
    for name, card in cards.items():
        try:
            card.read()
        except HerbariumError as error:
            missing.append(f"{name}: {error}")
    return missing


def _lines(table: pd.DataFrame) -> list[str]:
    """A table as text, its columns from the left."""
    rows = [list(table), *table.to_numpy().tolist()]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def shown(name: str, fetch: bool) -> str:
    """The card of a set, and some of its sentences if they are here. Raises HerbariumError if there is no such set, or
    its sentences are wanted and not to be had."""
    card = catalogue.card(name)
    facts = {
        "asks": card.asks,
        "source": f"{card.source}, {card.paper}",
        "licence": card.licence,
        "languages": ", ".join(card.languages),
        "models": ", ".join(card.kinds),
        "score": f"{card.entry['quantity']}, {card.entry.get('contrast', 'pairs')} of {', '.join(card.entry['sides'])}",
        "unit": card.entry.get("unit", SET),
        "items": f"{card.items:,}",
        "from": card.entry.get("git", card.entry["table"]).partition("#")[0],
    }
    lines = [card.title, *(f"  {key}: {value}" for key, value in facts.items())]
    lines += [f"  Note: {note}" for note in card.caution]
    if not (fetch or card.is_here):
        return "\n".join([*lines, f"Its sentences are not here yet: herbarium sets {name} --fetch"])
    sentences = card.read().sentences
    n = sentences[SET].nunique()
    chosen = sentences[sentences[SET].isin(sentences[SET].unique()[:SHOWN])]
    lines += [f"{n:,} items, of which the first {min(n, SHOWN)}:"]
    return "\n".join([*lines, *(f"  {row.side}: {row.text}" for row in chosen.itertuples())])
