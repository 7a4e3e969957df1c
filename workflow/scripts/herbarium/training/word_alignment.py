"""Word alignments between sentences and their translations, learned only from a parallel corpus.

The model of Dyer, Chahuneau and Smith (2013, "A Simple, Fast, and Effective Reparameterization of IBM Model 2", NAACL),
known as fast_align. Each target word is drawn from the translations of one word of the source sentence; or with
probability p0 from those of the null word, and is then not aligned. Words near the diagonal are more likely: word i
of m of the target sentence comes from word j of n of the source sentence with a probability in proportion to exp(λ h),
h = -|i/m - j/n|, where λ is the tension.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import digamma

from herbarium.core.errors import HerbariumError

# Their settings: for the null word, the initial tension, and the Dirichlet prior of a word's translations. Those for
# the gradient of the tension, for which the paper only gives the number of steps, are from the released code.
P0, TENSION, ALPHA = 0.08, 4.0, 0.01
STEPS, RATE, LEAST, MOST = 8, 20.0, 0.1, 14.0
_AT_ONCE = 2**22  # approximate number of pairs of words in memory at once, with all that is computed from them
_NULL = 0  # number of the null word


@dataclass(frozen=True)
class Translations:
    """What was learned from a parallel corpus.

    Words are numbers: in the source language from 1, where 0 is the null word; in the target language from 0.
    A pair is the source word's number times (the number of target words + 1), plus the target word's number.
    """

    source: dict[str, int]
    target: dict[str, int]
    pairs: np.ndarray  # (n_pairs,) int64, ascending: words that occur in a sentence and its translation
    probabilities: np.ndarray  # (n_pairs,) of the target word, given the source word
    tension: float
    log_likelihoods: list[float]  # in nats, of the corpus, before each iteration


class _Sentences(NamedTuple):
    words: np.ndarray  # (n_words,) int64, their numbers, one sentence after the other
    lengths: np.ndarray  # (n_sentences,) int64


class _Beside(NamedTuple):
    """Each target word with the null word and then each word of its source sentence: the pairs of some sentences."""

    begins: np.ndarray  # (n_target,) the first pair of each target word: with the null word
    target: np.ndarray  # (n_pairs,) the target word
    source: np.ndarray  # (n_pairs,) the source word; -1 for the null word
    h: np.ndarray  # (n_pairs,) nearness to the diagonal, from -1 to 0; 0 for the null word


def words(text: str) -> list[tuple[int, int]]:
    """The words of a text, each as its first character and the one after its last.

    Words are split as in BERT, in the same way for all languages: at spaces; a punctuation mark is a word, and so is a
    Chinese character. Other text without spaces, such as Thai, stays in one piece.
    """
    from tokenizers import Regex, pre_tokenizers

    characters = pre_tokenizers.Split(Regex(r"\p{Han}"), "isolated")
    cut = pre_tokenizers.Sequence([characters, pre_tokenizers.BertPreTokenizer()])
    return [span for _, span in cut.pre_tokenize_str(text)]


def learn(
    source: Sequence[list[str]],
    target: Sequence[list[str]],
    iterations: int = 5,
    tension: float = TENSION,
    learns_tension: bool = True,
    alpha: float | None = ALPHA,
) -> Translations:
    """Translations by expectation maximisation, starting with all equally likely.

    source, target: the words of sentences, and of their translations, in the same order; the same spelling is the same
    word. iterations: each changes the translations, so that 5 are one more than in the released code, whose last one
    only gives the alignment. tension: its value, or the initial one if it is learned. alpha: of a symmetric Dirichlet
    prior of each word's translations, for variational Bayes; None: maximum likelihood.
    Raises HerbariumError if there is no sentence, one is empty, or one has no translation.
    """
    _check(source, target)
    source_number, of_source = _numbered(source, first=_NULL + 1)
    target_number, of_target = _numbered(target, first=0)
    n_columns = len(target_number) + 1
    blocks = [(begin, end, _pairs(begin, end, n_columns)) for begin, end in _blocks(of_source, of_target)]
    table = np.unique(np.concatenate([np.unique(pairs) for *_, pairs in blocks]))
    blocks = [(begin, end, np.searchsorted(table, pairs)) for begin, end, pairs in blocks]
    probabilities = np.full(len(table), 1 / len(target_number))
    shapes, shape_of = _shapes(of_source.lengths, of_target.lengths)
    log_likelihoods = []
    for _ in range(iterations):
        counts, weights = np.zeros(len(table)), np.zeros(len(shapes.begins))
        nearness, log_likelihood, n_aligned = 0.0, 0.0, 0
        for begin, end, entry in blocks:
            beside = _beside(begin.lengths, end.lengths)
            joint = _prior(beside, tension) * probabilities[entry]
            total = np.add.reduceat(joint, beside.begins)
            posterior = joint / total[beside.target]
            np.add.at(counts, entry, posterior)
            nearness += posterior @ beside.h
            log_likelihood += np.log(total).sum()
            of_block = shape_of[n_aligned : n_aligned + len(total)]
            np.add.at(weights, of_block, 1 - posterior[beside.begins])
            n_aligned += len(total)
        log_likelihoods.append(float(log_likelihood))
        if learns_tension:
            tension = _tightened(tension, nearness, shapes, weights)
        probabilities = _normalised(counts, table // n_columns, alpha)
    return Translations(source_number, target_number, table, probabilities, tension, log_likelihoods)


def aligned(translations: Translations, source: Sequence[list[str]], target: Sequence[list[str]]) -> list[np.ndarray]:
    """The most likely alignment of each sentence and its translation: pairs of positions (n, 2) of a source word and a
    target word, from 0, in the order of the target words.

    A target word is aligned to one source word, or to none: then it is in no pair, like a word that never occurred with
    any of the source words in training. Of equally likely ones, the first is used, and the null word before all.
    Raises HerbariumError as `learn`.
    """
    _check(source, target)
    n_columns = len(translations.target) + 1
    of_source = _known(source, translations.source, unknown=len(translations.source) + 1)
    of_target = _known(target, translations.target, unknown=n_columns - 1)
    pieces = []
    for begin, end in _blocks(of_source, of_target):
        pairs = _pairs(begin, end, n_columns)
        entry = np.minimum(np.searchsorted(translations.pairs, pairs), len(translations.pairs) - 1)
        has_met = translations.pairs[entry] == pairs
        beside = _beside(begin.lengths, end.lengths)
        joint = _prior(beside, translations.tension) * np.where(has_met, translations.probabilities[entry], 0)
        is_best = np.flatnonzero(joint == np.maximum.reduceat(joint, beside.begins)[beside.target])
        _, first = np.unique(beside.target[is_best], return_index=True)
        best = is_best[first]  # (n_target,)
        sentence, place = _places(end.lengths)
        chosen = np.stack([best - beside.begins - 1, place], axis=1)
        is_word = best > beside.begins
        ends = np.cumsum(np.bincount(sentence[is_word], minlength=len(end.lengths)))
        pieces += np.split(chosen[is_word], ends[:-1])
    return pieces


def symmetric(forward: Sequence[np.ndarray], backward: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The pairs on which both directions agree, in the order of the forward ones.

    forward: from `aligned`. backward: the same, learned with source and target exchanged, so that its pairs are of a
    target word and a source word; the returned ones are like the forward ones.
    Raises HerbariumError if they differ in their number of sentences.
    """
    if len(forward) != len(backward):
        raise HerbariumError(
            f"One direction has alignments of {len(forward)} sentences, and the other of {len(backward)}; both must be "
            "of the same sentences."
        )
    agreed = []
    for links, back in zip(forward, backward, strict=True):
        others = set(map(tuple, back[:, ::-1].tolist()))
        agreed.append(links[[pair in others for pair in map(tuple, links.tolist())]])
    return agreed


def _check(source: Sequence[list[str]], target: Sequence[list[str]]) -> None:
    if len(source) != len(target):
        raise HerbariumError(
            f"The parallel corpus has {len(source)} sentences in one language and {len(target)} in the other; sentence "
            "by sentence, one must be the translation of the other."
        )
    if not len(source):
        raise HerbariumError("The parallel corpus has no sentences; give at least one with its translation.")
    for number, sides in enumerate(zip(source, target, strict=True), start=1):
        if not all(map(len, sides)):
            raise HerbariumError(
                f"Sentence {number} of the parallel corpus has no words in one of the languages; leave it out in both."
            )


def _numbered(sentences: Sequence[list[str]], first: int) -> tuple[dict[str, int], _Sentences]:
    """Word -> number, in order of first occurrence, and the sentences in these numbers."""
    codes, distinct = pd.factorize(np.array([word for sentence in sentences for word in sentence], dtype=object))
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    return {word: number for number, word in enumerate(distinct, first)}, _Sentences(codes + first, lengths)


def _known(sentences: Sequence[list[str]], number: dict[str, int], unknown: int) -> _Sentences:
    numbers = [number.get(word, unknown) for sentence in sentences for word in sentence]
    return _Sentences(np.array(numbers, dtype=np.int64), np.array([len(sentence) for sentence in sentences]))


def _places(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sentence of each word, and its position there, from 0; (n_words,) each."""
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    return sentence, np.arange(len(sentence)) - (np.cumsum(lengths) - lengths)[sentence]


def _blocks(source: _Sentences, target: _Sentences) -> Iterator[tuple[_Sentences, _Sentences]]:
    """Sentences and their translations, as many as have pairs of words that fit into memory; at least one."""
    n_pairs = np.cumsum((source.lengths + 1) * target.lengths)
    edges = np.flatnonzero(np.diff(n_pairs // _AT_ONCE)) + 1
    parts = []
    for side in (source, target):
        ends = np.cumsum(side.lengths)[edges - 1] if len(edges) else []
        parts.append(zip(np.split(side.words, ends), np.split(side.lengths, edges), strict=True))
    for one, other in zip(*parts, strict=True):
        yield _Sentences(*one), _Sentences(*other)


def _beside(n: np.ndarray, m: np.ndarray) -> _Beside:
    """n, m: words of each source sentence, and of its translation."""
    sentence, place = _places(m)
    size = n[sentence] + 1
    begins = np.cumsum(size) - size
    target = np.repeat(np.arange(len(size)), size)
    j = np.arange(len(target)) - begins[target]  # from 1; 0 is the null word
    source = (np.cumsum(n) - n)[sentence][target] + j - 1
    source[begins] = -1
    h = -np.abs(((place + 1) / m[sentence])[target] - j / n[sentence][target])
    h[begins] = 0
    return _Beside(begins, target, source, h)


def _pairs(source: _Sentences, target: _Sentences, n_columns: int) -> np.ndarray:
    """The pair of words (`Translations`) of each of `_Beside`."""
    beside = _beside(source.lengths, target.lengths)
    words = np.where(beside.source < 0, _NULL, source.words[beside.source])
    return words * n_columns + target.words[beside.target]


def _diagonal(beside: _Beside, tension: float) -> np.ndarray:
    """(n_pairs,) the probability that a target word comes from a source word, given that it comes from any."""
    weights = np.exp(tension * beside.h)
    weights[beside.begins] = 0
    return weights / np.add.reduceat(weights, beside.begins)[beside.target]


def _prior(beside: _Beside, tension: float) -> np.ndarray:
    """(n_pairs,) the probability that a target word comes from a source word, or the null word."""
    prior = (1 - P0) * _diagonal(beside, tension)
    prior[beside.begins] = P0
    return prior


def _normalised(counts: np.ndarray, source: np.ndarray, alpha: float | None) -> np.ndarray:
    """The probability of each pair's target word from expected counts. source: (n_pairs,) number of the source word."""
    if alpha is not None:
        totals = np.bincount(source, counts + alpha)
        return np.exp(digamma(counts + alpha) - digamma(totals[source]))
    totals = np.bincount(source, counts)[source]
    # a word that no longer explains anything, as its counts are too small for a float, has no translation
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)


def _shapes(n: np.ndarray, m: np.ndarray) -> tuple[_Beside, np.ndarray]:
    """One sentence and translation for each pair of lengths, and which of their target words has the position and
    lengths of each target word of the corpus, (n_words,). The diagonal is the same for all with equal ones."""
    distinct, shape = np.unique(np.stack([n, m], axis=1), axis=0, return_inverse=True)
    sentence, place = _places(m)
    first = np.cumsum(distinct[:, 1]) - distinct[:, 1]
    return _beside(*distinct.T), first[shape.ravel()][sentence] + place


def _tightened(tension: float, nearness: float, shapes: _Beside, weights: np.ndarray) -> float:
    """The tension after some steps up the gradient of the expected log-likelihood, per word that has a source word.

    nearness: the sum of h over all target words, expected under the posterior. shapes: `_shapes`. weights: (n_words,)
    the expected number of words at a position that come from a source word. Words from the null word do not contribute
    to the gradient; the released code counts them in the model's expectation of h. No step can lower the likelihood:
    the variance of h is at most 1/12, so a rate below 24 is small enough.
    """
    n_words = weights.sum()
    if not n_words:
        return tension
    for _ in range(STEPS):
        expected = np.add.reduceat(_diagonal(shapes, tension) * shapes.h, shapes.begins) @ weights
        tension = float(np.clip(tension + RATE * (nearness - expected) / n_words, LEAST, MOST))
    return tension
