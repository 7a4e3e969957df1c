"""Which sentences are of one template: those with the same text around the identity, or with inflected ones."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.scoring.completions import MASK

IDENTITY = "[I]"
_SHORT = 3  # letters at most of articles and the like, which inflection replaces
_STEM = 0.6  # share of the letters of a word that inflection leaves, at least


def own_text(row: Mapping[str, str]) -> str:
    """The text of a template, without the identity, capitals and the white space and punctuation at its ends.

    row: `template_masked`, `identity`, and perhaps `raw`.
    """
    identity = re.compile(rf"(?<!\w){re.escape(row['identity'])}(?!\w)", re.IGNORECASE)
    text = row.get("raw") or identity.sub(lambda _: IDENTITY, row["template_masked"], count=1)
    return " ".join(text.casefold().split()).rstrip(" .!?")


def repeated(sentences: pd.DataFrame) -> pd.Series:
    """(n,) of bool: which sentences repeat those of an identity that is listed several times in its group.

    sentences: `group`, `identity`, `type` and `form`, of `own_text`. A form that an identity has twice among others
    that it has once is two of its templates.
    """
    key = ["group", "identity", "type"]
    times = sentences.groupby([*key, "form"])["form"].transform("size")
    listed = times.groupby([sentences[name] for name in key]).transform(lambda column: math.gcd(*column))
    return sentences.groupby([*key, "form"]).cumcount() >= times // listed


def numbered(sentences: pd.DataFrame) -> pd.Series:
    """(n,) the number of each sentence's template in its type, from 0: the place of its form among those of the first
    identity with the same forms.

    sentences: as above, none of them repeated.
    """
    occurrence = sentences.groupby(["group", "identity", "type", "form"]).cumcount()
    forms = list(zip(sentences["form"], occurrence, strict=True))
    numbers, places = pd.Series(0, sentences.index), {}
    for (_, _, kind), rows in sentences.assign(form=forms).groupby(["group", "identity", "type"], sort=False):
        place = places.setdefault((kind, frozenset(rows["form"])), {form: n for n, form in enumerate(rows["form"])})
        numbers[rows.index] = rows["form"].map(place)
    return numbers


def require_same(path: str | Path, sentences: pd.DataFrame) -> None:
    """Raise HerbariumError, with a row, if a group has another template than the first one, identities of one number
    have mostly others, or those of any number have the first one's in another order.

    sentences: as above, with `number` and `place`, of `numbered`.
    """
    for (kind, place), rows in sentences.groupby(["type", "place"], sort=False):
        first, *others = (of_group.drop_duplicates("form") for _, of_group in rows.groupby("group", sort=False))
        for other in others:
            if not _is_any_alike(first["form"], other["form"]):
                _refuse(path, kind, place, first, other)
    ordered = sentences.sort_values("place", kind="stable")
    for (kind, _), rows in ordered.groupby(["type", "number"], sort=False):
        for leading, other, unlike in _unlike(rows):
            if len(unlike) >= len(other) / 2:
                _refuse(path, kind, unlike[0], leading, other)
    for kind, rows in ordered.groupby("type", sort=False):  # singular and plural ones, too
        for leading, other, unlike in _unlike(rows):
            forms, other_forms = leading["form"].tolist(), other["form"].tolist()
            for place in unlike:
                if any(_is_alike(forms[at], other_forms[place]) for at in unlike):
                    _refuse(path, kind, place, leading, other)


def _unlike(rows: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, pd.DataFrame, list[int]]]:
    """The sentences of the first identity, those of each other with other forms, and the places, from 0, at which these
    are of another template. rows: in the order of their places."""
    leading, *others = (of_one for _, of_one in rows.groupby(["group", "identity"], sort=False))
    for other in {tuple(of_one["form"]): of_one for of_one in others[::-1]}.values():
        both = enumerate(zip(leading["form"], other["form"], strict=True))
        yield leading, other, [place for place, forms in both if not _is_alike(*forms)]


def _refuse(path: str | Path, kind: str, place: int, first: pd.DataFrame, other: pd.DataFrame) -> None:
    """first, other: sentences, in the order of their places."""
    ((one_row, one), (other_row, another)) = (
        next(part.loc[part["place"] == place, "text"].items()) for part in (first, other)
    )
    raise HerbariumError(
        f"{path}, row {other_row + 1}: '{another}' is no form of the same template as '{one}' in row {one_row + 1}, at "
        f"place {place + 1}{f' of {kind}' if kind else ''} of their identities; groups are compared in the same "
        f"templates. If they are one template, give its text in a column 'raw', with {IDENTITY} and {MASK}."
    )


def _is_any_alike(forms: Iterable[str], others: Iterable[str]) -> bool:
    return any(_is_alike(one, other) for one in forms for other in others)


def _is_alike(one: str, other: str) -> bool:
    """Whether two texts are inflections of one: most of their long words have a common stem; without long words, a
    short one is the same."""
    if one == other:
        return True
    words, others = (re.findall(r"\w+", re.sub(r"\[\w+\]", " ", text)) for text in (one, other))
    stems, other_stems = ([word for word in both if len(word) > _SHORT] for both in (words, others))
    if not (stems or other_stems):
        return bool(set(words) & set(others))
    n_shared = sum(any(_is_inflected(word, other_word) for other_word in other_stems) for word in stems)
    return n_shared > max(len(stems), len(other_stems)) / 2


def _is_inflected(word: str, other: str) -> bool:
    n_same = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(word, other, strict=False)))
    return n_same >= max(_SHORT, _STEM * min(len(word), len(other)))
