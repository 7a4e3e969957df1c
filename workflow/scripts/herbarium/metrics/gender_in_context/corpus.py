"""Sentences of a corpus that have an occupation and gendered words, each with the same sentence of the other gender
(Zhao et al. 2019, Section 3.2: "corresponding gender-swapped variants")."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import finder
from herbarium.metrics.gender_in_context.counts import FEMININE, KINDS, MASCULINE, sentences
from herbarium.training import swapping

# The columns of what `pairs` gives; the sides are `SIDES`.
SIDES = [FEMININE, MASCULINE]
WORD, STEREOTYPE = "occupation", "stereotype"
_SIDE_OF = {swapping.MALE: MASCULINE, swapping.FEMALE: FEMININE}


def pairs(texts: Iterable[str], occupations: Mapping[str, str], terms: str | Path) -> pd.DataFrame:
    """Two rows per sentence, `set`, `side`, `text`, `occupation` and `stereotype`, as `stimuli.instantiate` wants them.

    A sentence is used if its gendered words are all of one gender, the swap of each is unambiguous and reversible, and
    exactly one occupation occurs, once; equal sentences count once. occupations: of `counts.read_occupations`. terms: a
    list of `swapping.read_pairs`. Raises HerbariumError if there is no such sentence.
    """
    swaps, wanted, paired = swapping.read_pairs(terms), finder(occupations), {}
    for sentence in dict.fromkeys(sentences(texts)):
        words_found = wanted.findall(sentence.lower())
        other = swapping.swapped(sentence, swaps) if len(words_found) == 1 else None
        if other is not None and other.n_swapped and not other.n_ambiguous:
            paired[sentence] = (words_found[0], other.text)
    rows = []
    for (sentence, (word, other)), gender in zip(paired.items(), swapping.genders(paired, terms), strict=True):
        if gender is not None:
            first_kind = _SIDE_OF[gender]
            texts_of = {first_kind: sentence, next(kind for kind in KINDS if kind != first_kind): other}
            about = {"set": f"s{len(rows) // 2}", WORD: word, STEREOTYPE: occupations[word]}
            rows += [about | {"side": side, "text": texts_of[side]} for side in SIDES]
    if not rows:
        raise HerbariumError(
            f"no sentence has one of the {len(occupations)} occupations once, and gendered words of one gender; take a "
            "larger corpus, or another list of occupations."
        )
    return pd.DataFrame(rows)
