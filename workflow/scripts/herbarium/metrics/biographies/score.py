"""How well the occupations of women and men are predicted from their biographies: De-Arteaga et al. (2019), "Bias in
Bios", FAT*; Zhao et al. (2020), "Gender Bias in Multilingual Embeddings and Cross-Lingual Transfer", ACL.

A cell is an occupation and a gender: those of women have even numbers, those of men odd ones, 2 · occupation + is_man.
`right`: (n_sets, n) of bool, whether the probe, or the fine-tuned model, of a training set predicts the occupation of
each test text correctly.
"""

import warnings
from typing import NamedTuple

import numpy as np

from herbarium.statistics.inference import Mean

DRAWS = 9_999


class Told(NamedTuple):
    """predicted: (n_sets, n_test), the class by the probe or fine-tuned model of each training set. converged: whether
    all probes converged; None for fine-tuned models, which are stopped early."""

    predicted: np.ndarray
    converged: bool | None


def balancing(cell: np.ndarray, of_set: np.ndarray) -> np.ndarray:
    """(n_texts,): weights with which women and men count equally in each occupation of a training set.

    Those of the more frequent gender count once, those of the other as often as needed: the expectation of training on
    texts repeated at random until both are equally frequent (Zhao 2021, Section 3.3.3.2), without a draw.
    """
    places = of_set * (2 * (cell.max() // 2 + 1)) + cell
    n = np.bincount(places, minlength=2 * (places.max() // 2 + 1)).reshape(-1, 2)
    return (n.max(axis=1, keepdims=True) / np.maximum(n, 1)).ravel()[places]


def told(
    train: np.ndarray, label: np.ndarray, of_set: np.ndarray, test: np.ndarray, c: float, iterations: int,
    weight: np.ndarray | None = None,
) -> Told:  # fmt: skip
    """Predictions of multinomial logistic regressions, one per training set, from standardised vectors.

    train, test: (n, dimensions). label, of_set: (n_train,), classes from 0, training sets from 0. c: inverse of the
    strength of the L2 penalty, as in scikit-learn. weight: (n_train,), how often a text counts; None: once. A dimension
    without variance is ignored.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression  # longer to import than most steps take
    from sklearn.preprocessing import StandardScaler

    predicted, converged = [], True
    for number in np.unique(of_set):
        is_of_set = of_set == number
        counts = None if weight is None else weight[is_of_set]
        scaler = StandardScaler().fit(train[is_of_set], sample_weight=counts)
        probe = LogisticRegression(C=c, max_iter=iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the number says it itself
            probe.fit(scaler.transform(train[is_of_set]), label[is_of_set], sample_weight=counts)
        converged &= bool((probe.n_iter_ < iterations).all())
        predicted.append(probe.predict(scaler.transform(test)))
    return Told(np.array(predicted), converged)


def by_cell(right: np.ndarray, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """(n_sets, n_cells): the share of the texts of each cell whose occupation is predicted correctly."""
    of_cell = np.eye(n_cells)[cell]
    return right @ of_cell / of_cell.sum(axis=0)


def weighted(right: np.ndarray, cell: np.ndarray, weights: np.ndarray) -> Mean:
    """A weighted sum of the accuracies of cells, with its variance over test texts and training sets.

    weights: (n_cells,); cells of weight 0 are ignored. Texts are a sample within each cell, training sets a sample
    crossed with all of them. As in `inference.crossed_mean`, the variance is that over texts, plus that over sets,
    minus that of their interaction, which is in both, and no less than either. So that a cell in which all texts are
    right (or none) does not count as certain, the variance over texts is that with one more text of each kind (Agresti
    and Caffo 2000). Degrees of freedom after Satterthwaite.
    """
    n_sets = len(right)
    estimate = by_cell(right, cell, len(weights)) @ np.where(weights, weights, 0.0)
    of_texts, interaction, squared = 0.0, 0.0, 0.0
    for number in np.flatnonzero(weights):
        hits = right[:, cell == number].astype(float)
        n, of_text = hits.shape[1], hits.mean(axis=0)
        variance = weights[number] ** 2 * np.var([*of_text, 0.0, 1.0], ddof=1) / (n + 2)
        of_texts += variance
        squared += variance**2 / (n + 1)
        if n_sets > 1 and n > 1:
            rest = hits - of_text - hits.mean(axis=1, keepdims=True) + hits.mean()
            interaction += weights[number] ** 2 * (rest**2).sum() / (n_sets * (n_sets - 1) * n * (n - 1))
    of_sets = float(estimate.var(ddof=1) / n_sets) if n_sets > 1 else 0.0
    squared += of_sets**2 / max(n_sets - 1, 1)
    total = max(of_texts + of_sets - interaction, of_texts, of_sets)
    return Mean(float(estimate.mean()), total, total**2 / squared if squared else np.inf)


def gap_weights(occupation: int, n: int) -> np.ndarray:
    """Weights of cells for the gap of an occupation: accuracy for women minus accuracy for men. n: occupations."""
    weights = np.zeros(2 * n)
    weights[2 * occupation : 2 * occupation + 2] = 1, -1
    return weights


def slope_weights(share: np.ndarray) -> np.ndarray | None:
    """Weights of gaps for the slope of their regression on the share of women, (n_occupations,); None if all shares are
    equal.

    De-Arteaga et al. (2019, Section 4) relate gaps to shares graphically and by their correlation; the slope also says
    how large they are, and is a sum over texts, so that its variance is known.
    """
    centred = share - share.mean()
    squares = (centred**2).sum()
    return centred / squares if squares > 1e-12 else None


def gaps(right: np.ndarray, cell: np.ndarray, n: int) -> np.ndarray:
    """(n_sets, n): the gap of each occupation. n: occupations."""
    of_cell = by_cell(right, cell, 2 * n)
    return of_cell[:, ::2] - of_cell[:, 1::2]


def exchanged(right: np.ndarray, cell: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """(DRAWS, n_sets, n): `gaps` after genders were permuted over the texts of each occupation.

    If, given the occupation, correctness does not depend on gender, all permutations are as likely as the observed one.
    The number of women's texts in each pattern of right and wrong over training sets is multivariate hypergeometric, so
    that no permutation has to be carried out text by text.
    """
    rates = np.empty((DRAWS, len(right), n))
    for occupation in range(n):
        occupation_right = right[:, cell // 2 == occupation]
        n_women, n_all = int((cell == 2 * occupation).sum()), occupation_right.shape[1]
        patterns, counts = np.unique(occupation_right, axis=1, return_counts=True)
        drawn = random.multivariate_hypergeometric(counts, n_women, size=DRAWS, method="marginals")
        women = drawn @ patterns.T.astype(float)
        men = occupation_right.sum(axis=1) - women
        rates[:, :, occupation] = women / n_women - men / (n_all - n_women)
    return rates


def p_value(observed: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """p-values of values that are large under the alternative, against those after exchanges, along the first axis; the
    data's own arrangement is one of them."""
    return (1 + (drawn >= observed * (1 - 1e-9)).sum(axis=0)) / (1 + len(drawn))


def equalized_odds(predicted: np.ndarray, label: np.ndarray, is_man: np.ndarray, n: int) -> np.ndarray:
    """(n_sets, n): fairlearn's equalized-odds difference of each occupation against all others: the larger of the
    absolute differences between genders of the true and of the false positive rate."""
    says, has = predicted[..., None] == np.arange(n), label[:, None] == np.arange(n)
    differences = []
    for which in (has, ~has):
        women, men = (
            (says & texts).sum(axis=1) / texts.sum(axis=0)
            for texts in (which & ~is_man[:, None], which & is_man[:, None])
        )
        differences.append(np.abs(women - men))
    return np.maximum(*differences)
