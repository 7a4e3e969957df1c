"""Texts with gendered words swapped (Zhao et al. 2018, "Gender Bias in Coreference Resolution", NAACL): a model that is
trained on texts and their swaps sees both genders in the same contexts.

The swap is a dictionary look-up of each word, as in the paper: no syntax, no agreement. docs/swaps.md says what it
cannot do.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.training import english

SIDES = (ORIGINAL, SWAPPED) = ("original", "swapped")

MALE, FEMALE = "male", "female"
# Parts of speech of her and his: her book, saw her, is his.
PARTS = (DETERMINER, OBJECT, PRONOUN) = ("determiner", "object", "pronoun")
# A word is not followed by a letter, or a mark on its last one.
END = r"(?![\w\u0300-\u036f])"


Span = tuple[int, int]  # the beginning and end of characters in a text


class Swapped(NamedTuple):
    """A text after the swap. n_swapped: words or names that were replaced. n_ambiguous: of these, those that the rule
    cannot decide, or whose swap is not undone by swapping again."""

    text: str
    n_swapped: int
    n_ambiguous: int


class Found(NamedTuple):
    """A word of the dictionary in a text, and its replacement."""

    start: int
    end: int
    replacement: str
    is_sure: bool


@dataclass(frozen=True)
class Swaps:
    """A dictionary of gendered words. path: its file, for messages.

    replacements: word, in lower case -> its counterpart by part of speech; "" for a word with the same one in all.
    """

    path: str
    replacements: Mapping[str, Mapping[str, str]]

    @cached_property
    def _word(self) -> re.Pattern:
        """A word: letters, or an entry with an apostrophe or a full stop."""
        odd = sorted((word for word in self.replacements if not word.isalpha()), key=len, reverse=True)
        patterns = [re.escape(word).replace("'", "['’]") + (END if word[-1].isalpha() else "") for word in odd]
        patterns.append(r"[^\W\d_]+" + END)
        return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})", re.IGNORECASE)

    def found(self, text: str, names: Sequence[Span] = ()) -> list[Found]:
        """The words of the dictionary in a text, in order: those in lower case, with an initial capital, or in
        capitals. A word in any other mixture of cases is left unchanged, and so is one in a name: the Isle of Man."""
        replacements = []
        for match in self._word.finditer(text):
            word = match[0].replace("’", "'")
            of_part = self.replacements.get(word.lower())
            if of_part is None or any(match.start() < end and start < match.end() for start, end in names):
                continue
            is_sure = True
            if len(of_part) == 1:
                (replacement,) = of_part.values()
            else:
                is_determiner, is_sure = english.is_determiner(text, *match.span())
                part = DETERMINER if is_determiner else next(part for part in of_part if part != DETERMINER)
                replacement = of_part[part]
            for cased in (str.lower, str.capitalize, str.upper):
                if word == cased(word):
                    replacements.append(Found(*match.span(), cased(replacement), is_sure))
                    break
        return replacements

    def has_term(self, text: str) -> bool:
        """Whether a word of the dictionary is in a text."""
        return bool(self.found(text))


def swapped(text: str, swaps: Swaps, names: Sequence[Span] = ()) -> Swapped:
    """The text with each word of the dictionary replaced by its counterpart, in the same case; all else is unchanged.

    Without an ambiguous word, swapping twice gives the text again. names: their positions, which are left unchanged.
    """
    words = swaps.found(text, names)
    other = replaced(text, words)
    back = {word.start: word for word in swaps.found(other)}
    shift, n_ambiguous = 0, 0
    for word in words:
        again = back.get(word.start + shift)
        leads_back = again is not None and again.is_sure and again.replacement == text[word.start : word.end]
        n_ambiguous += not (word.is_sure and leads_back)
        shift += len(word.replacement) - (word.end - word.start)
    return Swapped(other, len(words), n_ambiguous)


def replaced(text: str, replacements: Iterable[Found]) -> str:
    """The text with the words that were found in it, in order, replaced."""
    pieces, position = [], 0
    for word in replacements:
        pieces += [text[position : word.start], word.replacement]
        position = word.end
    return "".join([*pieces, text[position:]])


def moved(bounds: Span, replacements: Iterable[Found]) -> Span | None:
    """The new bounds of a range of characters when the words that were found are replaced; None if a bound is within
    one of these words."""
    start, end = bounds
    for word in replacements:
        if word.start < bounds[0] < word.end or word.start < bounds[1] < word.end:
            return None
        growth = len(word.replacement) - (word.end - word.start)
        start += growth * (word.end <= bounds[0])
        end += growth * (word.end <= bounds[1])
    return start, end


def corpus(texts: Sequence[str], swaps: Swaps, two_sided: bool) -> pd.DataFrame:
    """The texts with gender swapped, as a `table`.

    two_sided: both the original and its swap, as in the paper; otherwise only the swap. A text without a word of the
    dictionary is kept once, as the original. Raises HerbariumError if no text has one.
    """
    return table(texts, [swapped(text, swaps) for text in texts], two_sided, swaps.path)


def table(texts: Sequence[str], others: Sequence[Swapped], two_sided: bool, path: str) -> pd.DataFrame:
    """Texts and their swaps, in the order of the texts: `text_id`, their number, from 0; `side`, of `SIDES`; `text`;
    `n_swapped` and `n_ambiguous` (`Swapped`), both 0 for an original. path: of the list, for messages."""
    require_terms(any(other.n_swapped for other in others), len(texts), path)
    rows = []
    for text_id, (text, other) in enumerate(zip(texts, others, strict=True)):
        if two_sided or not other.n_swapped:
            rows.append((text_id, ORIGINAL, text, 0, 0))
        if other.n_swapped:
            rows.append((text_id, SWAPPED, *other))
    return pd.DataFrame(rows, columns=["text_id", "side", "text", "n_swapped", "n_ambiguous"])


def require_terms(is_there: bool, n_texts: int, path: str) -> None:
    """Raise HerbariumError if no text has a term of a list. is_there: whether one has. path: of the list."""
    if not is_there:
        raise HerbariumError(
            f"{path}: none of the {n_texts} texts has a term of this list, so there is nothing to swap; use a list in "
            "the language and spelling of the texts."
        )


def anonymised(text: str, names: Iterable[str]) -> str:
    """The text with each name replaced by E1, E2, … in the order in which the names are first mentioned (Section 4.1).

    names: as they are in the text; of overlapping ones, the longest is replaced. The paper finds names with an entity
    recogniser; here, names that are not in this list stay. A number that the text already has (E2) is skipped.
    """
    names = sorted(set(names), key=lambda name: (-len(name), name))
    if not all(name.strip() for name in names):
        raise HerbariumError("One of the names is empty; remove it from the list.")
    if not names:
        return text
    free = (name for name in map("E{}".format, count(1)) if not re.search(rf"(?<!\w){name}{END}", text))
    number: dict[str, str] = {}

    def replaced(match: re.Match) -> str:
        if match[0] not in number:
            number[match[0]] = next(free)
        return number[match[0]]

    return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))}){END}", replaced, text)


# --- lists ---


def read_pairs(path: str | Path) -> Swaps:
    """Pairs of words that are swapped for each other: columns `male`, `female`, `part` (of `PARTS`, or empty).

    Raises HerbariumError, with the rows, for an empty cell, a word that is not in lower case, an unknown part, and a
    word in two rows: then the swap could not be undone.
    """
    pairs = resources.read_text_table(path, [MALE, FEMALE, "part"])
    resources.check_cells(path, pairs, [MALE, FEMALE])
    entries = []
    for row, (male, female, part) in enumerate(pairs[[MALE, FEMALE, "part"]].itertuples(index=False), start=1):
        if male == female:
            raise HerbariumError(f"{path}, row {row}: '{male}' is in both columns; a pair has two words.")
        entries += [(row, male, part, female), (row, female, part, male)]

    def fault(row: int, word: str, first: int) -> str:
        return (
            f"{path}, row {row}: '{word}' is also in row {first}, so its swap could not be undone; each word "
            f"has one counterpart, or one for each part of speech ({', '.join(PARTS)}) in the column 'part'."
        )

    return _swaps(path, entries, fault)


def read_directed(path: str | Path) -> Swaps:
    """Words and their replacements, in one direction: columns `word`, `replacement`, `part` (of `PARTS`, or empty).

    For a published list as it is: a swap need not be undone by another, and `swapped` counts where it is not. Raises
    HerbariumError, with the rows, for an empty cell, a word that is not in lower case, an unknown part, and a word
    twice.
    """
    words = resources.read_text_table(path, ["word", "replacement", "part"])
    resources.check_cells(path, words, ["word", "replacement"])
    columns = words[["word", "part", "replacement"]]
    entries = [(row, *cells) for row, cells in enumerate(columns.itertuples(index=False), start=1)]

    def fault(row: int, word: str, first: int) -> str:
        return f"{path}, row {row}: '{word}' is listed twice, first in row {first}."

    return _swaps(path, entries, fault)


def genders(texts: Iterable[str], path: str | Path) -> list[str | None]:
    """`MALE` or `FEMALE` for each text whose words of a list (`read_pairs`) are all of one gender; None for any
    other."""
    swaps, table = read_pairs(path), resources.read_text_table(path, [MALE, FEMALE])
    words = {gender: set(table[gender]) for gender in (MALE, FEMALE)}
    by_text = []
    for text in texts:
        words_found = {text[word.start : word.end].lower().replace("’", "'") for word in swaps.found(text)}
        of_text = [gender for gender, members in words.items() if words_found & members]
        by_text.append(of_text[0] if len(of_text) == 1 else None)
    return by_text


def _swaps(
    path: str | Path, entries: Iterable[tuple[int, str, str, str]], fault: Callable[[int, str, int], str]
) -> Swaps:
    """entries: row, word, part, replacement. fault: the message on a word that occurs a second time for its part."""
    replacements: dict[str, dict[str, str]] = {}
    first_row: dict[str, int] = {}
    for row, word, part, replacement in entries:
        for cell in (word, replacement):
            if cell != cell.lower():
                raise HerbariumError(f"{path}, row {row}: write '{cell}' in lower case; the text's case is kept.")
        if part not in ("", *PARTS):
            raise HerbariumError(
                f"{path}, row {row}: the part of speech '{part}' is not known; valid: {', '.join(PARTS)}, or nothing."
            )
        known = replacements.setdefault(word, {})
        if part in known or "" in known or (known and not part):
            raise HerbariumError(fault(row, word, first_row[word]))
        known[part] = replacement
        first_row.setdefault(word, row)
    for word, known in replacements.items():
        if len(known) > 1 and (len(known) > 2 or DETERMINER not in known):
            raise HerbariumError(
                f"{path}, row {first_row[word]}: '{word}' has the parts of speech {', '.join(known)}; the rule can "
                f"only distinguish a {DETERMINER} from one other."
            )
    return Swaps(str(path), replacements)
