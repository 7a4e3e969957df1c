"""Sentences as a model's tokenizer sees them: token ids, and the characters that each token covers.

Sentences made from templates repeat their frame and their fillers. `encode` tokenizes each frame, and each filler in
its frame, in whole sentences, and composes all other sentences from these by array operations. A tokenizer that splits
a text at spaces and looks at each word separately gives the same; whether it does is checked.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.models import compared

if TYPE_CHECKING:
    import tokenizers
    from transformers import PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

# The number of composed sentences per call that are also tokenized whole, and compared.
_SAMPLE = 200


@dataclass(frozen=True)
class Encoded:
    """Tokens of sentences, one after the other; sentence i is starts[i]:starts[i+1]."""

    starts: np.ndarray  # (n_sentences + 1,) int64
    token_ids: np.ndarray  # (n_tokens,) int32, including special tokens
    is_special: np.ndarray  # (n_tokens,) bool
    spans: np.ndarray  # (n_tokens, 2) int32: characters of the text that the token covers, end exclusive
    begins_word: np.ndarray  # (n_tokens,) bool: whether it is the first token of what the tokenizer takes as a word

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    @property
    def sentence(self) -> np.ndarray:
        """(n_tokens,) the sentence of each token."""
        return np.repeat(np.arange(len(self.starts) - 1), self.lengths)

    @property
    def places(self) -> np.ndarray:
        """(n_tokens,) the place of each token in its sentence, from 0."""
        return np.arange(len(self.token_ids)) - np.repeat(self.starts[:-1], self.lengths)

    def first_of(self, tokens: np.ndarray) -> np.ndarray:
        """(n_sentences,) the place of the first of some tokens, (n_tokens,) of bool, in each sentence; -1 if there is
        none."""
        first = np.full(len(self.starts) - 1, -1)
        at = np.flatnonzero(tokens)[::-1]  # of several, the first is written last
        first[self.sentence[at]] = self.places[at]
        return first

    def tokens_of(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(n_tokens,) of bool: tokens that cover any of the characters start to end, (n_sentences,), of their sentence.

        A byte-level tokenizer's token may begin at the space before a word: overlap decides, not containment.
        """
        sentence = self.sentence
        return (self.spans[:, 0] < end[sentence]) & (self.spans[:, 1] > start[sentence]) & ~self.is_special

    def repeated(self, times: np.ndarray) -> "Encoded":
        """The sentences with each token repeated `times`, (n_tokens,); 0 leaves it out."""
        return Encoded(
            starts=np.concatenate([[0], np.cumsum(times)])[self.starts],
            token_ids=np.repeat(self.token_ids, times),
            is_special=np.repeat(self.is_special, times),
            spans=np.repeat(self.spans, times, axis=0),
            begins_word=np.repeat(self.begins_word, times),
        )


def encode(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast",
    texts: list[str],
    fillers: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
    add_special_tokens: bool = True,
) -> Encoded:
    """Texts as tokens, including special tokens.

    fillers: slot name -> (start, end), each (n_texts,), the characters of the slot's filler in each text, start -1 if
    it has none. They only make it faster. add_special_tokens: whether the tokenizer adds its own.
    """
    if not fillers or not texts:
        return _whole(tokenizer, texts, add_special_tokens)
    parts = _parts(texts, fillers)
    composed = parts.repeated
    others = np.setdiff1d(np.flatnonzero(composed), parts.representative)
    sample = stream(0, "tokenization").permutation(others)[:_SAMPLE]
    rows = np.unique(np.concatenate([np.flatnonzero(~composed), parts.representative, sample]))
    seen = _whole(tokenizer, [texts[row] for row in rows], add_special_tokens)

    # the check: parts end where words do, and every sentence that was tokenized equals the composition of its parts
    counts, proven = _tokens_by_place(seen, parts.cuts[rows])
    at = np.searchsorted(rows, parts.representative), parts.place
    first = (seen.starts[:-1, None] + np.cumsum(counts, axis=1) - counts)[at]
    count, origin = counts[at], parts.cuts[parts.representative, parts.place]

    def ranges(chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        part = parts.part[chosen]
        return first[part], count[part], parts.cuts[chosen, :-1] - origin[part]

    proven &= _equal(_put_together(seen, *ranges(rows)), seen)
    composed &= ~np.isin(parts.frame, parts.frame[rows[~proven]])

    rest = np.setdiff1d(np.flatnonzero(~composed), rows)
    tokens = _joined(seen, _whole(tokenizer, [texts[row] for row in rest], add_special_tokens))
    of_whole = np.full(len(texts), -1)
    of_whole[np.concatenate([rows, rest])] = np.arange(len(rows) + len(rest))
    starts, lengths, shifts = ranges(np.arange(len(texts)))
    whole = np.flatnonzero(~composed)
    lengths[whole], shifts[whole] = 0, 0
    starts[whole, 0], lengths[whole, 0] = tokens.starts[of_whole[whole]], tokens.lengths[of_whole[whole]]
    return _put_together(tokens, starts, lengths, shifts)


def encode_behind(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast",
    before: list[str],
    texts: list[str],
    fillers: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> tuple[Encoded, np.ndarray]:
    """Texts as tokens, each after another text, whose tokens count as special; and (n_texts,) which share a token with
    it.

    Both are tokenized as one text, to which the tokenizer adds nothing: the chat template contains the special tokens.
    Spaces at the end of what stands before belong to the text, like those before any word: many tokenizers merge them
    with it. before: (n_texts,). fillers: as in `encode`.
    """
    border = np.array([len(text) for text in before], dtype=np.int64)
    its_end = np.array([len(text.rstrip(" ")) for text in before], dtype=np.int64)
    moved = {
        slot: tuple(np.where(start < 0, bound, bound + border) for bound in (start, end))
        for slot, (start, end) in (fillers or {}).items()
    }
    whole = [first + text for first, text in zip(before, texts, strict=True)]
    encoded = encode(tokenizer, whole, moved, add_special_tokens=False)
    sentence, (begin, end) = encoded.sentence, encoded.spans.T
    border, its_end = border[sentence], its_end[sentence]
    has_more = np.bincount(sentence[end > border], minlength=len(texts)) > 0
    is_shared = (begin < its_end) & (end > its_end)
    behind = replace(
        encoded,
        is_special=(end <= its_end) | ~has_more[sentence],
        spans=np.maximum(encoded.spans - border[:, None], 0).astype(encoded.spans.dtype),
    )
    return behind, np.bincount(sentence[is_shared], minlength=len(texts)) > 0


def begun(encoded: Encoded, start_id: int | None) -> Encoded:
    """The sentences, each after the token from which a causal model predicts the first (`models.starts`).

    Unchanged if the tokenizer adds one itself. Raises HerbariumError when there is none.
    """
    first = encoded.starts[:-1]
    if encoded.is_special[first[encoded.lengths > 0]].all():
        return encoded
    if start_id is None:
        raise HerbariumError("This model has no token from which to predict the first of a sentence.")
    return Encoded(
        starts=encoded.starts + np.arange(len(encoded.starts)),
        token_ids=np.insert(encoded.token_ids, first, start_id),
        is_special=np.insert(encoded.is_special, first, True),
        spans=np.insert(encoded.spans, first, 0, axis=0),
        begins_word=np.insert(encoded.begins_word, first, True),
    )


def padded(encoded: Encoded, batch: np.ndarray, tokenizer: "Tokenizer | PreTrainedTokenizerFast") -> Encoded:
    """The sentences, each padded to the length of the longest in its batch.

    batch: (n_sentences,) the same number for sentences that are padded together. Padding is special and covers nothing.
    Raises HerbariumError when the tokenizer has no padding token.
    """
    if tokenizer.pad_token_id is None:
        raise HerbariumError("This model's tokenizer has no padding token to pad a batch with.")
    lengths = pd.Series(encoded.lengths)
    n_padding = (lengths.groupby(batch).transform("max") - lengths).to_numpy()
    ends = np.repeat(encoded.starts[1:], n_padding)
    return Encoded(
        starts=encoded.starts + np.concatenate([[0], np.cumsum(n_padding)]),
        token_ids=np.insert(encoded.token_ids, ends, tokenizer.pad_token_id),
        is_special=np.insert(encoded.is_special, ends, True),
        spans=np.insert(encoded.spans, ends, 0, axis=0),
        begins_word=np.insert(encoded.begins_word, ends, True),
    )


def encode_pairs(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast", texts: list[str], question_end: np.ndarray
) -> tuple[Encoded, np.ndarray]:
    """Texts `{question} {context}` as tokens, each as the pair of its question and its context, as the
    tokenizer encodes pairs; and the number of tokens of each, (n_texts,) int32, of the second type, which come last.

    question_end: (n_texts,) characters of the question. Characters of tokens are counted in the whole text.
    Raises HerbariumError when the types are not 0 and then 1.
    """
    contexts = [text[end:].removeprefix(" ") for text, end in zip(texts, question_end.tolist(), strict=True)]
    pairs = [(text[:end], context) for text, end, context in zip(texts, question_end.tolist(), contexts, strict=True)]
    encodings = _encodings(tokenizer, pairs)
    encoded = _put_in_arrays(encodings)
    types = np.array([number for encoding in encodings for number in encoding.type_ids], dtype=np.int32)
    n_second = np.bincount(encoded.sentence[types == 1], minlength=len(texts)).astype(np.int32)
    place_from_end = encoded.starts[1:][encoded.sentence] - np.arange(len(types))
    if (types != (place_from_end <= n_second[encoded.sentence])).any():
        raise HerbariumError("This model's tokenizer does not give a pair of texts the token types 0 and then 1.")
    of_context = np.array([text == 1 for encoding in encodings for text in encoding.sequence_ids], dtype=bool)
    moved = np.array([len(text) - len(context) for text, context in zip(texts, contexts, strict=True)], dtype=np.int32)
    spans = encoded.spans + (moved[encoded.sentence] * of_context)[:, None]
    return replace(encoded, spans=spans), n_second


def bare_lengths(tokenizer: "Tokenizer | PreTrainedTokenizerFast", texts: list[str]) -> list[int]:
    """The number of tokens of each text on its own, without special tokens."""
    return [len(encoding.ids) for encoding in _encodings(tokenizer, texts, add_special_tokens=False)]


def _encodings(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast",
    texts: list[str] | list[tuple[str, str]],
    add_special_tokens: bool = True,
) -> "list[tokenizers.Encoding]":
    compared.compare(tokenizer, texts)
    # a tokenizer may have been saved, or left by another call, with padding or truncation on; here, both are off
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    return tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=add_special_tokens)


def _whole(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast", texts: list[str], add_special_tokens: bool = True
) -> Encoded:
    """Texts as tokens, each tokenized whole."""
    return _put_in_arrays(_encodings(tokenizer, texts, add_special_tokens))


def _put_in_arrays(encodings: "list[tokenizers.Encoding]") -> Encoded:
    ids = [encoding.ids for encoding in encodings]
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in ids])]).astype(np.int64)
    # special tokens belong to no word; here each counts as one
    words = np.array([-1 if word is None else word for encoding in encodings for word in encoding.word_ids], dtype=int)
    begins_word = (words < 0) | (words != np.roll(words, 1))
    begins_word[starts[:-1][np.diff(starts) > 0]] = True
    return Encoded(
        starts=starts,
        token_ids=np.array([token for sentence in ids for token in sentence], dtype=np.int32),
        is_special=np.array([mark for encoding in encodings for mark in encoding.special_tokens_mask], dtype=bool),
        spans=np.array([span for encoding in encodings for span in encoding.offsets], dtype=np.int32).reshape(-1, 2),
        begins_word=begins_word,
    )


@dataclass(frozen=True)
class _Parts:
    """Sentences cut into parts around the words with their fillers, each with the space before it.

    A part is the text at one place of one frame; its representative is the first sentence that has it.
    """

    cuts: np.ndarray  # (n, n_places + 1): place j of a sentence is its characters cuts[j] ... cuts[j + 1] - 1
    frame: np.ndarray  # (n,) number of the sentence's frame: the texts at its even places
    part: np.ndarray  # (n, n_places) number of the part at each place
    representative: np.ndarray  # (n_parts,)
    place: np.ndarray  # (n_parts,)
    repeated: np.ndarray  # (n,) bool: the frame has more than twice as many sentences as representatives


def _parts(texts: list[str], fillers: dict[str, tuple[np.ndarray, np.ndarray]]) -> _Parts:
    ends = np.array([len(text) for text in texts])[:, None]
    words = np.stack([_words_around(texts, *bounds) for bounds in fillers.values()], axis=1)
    words = np.take_along_axis(words, np.argsort(words[:, :, 0], axis=1, kind="stable")[:, :, None], axis=1)
    cuts = np.concatenate([np.zeros_like(ends), words.reshape(len(texts), -1), ends], axis=1)
    n_places = cuts.shape[1] - 1
    apart = (np.diff(cuts) >= 0).all(axis=1)  # no word has two fillers in it
    code = np.empty((len(texts), n_places), dtype=np.int64)
    for j in range(n_places):
        starts, stops = cuts[:, j].tolist(), cuts[:, j + 1].tolist()
        pieces = [text[a:b] for text, a, b in zip(texts, starts, stops, strict=True)]
        code[:, j], distinct = pd.factorize(np.array(pieces, dtype=object))
        if j % 2:  # how several spaces are tokenized depends on what follows them
            plain = [not piece.isspace() and piece.removeprefix(" ") == piece.strip() for piece in distinct]
            apart &= np.array(plain)[code[:, j]]
    frame = np.zeros(len(texts), dtype=np.int64)
    for j in range(0, n_places, 2):
        frame = _numbered(frame, code[:, j])
    part = np.empty_like(code)
    representative, place = [], []
    for j in range(n_places):
        codes = frame if j % 2 == 0 else _numbered(frame, code[:, j])
        part[:, j] = codes + len(place)
        _, first = np.unique(codes, return_index=True)
        representative += first.tolist()
        place += [j] * len(first)
    representative = np.array(representative)
    n_seen = np.bincount(frame[np.unique(representative)], minlength=frame.max() + 1)
    repeated = (np.bincount(frame) > 2 * n_seen)[frame] & ~np.isin(frame, frame[~apart])
    return _Parts(cuts, frame, part, representative, np.array(place), repeated)


def _words_around(texts: list[str], start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n, 2) from the space before a filler's first word to the end of its last; empty, at the end, if there is
    none."""
    return np.array(
        [
            (max(text.rfind(" ", 0, a), 0), f"{text} ".index(" ", b)) if a >= 0 else (len(text), len(text))
            for text, a, b in zip(texts, start.tolist(), end.tolist(), strict=True)
        ]
    )


def _numbered(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """A number for each distinct pair, in order of appearance."""
    return pd.factorize(first * (second.max() + 1) + second)[0]


def _tokens_by_place(tokens: Encoded, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of tokens of each sentence at each place, (n, n_places), and whether words end wherever places do."""
    sentence, (begin, end), n, n_places = tokens.sentence, tokens.spans.T, len(cuts), cuts.shape[1] - 1
    inner = cuts[sentence, 1:-1]
    place = (inner < end[:, None]).sum(axis=1)  # of the token's last character
    n_ordinary = np.cumsum(~tokens.is_special)
    before = np.concatenate([[0], n_ordinary])[tokens.starts]
    place[tokens.is_special & (n_ordinary == before[sentence])] = 0  # such as [CLS]
    place[tokens.is_special & (n_ordinary == before[sentence + 1])] = n_places - 1  # such as [SEP]

    across = ~tokens.is_special & ((inner <= begin[:, None]).sum(axis=1) < place)
    step = np.diff(place, prepend=0)
    step[tokens.starts[:-1][tokens.lengths > 0]] = 0
    faulty = across | (step < 0) | ((step > 0) & ~tokens.begins_word)
    counts = np.bincount(sentence * n_places + place, minlength=n * n_places).reshape(n, n_places)
    return counts, np.bincount(sentence[faulty], minlength=n) == 0


def _put_together(tokens: Encoded, first: np.ndarray, count: np.ndarray, shift: np.ndarray) -> Encoded:
    """Sentences composed of ranges of tokens: (n, n_ranges) each; `shift` is the characters by which a range has
    moved."""
    at = np.repeat(first.ravel() - np.cumsum(count) + count.ravel(), count.ravel()) + np.arange(count.sum())
    is_special = tokens.is_special[at]
    moved = np.where(is_special, 0, np.repeat(shift.ravel(), count.ravel()))
    return Encoded(
        starts=np.concatenate([[0], np.cumsum(count.sum(axis=1))]),
        token_ids=tokens.token_ids[at],
        is_special=is_special,
        spans=tokens.spans[at] + moved[:, None].astype(np.int32),
        begins_word=tokens.begins_word[at],
    )


def _joined(one: Encoded, other: Encoded) -> Encoded:
    columns = ("token_ids", "is_special", "spans", "begins_word")
    joined = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns}
    return Encoded(starts=np.concatenate([one.starts, one.starts[-1] + other.starts[1:]]), **joined)


def _equal(one: Encoded, other: Encoded) -> np.ndarray:
    """(n,) of bool: which sentences are the same, token by token; both have n."""
    equal = one.lengths == other.lengths
    a, b = np.repeat(equal, one.lengths), np.repeat(equal, other.lengths)
    differs = (one.spans[a] != other.spans[b]).any(axis=1)
    for name in ("token_ids", "is_special", "begins_word"):
        differs |= getattr(one, name)[a] != getattr(other, name)[b]
    equal[one.sentence[a][differs]] = False
    return equal
