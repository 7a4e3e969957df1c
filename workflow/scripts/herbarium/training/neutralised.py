"""Scores that are the mean of those of a text and of its gender-swapped version: at test time, without changing
weights.

After "Neutralization" of Zhao (2021, PhD thesis, Section 3.2.3.2; Zhao et al. 2019, NAACL), where representations are
averaged before a coreference model; here the scores f(text) and f(swap(text)) are. The swap is that of
`training.swapping`.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.scoring.quantities import OF_PAIRS, mean_of_two
from herbarium.training.swapping import Found, Span, Swaps, moved, swapped

_KEY = ["sentence_id", "quantity"]
_BOUNDS = ("start", "end")
_WHOSE = "with gendered words swapped"


class Swapped(NamedTuple):
    """Sentences after the swap: `sentences` in the given format, without those that need no score of their own; the
    number that were `changed`, and of words `n_swapped`, of which `n_ambiguous` may be wrong (`swapping.Swapped`)."""

    sentences: pa.Table
    changed: int
    n_swapped: int
    n_ambiguous: int


def swap(sentences: pa.Table, asked: Mapping, swaps: Swaps) -> Swapped:
    """Sentences of stimuli with each word of the list replaced, and the new positions of their slots.

    sentences: with `sentence_id`, which is kept, `text`, and {slot}_start, {slot}_end of slots. asked: what their file
    says about itself: `quantities`, a list or by kind of model; `slots`; `names`, the slots that hold names, whose
    words are not swapped. What is scored together is swapped together: if one sentence of a pair or padded batch has a
    word of the list, all of its sentences are included. Raises HerbariumError if a slot ends within such a word.
    """
    texts = sentences["text"].to_pylist()
    bounds = {slot: _bounds(sentences, slot) for slot in asked["slots"]}
    names_of = names(sentences, asked)
    replacements = [swaps.found(*pair) for pair in zip(texts, names_of, strict=True)]
    has_word = np.array(list(map(bool, replacements)), dtype=bool)
    together = _scored_together(sentences, asked["quantities"])
    rows = np.flatnonzero(np.isin(together, together[has_word]))
    others = [swapped(texts[row], swaps, names_of[row]) for row in rows]
    columns: dict[str, list] = {"text": [other.text for other in others]}
    for slot, spans in bounds.items():
        places = [_moved(texts[row], spans[row], replacements[row], slot, swaps.path) for row in rows]
        columns |= {f"{slot}_{bound}": [place and place[n] for place in places] for n, bound in enumerate(_BOUNDS)}
    swapped_sentences = sentences.take(rows)
    for name, values in columns.items():
        field = swapped_sentences.schema.field(name)
        swapped_sentences = swapped_sentences.set_column(
            swapped_sentences.schema.get_field_index(name), field, pa.array(values, field.type)
        )
    counts = (sum(getattr(other, name) for other in others) for name in ("n_swapped", "n_ambiguous"))
    return Swapped(swapped_sentences, int(has_word.sum()), *counts)


def names(sentences: pa.Table, asked: Mapping) -> list[list[Span]]:
    """The positions of names, whose words are not swapped, in each sentence. sentences, asked: as for `swap`."""
    bounds = [_bounds(sentences, slot) for slot in asked.get("names", ())]
    return [[spans[row] for spans in bounds if spans[row]] for row in range(len(sentences))]


def _bounds(sentences: pa.Table, slot: str) -> list[Span | None]:
    """The position of a slot in each sentence, None for one that does not have it."""
    columns = (sentences[f"{slot}_{bound}"].to_pylist() for bound in _BOUNDS)
    return [None if None in place else place for place in zip(*columns, strict=True)]


def _scored_together(sentences: pa.Table, quantities: Mapping[str, list[str]] | list[str]) -> np.ndarray:
    """A number for each sentence, which it shares with those that its score depends on."""
    if "batch" in sentences.column_names:
        return sentences["batch"].to_numpy()
    of_kinds = quantities.values() if isinstance(quantities, Mapping) else [quantities]
    number = np.arange(len(sentences))
    return number // 2 if any(set(OF_PAIRS) & set(of_kind) for of_kind in of_kinds) else number


def _moved(text: str, place: Span | None, replacements: Iterable[Found], slot: str, path: str) -> Span | None:
    """The position of a slot after the swap."""
    if place is None:
        return None
    after = moved(place, replacements)
    if after is None:
        raise HerbariumError(
            f"'{text}': the slot '{slot}', '{text[slice(*place)]}', begins or ends within a word of {path}; mark the "
            "whole word, or do not measure a neutralised model with this sentence."
        )
    return after


def means(scores: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """The mean of each score and that of the sentence with gendered words swapped, in the order of the scores.

    scores, others: with the schema "scores", before and after the swap, with the same ids; a score without a
    counterpart is unchanged, as the sentence is its own swap. A sentence is refused if one of the two is, and the note
    says why; `n_tokens` is for the original sentence.
    """
    others = others.drop_duplicates(_KEY)[[*_KEY, "value", "note"]]
    both = scores.merge(others, on=_KEY, how="left", suffixes=("", "_other"), indicator="side", validate="m:1")
    is_swapped = both.pop("side") == "both"
    value, other = both["value"].copy(), both.pop("value_other")
    for quantity, rows in both[is_swapped].groupby("quantity").groups.items():
        value[rows] = mean_of_two(both.loc[rows, "value"].to_numpy(), other[rows].to_numpy(), quantity)
    note, of_other = both["note"], both.pop("note_other")
    is_of_other = is_swapped & of_other.notna() & ((both["value"].notna() & other.isna()) | note.isna())
    return both.assign(value=value, note=note.mask(is_of_other, of_other + f" ({_WHOSE})"))


def record(base: Mapping, name: str, derived: Mapping) -> dict:
    """The record of a neutralised model: that of the model whose scores it averages, and a note that it does.

    base: from `models.records.describe`. derived: its entry in the configuration.
    """
    return {**base, "name": name, "source": "derived", "derived": dict(derived)}
