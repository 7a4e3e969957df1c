"""What every sentence is asked once it is tokens: whether the model receives what the text says.

Attributes of a tokenizer are not trusted here: its unknown token is what its model makes of a letter that no vocabulary
has, and a word begins where the text says so.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from herbarium.core.resources import invisible, unseen
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

# Letters of three dead scripts: Linear B, cuneiform, hieroglyphs.
_RARE = ("\U00010000", "\U00012000", "\U00013000")
# Letters of scripts written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Chinese characters.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# Words and punctuation of a text.
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]+")


@dataclass(frozen=True)
class Marks:
    """Tokens that stand for something else than their letters. unknown: ids of the token for text that the tokenizer
    does not know. special: id -> how it is written, such as [MASK]."""

    unknown: np.ndarray
    special: dict[int, str]


def marks_of(tokenizer: "Tokenizer | PreTrainedTokenizerFast") -> Marks:
    backend = tokenizer.backend_tokenizer
    added = backend.get_added_tokens_decoder()
    special = {number: token.content for number, token in added.items() if token.special}
    declared = {tokenizer.unk_token_id} - {None}
    return Marks(np.array(sorted(declared | _unknown_to(backend.model)), dtype=int), special)


def _unknown_to(model) -> set[int]:
    """The id of the one token that a model of `tokenizers` makes of any letter that it does not know, if it has one."""
    try:
        one, *others = [[token.id for token in model.tokenize(letter)] for letter in _RARE]
    except Exception:  # of any kind: the library raises nothing more specific if there is no such token
        return set()
    return set(one) if len(one) == 1 and all(other == one for other in others) else set()


class Characters:
    """The characters of texts, one text after the other: text i is starts[i]:starts[i + 1]."""

    def __init__(self, texts: list[str]):
        self.starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
        self.codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)

    @cached_property
    def is_space(self) -> np.ndarray:
        return self.are(str.isspace)

    @cached_property
    def is_letter(self) -> np.ndarray:
        """Or a digit; in texts that have none, whatever is no space."""
        letters = self.are(str.isalnum)
        text = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        has_none = np.bincount(text[letters], minlength=len(self.starts) - 1) == 0
        return np.where(has_none[text], ~self.is_space, letters)

    def are(self, kind: Callable[[str], object]) -> np.ndarray:
        """(n_characters,) of bool: which characters are of a kind."""
        present = np.flatnonzero(np.bincount(self.codes))
        table = np.zeros(present.max(initial=0) + 1, dtype=bool)
        table[present] = [bool(kind(chr(code))) for code in present]
        return table[self.codes]

    def covered(self, encoded: Encoded, tokens: np.ndarray) -> np.ndarray:
        """(n_characters,) of bool: whether one of some tokens covers a character. tokens: (n_tokens,) of bool."""
        first = self.starts[encoded.sentence[tokens]]
        steps = np.zeros(len(self.codes) + 1, dtype=np.int64)
        np.add.at(steps, first + encoded.spans[tokens, 0], 1)
        np.add.at(steps, first + encoded.spans[tokens, 1], -1)
        return np.cumsum(steps[:-1]) > 0

    def per_text(self, chosen: np.ndarray) -> np.ndarray:
        """(n_texts,) the number of chosen characters of each. chosen: (n_characters,) of bool."""
        total = np.concatenate([[0], np.cumsum(chosen)])
        return np.diff(total[self.starts])


def faults(
    encoded: Encoded,
    texts: list[str],
    fillers: dict[str, tuple[np.ndarray, np.ndarray]],
    masked: Iterable[str],
    marks: Marks,
    max_tokens: int,
    tokenize: Callable[[list[str]], Encoded],
) -> tuple[np.ndarray, np.ndarray]:
    """Which sentences are refused, (n_sentences,) of bool, and the note on each, str or None.

    Refused is what the model would not see, or would see as something else: a sentence of which no letter is known, a
    special token that the text spells out, a filler that becomes nothing, only unknown tokens, or shares a token with
    the words around it, tokens that are said to be of other letters than theirs, and a sentence longer than the model
    takes. What is known in part is scored, with a note, as is what has invisible characters.

    fillers: slot name -> (start, end) characters of the slot's filler in each sentence, start -1 if it has none.
    masked: slots whose tokens are masked or asked for. tokenize: what made tokens of the texts.
    """
    sentence, n = encoded.sentence, len(texts)
    notes, refused = np.full(n, None, dtype=object), np.zeros(n, dtype=bool)
    characters, is_ordinary = Characters(texts), ~encoded.is_special

    def say(rows: np.ndarray, note: str, refuse: bool = True) -> None:
        notes[rows] = note
        refused[rows] = refuse

    spelled = _spelled_out(encoded, texts, marks)
    unknown = np.isin(encoded.token_ids, marks.unknown) & ~spelled & is_ordinary
    letters = characters.is_letter
    n_letters = characters.per_text(letters)
    # a letter may be covered twice, by its own token and by that of the space before it
    of_known, of_unknown = (characters.covered(encoded, mask) for mask in (is_ordinary & ~unknown, unknown))
    n_known = characters.per_text(letters & of_known & ~of_unknown)
    for row in np.flatnonzero((n_known < n_letters) & (n_known > 0)):
        share = n_known[row] / n_letters[row]
        say(row, f"the tokenizer knows only {n_known[row]} of {n_letters[row]} letters ({share:.0%})", refuse=False)
    for slot, (start, end) in fillers.items():
        of_filler = encoded.tokens_of(start, end)
        n_tokens = np.bincount(sentence[of_filler], minlength=n)
        n_unknown = np.bincount(sentence[of_filler & unknown], minlength=n)
        part = f"the tokenizer knows only a part of the {slot}, the rest is [UNK]"
        say((n_unknown > 0) & ~refused, part, refuse=False)
        none = f"refused: the tokenizer knows no part of the {slot}, only [UNK]"
        say((n_unknown > 0) & (n_unknown == n_tokens), none)
        say((start >= 0) & (n_tokens == 0), f"refused: the tokenizer turns the {slot} into nothing")
        if slot in masked:
            reaches = _reaches_outside(encoded, of_filler, start, end, characters)
            across = f"refused: one token is of the {slot} and of the word beside it"
            say(np.bincount(sentence[reaches], minlength=n) > 0, across)
    say(
        _misplaced(encoded, texts, characters, of_known | of_unknown, tokenize),
        "refused: the tokenizer drops letters, and takes others for those that it dropped",
    )
    say((n_letters > 0) & (n_known == 0), "refused: the tokenizer knows no letter of the sentence")
    for token in np.flatnonzero(spelled):
        mark = marks.special[encoded.token_ids[token]]
        say(sentence[token], f"refused: the text spells out the special token {mark}")
    say(np.bincount(sentence[is_ordinary], minlength=n) == 0, "refused: the sentence has no token")
    for row in np.flatnonzero(encoded.lengths > max_tokens):
        say(row, f"refused: {encoded.lengths[row]} tokens, the model takes {max_tokens}")
    for row in np.flatnonzero(~refused):
        if sign := invisible(texts[row]):
            notes[row] = "; ".join(filter(None, [notes[row], f"it has the invisible character {unseen(sign)}"]))
    return refused, notes


def _spelled_out(encoded: Encoded, texts: list[str], marks: Marks) -> np.ndarray:
    """(n_tokens,) of bool: special tokens that the text contains; an unknown token is one if the text is its name."""
    candidates = np.isin(encoded.token_ids, list(marks.special)) & ~encoded.is_special
    sentence = encoded.sentence
    for token in np.flatnonzero(candidates & np.isin(encoded.token_ids, marks.unknown)):
        start, end = encoded.spans[token]
        candidates[token] = texts[sentence[token]][start:end].strip() == marks.special[encoded.token_ids[token]]
    return candidates


def _misplaced(
    encoded: Encoded,
    texts: list[str],
    characters: Characters,
    is_covered: np.ndarray,
    tokenize: Callable[[list[str]], Encoded],
) -> np.ndarray:
    """Rows of the sentences whose tokens are not of the characters that they cover: without the others, or with spaces
    in their place, the text does not become the same tokens.

    A tokenizer that drops a letter within a word may count as if it had not been there: of *ωis* it makes *is*, and
    says that this is *ωi*. is_covered: (n_characters,) of bool.
    """
    is_dropped = ~is_covered & ~characters.is_space
    rows = np.flatnonzero(characters.per_text(is_dropped))
    if not len(rows):
        return rows
    is_same = np.zeros(len(rows), dtype=bool)
    for instead in ("", " "):
        again = tokenize([_replaced(texts[row], is_dropped[characters.starts[row] :], instead) for row in rows])
        ids = ((_ordinary_ids(encoded, row), _ordinary_ids(again, place)) for place, row in enumerate(rows))
        is_same |= np.array([np.array_equal(*both) for both in ids])
    return rows[~is_same]


def _replaced(text: str, is_dropped: np.ndarray, instead: str) -> str:
    return "".join(instead if dropped else letter for letter, dropped in zip(text, is_dropped, strict=False))


def _ordinary_ids(encoded: Encoded, sentence: int) -> np.ndarray:
    tokens = slice(*encoded.starts[sentence : sentence + 2])
    return encoded.token_ids[tokens][~encoded.is_special[tokens]]


def _reaches_outside(
    encoded: Encoded, of_filler: np.ndarray, start: np.ndarray, end: np.ndarray, characters: Characters
) -> np.ndarray:
    """(n_tokens,) of bool: tokens of a filler that also cover something outside it, other than spaces."""
    n_solid = np.concatenate([[0], np.cumsum(~characters.is_space)])
    reaches, tokens = np.zeros_like(of_filler), np.flatnonzero(of_filler)
    sentence = encoded.sentence[tokens]
    first, (begin, stop) = characters.starts[sentence], encoded.spans[tokens].T
    before = n_solid[first + np.maximum(start[sentence], begin)] - n_solid[first + begin]
    behind = n_solid[first + stop] - n_solid[first + np.minimum(end[sentence], stop)]
    reaches[tokens] = (before > 0) | (behind > 0)
    return reaches


def begins_word(encoded: Encoded, texts: list[str]) -> np.ndarray:
    """(n_tokens,) of bool: the first tokens of words, and special tokens.

    The words of a tokenizer, as far as they are words of the text: some tokenizers put a whole sentence into one, or
    each letter. A token behind a space always begins a word, and none does between two letters, except in scripts
    without spaces, where every token does. If a tokenizer has spaces within words, so does the first token of
    punctuation, and of a word behind it.
    """
    characters, sentence = Characters(texts), encoded.sentence
    first = characters.starts[sentence]
    end = encoded.spans[:, 1].astype(np.int64)
    # a token may begin at the space before a word
    begin = np.minimum(_next_solid(characters.is_space)[first + encoded.spans[:, 0]] - first, end)
    place = first + begin
    covers = ~encoded.is_special & (end > begin)
    follows = np.concatenate([[False], sentence[1:] == sentence[:-1]])
    # later tokens of one character, such as its bytes, begin nothing
    covers &= ~(follows & np.concatenate([[False], (place[1:] == place[:-1]) & covers[:-1]]))

    def around(kind: np.ndarray) -> np.ndarray:
        """Whether the characters before and at the beginning of a token are of a kind."""
        return covers & (begin > 0) & np.append(kind, False)[place] & np.append(False, kind)[place]

    behind_space = covers & ((begin == 0) | np.append(True, characters.is_space)[place])
    # a token that is only the space before a word is its first
    blank = ~encoded.is_special & (end == begin)
    behind_blank = behind_space & follows & np.append(False, blank[:-1])
    leads = (behind_space & ~behind_blank) | np.append(behind_blank[1:], False)
    merges = np.bincount(sentence[leads & ~encoded.begins_word], minlength=len(texts)) > 0
    unspaced = around(characters.are(UNSPACED.fullmatch))
    begins = (encoded.begins_word & ~around(characters.are(str.isalpha))) | leads | unspaced
    for row in np.flatnonzero(merges):
        tokens = np.arange(encoded.starts[row], encoded.starts[row + 1])
        starts_word = [word.start() for word in _WORD.finditer(texts[row])]
        begins[tokens] |= covers[tokens] & np.isin(begin[tokens], starts_word)
    return begins


def _next_solid(is_space: np.ndarray) -> np.ndarray:
    """(n + 1,) the place of the next character that is no space, from each on; the end if there is none."""
    places = np.where(is_space, len(is_space), np.arange(len(is_space)))
    return np.concatenate([np.minimum.accumulate(places[::-1])[::-1], [len(is_space)]])
