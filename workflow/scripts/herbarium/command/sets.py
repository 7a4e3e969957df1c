"""`herbarium sets`: the catalogue of sets of sentences by others, and a set of it."""

from herbarium.core.errors import HerbariumError
from herbarium.study import catalogue
from herbarium.study.catalogue import Card

SET = "set"  # the column of sentences with the name of their set
SHOWN = 3  # sets of a set of the catalogue


def listed(fetch: bool) -> str:
    """A line for each set. fetch: the sentences of all, of which those that are not to be had are named."""
    cards = {name: catalogue.card(name) for name in catalogue.names()}
    missing = _missing(cards) if fetch else []
    rows = [("set", "items", "languages", "models", "here", "asks")]
    for name, card in cards.items():
        here = "yes" if card.is_here else "no"
        rows.append((name, f"{card.items:,}", ", ".join(card.languages), ", ".join(card.kinds), here, card.asks))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, *missing])


def _missing(cards: dict[str, Card]) -> list[str]:
    missing = []
    for name, card in cards.items():
        try:
            card.read()
        except HerbariumError as error:
            missing.append(f"{name}: {error}")
    return missing


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
    if card.published:
        lines += [f"  published: {', '.join(f'{model} {number:g}' for model, number in card.published.items())}"]
    lines += [f"  Note: {note}" for note in card.caution]
    if not (fetch or card.is_here):
        return "\n".join([*lines, f"Its sentences are not here yet: herbarium sets {name} --fetch"])
    sentences = card.read().sentences
    n = sentences[SET].nunique()
    chosen = sentences[sentences[SET].isin(sentences[SET].unique()[:SHOWN])]
    lines += [f"{n:,} items, of which the first {min(n, SHOWN)}:"]
    return "\n".join([*lines, *(f"  {row.side}: {row.text}" for row in chosen.itertuples())])
