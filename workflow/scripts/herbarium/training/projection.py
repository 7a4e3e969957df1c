"""Projection: a model whose head does not see the directions of its hidden states that distinguish a text from its
counterpart.

Orthonormal directions V, (n, hidden), of the last hidden states are removed; the head sees h P with P = I − Vᵀ V. Two
methods find the directions, both as Meade et al. (2022), "An Empirical Survey of the Effectiveness of Debiasing
Techniques for Pre-trained Language Models", ACL, apply them to masked language models. A third, LEACE, gives P itself,
which need not be orthogonal, and what is added to h P.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from herbarium.core.errors import HerbariumError
from herbarium.training.swapping import FEMALE, MALE, SWAPPED

_ROUNDING = 1e-10  # a multiple correlation that is 0 but for rounding


class Sides(NamedTuple):
    """The states of texts and of their counterparts, (n_pairs, hidden) each, one row per pair."""

    texts: np.ndarray
    others: np.ndarray

    def at(self, rows: np.ndarray) -> "Sides":
        return Sides(self.texts[rows], self.others[rows])


class Eraser(NamedTuple):
    """The head sees h matrix + offset instead of h; n_directions are lost. matrix: (hidden, hidden). offset:
    (hidden,)."""

    matrix: np.ndarray
    offset: np.ndarray
    n_directions: int

    def of(self, states: np.ndarray) -> np.ndarray:
        return states @ self.matrix + self.offset


def pairs(corpus: pd.DataFrame, genders: Sequence[str | None] | None = None) -> pd.DataFrame:
    """Texts and their counterparts: `split`, `text`, `other`, and whether the text is a male one and the other a female
    one (`is_told`).

    corpus: with the schema "corpus", with terms exchanged and both sides kept: each text is followed by its
    counterpart, if it has one. genders: of each row (`swapping.genders`); if a text is female and its counterpart male,
    the two change places. None: no pair has known genders. Raises HerbariumError if `train` has no pair.
    """
    at = np.flatnonzero(corpus["side"] == SWAPPED)
    gender_array = np.array([None] * len(corpus) if genders is None else genders, dtype=object)
    is_reversed = (gender_array[at - 1] == FEMALE) & (gender_array[at] == MALE)
    first, second = np.where(is_reversed, at, at - 1), np.where(is_reversed, at - 1, at)
    text = corpus["text"].to_numpy()
    table = pd.DataFrame(
        {
            "split": corpus["split"].to_numpy()[at],
            "text": text[first],
            "other": text[second],
            "is_told": (gender_array[first] == MALE) & (gender_array[second] == FEMALE),
        }
    )
    if not (table["split"] == "train").any():
        raise HerbariumError("No text in the part `train` has a counterpart; use a corpus with more texts.")
    return table


def held_out(pair_table: pd.DataFrame) -> np.ndarray:
    """(n_pairs,) which `pairs` are in the part `test` and have no text that is used for learning: the counterpart of
    one text may be another text."""
    is_learned = pair_table["split"] == "train"
    learned = pd.concat([pair_table.loc[is_learned, "text"], pair_table.loc[is_learned, "other"]])
    return (
        (pair_table["split"] == "test") & ~pair_table["text"].isin(learned) & ~pair_table["other"].isin(learned)
    ).to_numpy()


def require_room(n: int, hidden: int, key: str) -> None:
    """Raise HerbariumError if all directions, or more, would be removed."""
    if n >= hidden:
        raise HerbariumError(
            f"`{key}: {n}`: the hidden states of this model have {hidden} dimensions, so nothing would be left of "
            f"them; at most {hidden - 1} can be removed."
        )


# --- which directions ---


def sentence_debias(sides: Sides, n: int) -> np.ndarray:
    """The first n principal components, (n, hidden), of differences between texts and their counterparts: Liang et al.
    (2020), "Towards Debiasing Sentence Representations", ACL.

    As in their code, states are scaled to length 1, and each pair is centred at its own mean. Half its difference, with
    either sign, is left, so that the components are the right singular vectors of the differences.
    Raises HerbariumError if the differences have fewer dimensions.
    """
    x, y = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    differences = x - y
    rank = np.linalg.matrix_rank(differences)
    if n > rank:
        raise HerbariumError(
            f"`dimensions: {n}`: {len(differences)} texts and their counterparts differ in {rank} dimensions; use at "
            "most this number, or a corpus with more texts."
        )
    _, _, v = np.linalg.svd(differences, full_matrices=False)
    return v[:n]


def inlp(sides: Sides, n: int) -> np.ndarray:
    """The directions, (n, hidden), of n linear classifiers of the two sides, each trained on what is left of the
    states: Ravfogel et al. (2020), "Null It Out: Guarding Protected Attributes by Iterative Nullspace Projection", ACL,
    Algorithm 1.

    sides: male and female texts. As in their code, what is left is the projection of the states onto the intersection
    of all nullspaces so far. There are fewer than n directions if a classifier finds nothing. Raises HerbariumError if
    one does not converge, or there is no pair.
    """
    _require_pairs(sides)
    states, sign = _as_classes(sides)
    v = np.empty((0, states.shape[1]))
    for _ in range(n):
        w = classifier(states - states @ v.T @ v, sign).coef_[0]
        if np.allclose(w, 0):
            break
        v = np.linalg.qr(np.vstack([v, w]).T)[0].T
    return v


def _require_pairs(sides: Sides) -> None:
    if not len(sides.texts):
        raise HerbariumError(
            "No text in the part `train` has gendered words of only one gender, so male and female texts are unknown. "
            "Use a corpus with more and shorter texts."
        )


def leace(sides: Sides) -> Eraser:
    """The smallest change of the states after which no linear classifier tells the two sides better than by chance:
    Belrose et al. (2023), "LEACE: Perfect Linear Concept Erasure in Closed Form", NeurIPS.

    With Σ the covariance of the states x, W the square root of its pseudo-inverse, σ their cross-covariance with the
    side and Q the orthogonal projection onto W σ, it is x − W⁺ Q W (x − E x). The covariance with the side is then 0,
    and the expected squared distance is the least of all affine maps of which this holds. sides: male and female texts.
    Raises HerbariumError if there is no pair.
    """
    _require_pairs(sides)
    states, sign = _as_classes(sides)
    centred = states - states.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(states))
    is_there = values > values.max() * len(values) * np.finfo(float).eps
    roots, axes = np.sqrt(values[is_there]), vectors[:, is_there]
    told = axes.T @ centred.T @ sign / len(states) / roots  # W σ, along the axes
    correlation = np.linalg.norm(told)
    is_told = bool(correlation > _ROUNDING)
    told = told / correlation if is_told else np.zeros_like(told)
    # the transpose, as states are rows
    lost = np.outer((axes / roots) @ told, (axes * roots) @ told)
    return Eraser(np.eye(len(lost)) - lost, states.mean(axis=0) @ lost, int(is_told))


def projection(directions: np.ndarray) -> np.ndarray:
    """P, (hidden, hidden): h P is h without its components along the directions, which are orthonormal, (n, hidden)."""
    return np.eye(directions.shape[1]) - directions.T @ directions


def without(directions: np.ndarray) -> Eraser:
    """What removes orthonormal directions, (n, hidden)."""
    return Eraser(projection(directions), np.zeros(directions.shape[1]), len(directions))


def classifier(states: np.ndarray, sign: np.ndarray) -> LinearSVC:
    """A linear support vector machine with the settings of Meade et al., which is not random; states: (n, hidden).

    Raises HerbariumError if it does not converge.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return LinearSVC(fit_intercept=False, dual=False, max_iter=10_000).fit(states, sign)
        except ConvergenceWarning as error:
            raise HerbariumError(
                f"A classifier of {len(states)} texts did not converge within 10,000 steps."
            ) from error


def _as_classes(sides: Sides) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate(sides), np.repeat([1, -1], len(sides.texts))


# --- effects ---


def accuracy(train: Sides, test: Sides) -> dict:
    """How well a classifier that is fitted to some pairs predicts the sides of others; chance is 1/2.

    Returns `accuracy`, the share of texts, and its `std_error` over pairs.
    """
    states, sign = _as_classes(test)
    is_right = (classifier(*_as_classes(train)).predict(states) == sign).reshape(2, -1).mean(axis=0)
    return {"accuracy": float(is_right.mean()), "std_error": float(is_right.std(ddof=1) / np.sqrt(len(is_right)))}


def removed(sides: Sides, matrix: np.ndarray) -> float | None:
    """The share of the squared differences between texts and their counterparts that a matrix takes out, (hidden,
    hidden); None if nothing differs."""
    differences = sides.texts - sides.others
    total = (differences**2).sum()
    return float(1 - ((differences @ matrix) ** 2).sum() / total) if total else None


def report(sides: Sides, is_told: np.ndarray, train: np.ndarray, test: np.ndarray, eraser: Eraser) -> dict:
    """The effect of a projection on pairs that it was not learned from, for the record of a model.

    sides: of all pairs; is_told, train, test: (n_pairs,) of bool. `before` and `after` (`accuracy`) are null if fewer
    than two held-out pairs have known genders, or there are none to learn from.
    """
    facts = {
        "n_pairs": int(train.sum()),
        "n_directions": eraser.n_directions,
        "n_held_out": int(test.sum()),
        "removed": removed(sides.at(test), eraser.matrix),
        "n_told": int((test & is_told).sum()),
        "before": None,
        "after": None,
    }
    if facts["n_told"] > 1 and (train & is_told).any():
        for name, states in (("before", sides), ("after", Sides(*map(eraser.of, sides)))):
            facts[name] = accuracy(states.at(train & is_told), states.at(test & is_told))
    return facts
