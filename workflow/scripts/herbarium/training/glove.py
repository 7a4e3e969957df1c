"""GloVe, and GN-GloVe, which keeps the gender of words in one coordinate: word vectors learned from co-occurrences.

GloVe is that of Pennington et al. (2014), "GloVe: Global Vectors for Word Representation", EMNLP. GN-GloVe is that of
Zhao (2021, PhD thesis, §3.1), first in Zhao et al. (2018), "Learning Gender-Neutral Word Embeddings", EMNLP. A word has
a vector w, and as a context of others another one, w̃, each with a bias. In GN-GloVe the last coordinate of a vector is
w^(g), the others are w^(a) (k = 1 of the thesis), and what is minimised is (Eq. 3.1)

    J   = J_G + λ_d J_D + λ_e J_E
    J_G = Σ_{i,j: X_ij > 0} f(X_ij) (w_i · w̃_j + b_i + b̃_j − log X_ij)²,  f(x) = min(1, (x / x_max)^α)
    J_D = −|Σ_{Ω_M} w^(g) − Σ_{Ω_F} w^(g)|                                  (`l1`)
          Σ_{Ω_M} (β₁ − w^(g))² + Σ_{Ω_F} (β₂ − w^(g))²,  β = (1, −1)       (`l2`)
    J_E = Σ_{Ω_N} (v_g · w^(a))²,  v_g = the mean of w_m^(a) − w_f^(a) over the pairs Ω′

Ω_M and Ω_F are words with a gender by definition, Ω_N all others. w in J_D and J_E is the vector of a word, not its
context vector, as the thesis defines the letter. v_g is computed again before each epoch, and treated as a constant.
Each coordinate of a vector stays within [−1, 1]; biases need not. The final vector of a word is w + w̃.

**How it is minimised.** J is a sum: J_G has a term for each co-occurrence, J_D and J_E together one for each word. An
epoch takes all of them once, in random order, each with a step of AdaGrad along its gradient, so that the gradients of
an epoch sum to exactly that of J. J_D^L1 itself is not a sum over words, but its derivative is: −sign(S) for each word
of Ω_M and sign(S) for each of Ω_F, where S is the expression within the bars. S is updated in every step.

As in the code of Pennington et al., the gradient is that of J / 2, so that with λ_d = λ_e = 0 and without bounds this
is their GloVe: rate η = 0.05; accumulators of AdaGrad that start at 1, and to which the squares of whole steps are
added, η included; parameters that start uniformly on ±0.5 / d.

**`released`** is what the authors' code does (github.com/uclanlp/gn_glove). It departs from the equations:

- Steps are plain: the lines with AdaGrad are commented out.
- J_D and J_E have a step at each co-occurrence, for both its words, and for the context word in w̃. So
  their weight grows with the number of a word's co-occurrences. The derivative of J_D^L1 is ∓1, whatever the sign of S.
There is no J_D^L2.
- The gradient of J_G is that of J_G / 2; those of the other terms are not halved.
- v_g is divided by the number of all listed pairs, not of those in the vocabulary, and is never reset to 0: before
  an epoch, v_g becomes (v_g + Σ (w_m^(a) − w_f^(a))) / n_listed.
- w^(g) of words of Ω_M starts at 1, of those of Ω_F at −1.

Two of its faults are not reproduced. For listed words outside the vocabulary, it reads uninitialised memory; and the
cost that it reports has v_g · w^(a) without the square. Ours is J, for both variants.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numba import njit

from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.training.cooccurrence import Cooccurrences

Definition = Literal["l1", "l2"]
Variant = Literal["paper", "released"]

BETA = (1.0, -1.0)  # of J_D^L2, for Ω_M and Ω_F
X_MAX, ALPHA = 100.0, 0.75  # of f
BOUND = 1.0  # of the coordinates of GN-GloVe
_CHUNK = 2**14  # steps whose rows are looked up at once
# Allows sums in any order, so that several products are computed at once; nothing else changes.
_COMPILED = {"fastmath": {"reassoc", "contract"}, "error_model": "numpy", "nogil": True}


class Gender(NamedTuple):
    """Words with a gender by definition, as rows of a vocabulary.

    masculine, feminine: Ω_M and Ω_F, (n,) each. pairs: Ω′, (n_pairs, 2), masculine and feminine. n_listed: the number
    of pairs in the list, including those with words outside the vocabulary.
    """

    masculine: np.ndarray
    feminine: np.ndarray
    pairs: np.ndarray
    n_listed: int

    def sides(self, n_words: int) -> np.ndarray:
        """(n_words,) 1 for words of Ω_M, −1 for those of Ω_F, 0 for all others."""
        signs = np.zeros(n_words, dtype=np.int8)
        signs[self.masculine], signs[self.feminine] = 1, -1
        return signs


class Terms(NamedTuple):
    """What GN-GloVe adds to GloVe. Both λ are 0.8 in the thesis."""

    gender: Gender
    definition: Definition = "l1"
    variant: Variant = "paper"
    lambda_d: float = 0.8
    lambda_e: float = 0.8


class Parameters(NamedTuple):
    """For n words: w and b, and w̃ and b̃, (n, d + 1) each, the bias last; before it, in GN-GloVe, w^(g)."""

    words: np.ndarray
    contexts: np.ndarray


class Losses(NamedTuple):
    """The losses of Eq. 3.1; j_d and j_e without their λ, 0 in GloVe."""

    j_g: float
    j_d: float
    j_e: float
    j: float


class Trained(NamedTuple):
    """parameters: after the last epoch. losses: one row per epoch: `iteration`, from 1, and `j_g`, `j_d`, `j_e`, `j`;
    j_g is the sum over co-occurrences, each at its own step, the others are those at the end of the epoch."""

    parameters: Parameters
    losses: pd.DataFrame

    @property
    def vectors(self) -> np.ndarray:
        """(n_words, d): w + w̃."""
        return (self.parameters.words + self.parameters.contexts)[:, :-1]


def gender_of(words: Sequence[str], pairs: Iterable[tuple[str, str]]) -> Gender:
    """The rows of a vocabulary that hold the words of pairs. pairs: masculine and feminine words, in lower case.

    Raises HerbariumError if a word is on both sides, or no pair has both its words in the vocabulary.
    """
    listed = list(dict.fromkeys(pairs))
    masculine, feminine = ({pair[side] for pair in listed} for side in (0, 1))
    if both := sorted(masculine & feminine):
        raise HerbariumError(
            f"{len(both)} words are masculine in one pair and feminine in another ({', '.join(both[:10])}): a word "
            "with a gender by definition can only have one."
        )
    row_of = {word: row for row, word in enumerate(words)}
    known = [(row_of[m], row_of[f]) for m, f in listed if m in row_of and f in row_of]
    if not known:
        raise HerbariumError(
            f"None of the {len(listed)} pairs of gendered words has both its words among the {len(words):,} words of "
            "the vocabulary: use more texts, a smaller `min_count`, or pairs in the language of the texts."
        )
    sides = (
        np.array(sorted(row_of[word] for word in side & row_of.keys()), dtype=int) for side in (masculine, feminine)
    )
    return Gender(*sides, np.array(known, dtype=int), len(listed))


def gender_direction(words: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """v_g, (d − 1,). words: (n, d + 1) of `Parameters`. pairs: (n_pairs, 2) of `Gender`."""
    neutral = words[:, :-2]
    return (neutral[pairs[:, 0]] - neutral[pairs[:, 1]]).mean(axis=0)


def losses(
    parameters: Parameters, records: Cooccurrences, terms: Terms | None, v_g: np.ndarray | None = None
) -> Losses:
    """J_G, J_D, J_E and J for given parameters (Eq. 3.1). v_g: (d − 1,); None: computed from the parameters."""
    words, contexts = parameters
    j_g = 0.0
    for start in range(0, len(records.x), _CHUNK):
        row, column, x = (array[start : start + _CHUNK] for array in records)
        log_x, weight = _log_and_weight(x)
        w, c = words[row], contexts[column]
        j_g += weight @ (np.einsum("nk,nk->n", w[:, :-1], c[:, :-1]) + w[:, -1] + c[:, -1] - log_x) ** 2
    return _with_terms(float(j_g), words, terms, v_g)


def _log_and_weight(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log x, and f(x)."""
    log_x = np.log(x)
    return log_x, np.exp(np.minimum(0, ALPHA * (log_x - np.log(X_MAX))))


def _with_terms(j_g: float, words: np.ndarray, terms: Terms | None, v_g: np.ndarray | None = None) -> Losses:
    if terms is None:
        return Losses(j_g, 0.0, 0.0, j_g)
    j_d, j_e = _j_d(words, terms), _j_e(words, terms.gender, v_g)
    return Losses(j_g, j_d, j_e, j_g + terms.lambda_d * j_d + terms.lambda_e * j_e)


def _j_d(words: np.ndarray, terms: Terms) -> float:
    masculine, feminine = words[terms.gender.masculine, -2], words[terms.gender.feminine, -2]
    if terms.definition == "l1":
        return -float(abs(masculine.sum() - feminine.sum()))
    return float(((BETA[0] - masculine) ** 2).sum() + ((BETA[1] - feminine) ** 2).sum())


def _j_e(words: np.ndarray, gender: Gender, v_g: np.ndarray | None) -> float:
    v_g = gender_direction(words, gender.pairs) if v_g is None else v_g
    return float(((words[gender.sides(len(words)) == 0, :-2] @ v_g) ** 2).sum())


def initial(n_words: int, dimensions: int, terms: Terms | None, random: np.random.Generator) -> Parameters:
    """Parameters before the first epoch: uniform on ±0.5 / d."""
    words, contexts = random.uniform(-0.5, 0.5, (2, n_words, dimensions + 1)) / dimensions
    if terms is not None and terms.variant == "released":
        words[terms.gender.masculine, -2], words[terms.gender.feminine, -2] = 1, -1
    return Parameters(words, contexts)


def train(
    records: Cooccurrences,
    n_words: int,
    dimensions: int,
    iterations: int,
    seed: int,
    terms: Terms | None = None,
    eta: float = 0.05,
) -> Trained:
    """GloVe, or, with `terms`, GN-GloVe. All randomness comes from `seed`.

    records: for a vocabulary of `n_words`. dimensions: d, at least 2 in GN-GloVe. iterations: epochs. eta: the rate η.
    Raises HerbariumError if there is no co-occurrence, or parameters are no longer finite.
    """
    if not len(records.x):
        raise HerbariumError("No two words of the vocabulary co-occur: use longer texts, or a smaller `min_count`.")
    parameters = initial(n_words, dimensions, terms, stream(seed, "glove", "parameters"))
    squares = Parameters(*map(np.ones_like, parameters))
    steps = summands(records, n_words, terms)
    v_g, history = np.zeros(max(dimensions - 1, 0)), []
    with progress(iterations * len(steps.x), " steps", "training word vectors") as bar:
        for iteration in range(1, iterations + 1):
            if terms is not None:
                v_g = _direction_of_epoch(parameters.words, terms, v_g)
            order = stream(seed, "glove", "order", iteration).permutation(len(steps.x))
            j_g = epoch(parameters, squares, steps, order, terms, v_g, eta, bar.update)
            if not all(np.isfinite(array).all() for array in parameters):
                raise HerbariumError(
                    f"The word vectors are no longer finite after iteration {iteration}: use a smaller `eta` than "
                    f"{eta:g}."
                )
            history.append({"iteration": iteration, **_with_terms(j_g, parameters.words, terms)._asdict()})
    return Trained(parameters, pd.DataFrame(history))


def summands(records: Cooccurrences, n_words: int, terms: Terms | None) -> Cooccurrences:
    """The steps of an epoch: the co-occurrences, followed, if words have terms of their own, by the words as rows with
    −1 as `column` and 1 as `x`."""
    if terms is None or terms.variant == "released":
        return records
    of_words = Cooccurrences(np.arange(n_words), np.full(n_words, -1), np.ones(n_words))
    return Cooccurrences(
        *(np.concatenate(arrays).astype(arrays[0].dtype) for arrays in zip(records, of_words, strict=True))
    )


def epoch(
    parameters: Parameters,
    squares: Parameters,
    steps: Cooccurrences,
    order: np.ndarray,
    terms: Terms | None,
    v_g: np.ndarray,
    eta: float,
    tell: Callable[[int], object],
) -> float:
    """One epoch, which changes `parameters` and `squares`. Returns the sum of the terms of J_G, each at its own step.

    squares: the accumulators of AdaGrad. steps: from `summands`. order: of the steps. tell: called with the number of
    steps so far.
    """
    n_words = len(parameters.words)
    sides = np.zeros(n_words, dtype=np.int8) if terms is None else terms.gender.sides(n_words)
    j_g = 0.0
    for start in range(0, len(order), _CHUNK):
        at = order[start : start + _CHUNK]
        now = steps.row[at], steps.column[at], *_log_and_weight(steps.x[at])
        if terms is None:
            j_g += _take(*parameters, *squares, *now, eta, np.inf, sides, v_g, True, 0.0, 0.0)
        elif terms.variant == "paper":
            is_l1, lambdas = terms.definition == "l1", (terms.lambda_d, terms.lambda_e)
            j_g += _take(*parameters, *squares, *now, eta, BOUND, sides, v_g, is_l1, *lambdas)
        else:
            j_g += _take_released(*parameters, *now, eta, sides, v_g, terms.lambda_d, terms.lambda_e)
        tell(len(at))
    return j_g


def _direction_of_epoch(words: np.ndarray, terms: Terms, before: np.ndarray) -> np.ndarray:
    estimate = gender_direction(words, terms.gender.pairs)
    if terms.variant == "paper":
        return estimate
    return (before + estimate * len(terms.gender.pairs)) / terms.gender.n_listed


# --- steps, compiled. row, column, log_x, weight: (n_steps,) each; they change rows of the parameters ---


@njit(**_COMPILED)
def _error(w, c, log_x):
    """w · w̃ + b + b̃ − log x."""
    difference = w[-1] + c[-1] - log_x
    for k in range(len(w) - 1):
        difference += w[k] * c[k]
    return difference


@njit(**_COMPILED)
def _moved(value, square, step, bound):
    """A coordinate and its accumulator after a step of AdaGrad. step: η times the derivative."""
    return max(-bound, min(bound, value - step / np.sqrt(square))), square + step * step


@njit(**_COMPILED)
def _along(v_g, w):
    """v_g · w^(a)."""
    total = 0.0
    for k in range(len(v_g)):
        total += v_g[k] * w[k]
    return total


@njit(**_COMPILED)
def _take(
    words, contexts, squares, context_squares, row, column, log_x, weight,
    eta, bound, sides, v_g, is_l1, lambda_d, lambda_e,
):  # fmt: skip
    d = words.shape[1] - 1
    j_g = 0.0
    apart = 0.0  # S: Σ_{Ω_M} w^(g) − Σ_{Ω_F} w^(g)
    for i in range(len(sides)):
        apart += sides[i] * words[i, d - 1]
    for at in range(len(row)):
        i, j = row[at], column[at]
        w, w_squares, side = words[i], squares[i], sides[i]
        before = w[d - 1]
        if j >= 0:
            c, c_squares = contexts[j], context_squares[j]
            error = _error(w, c, log_x[at])
            j_g += weight[at] * error**2
            step = eta * weight[at] * error
            for k in range(d):
                w_step, c_step = step * c[k], step * w[k]
                w[k], w_squares[k] = _moved(w[k], w_squares[k], w_step, bound)
                c[k], c_squares[k] = _moved(c[k], c_squares[k], c_step, bound)
            w[d], w_squares[d] = _moved(w[d], w_squares[d], step, np.inf)
            c[d], c_squares[d] = _moved(c[d], c_squares[d], step, np.inf)
        elif side != 0:
            derivative = -side * np.sign(apart) / 2 if is_l1 else before - side
            w[d - 1], w_squares[d - 1] = _moved(before, w_squares[d - 1], eta * lambda_d * derivative, bound)
        else:
            step = eta * lambda_e * _along(v_g, w)
            for k in range(d - 1):
                w[k], w_squares[k] = _moved(w[k], w_squares[k], step * v_g[k], bound)
        apart += side * (w[d - 1] - before)
    return j_g


@njit(**_COMPILED)
def _take_released(words, contexts, row, column, log_x, weight, eta, sides, v_g, lambda_d, lambda_e):
    d = words.shape[1] - 1
    j_g = 0.0
    for at in range(len(row)):
        i, j = row[at], column[at]
        w, c = words[i], contexts[j]
        error = _error(w, c, log_x[at])
        j_g += weight[at] * error**2
        step = eta * weight[at] * error
        for k in range(d):
            w_step, c_step = step * c[k], step * w[k]
            w[k] -= w_step
            c[k] -= c_step
        w[d] -= step
        c[d] -= step
        _move_by_gender(w, sides[i], eta, v_g, lambda_d, lambda_e)
        _move_by_gender(c, sides[j], eta, v_g, lambda_d, lambda_e)
    return j_g


@njit(**_COMPILED)
def _move_by_gender(w, side, eta, v_g, lambda_d, lambda_e):
    d = len(w) - 1
    if side != 0:
        w[d - 1] += eta * lambda_d * side
    else:
        step = 2 * eta * lambda_e * _along(v_g, w)
        for k in range(d - 1):
            w[k] -= step * v_g[k]
    for k in range(d):
        w[k] = max(-BOUND, min(BOUND, w[k]))
