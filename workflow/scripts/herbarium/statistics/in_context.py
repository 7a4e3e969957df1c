"""What the vectors of words encode about something else in their sentence, such as its gender: what words share in it,
and how well a classifier predicts it from words that it has not seen."""

import numpy as np

from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import added, spread


def common(products: np.ndarray) -> Mean:
    """Share of a word's difference that is common to all words, with its jackknife variance over words.

    The sum of the products of different words over (n − 1) times that of words with themselves: 0 on average if
    differences of words are unrelated, 1 if they are equal; it can fall below 0.
    products: (n_words, n_words), of the changes that something in the sentence makes to the vector of each word. nan if
    nothing differs.
    """
    squares, n = np.trace(products), len(products)
    if not squares:
        return Mean(np.nan, np.nan, np.nan)

    def statistic(total: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
        return (total - squares) / ((n - 1) * squares)

    alone = np.diag(products)
    without = statistic(products.sum() - 2 * products.sum(axis=1) + alone, squares - alone, n - 1)
    return added(float(statistic(products.sum(), squares, n)), spread(without))


def control_labels(word: np.ndarray, n_kinds: int, random: np.random.Generator) -> np.ndarray:
    """A class from 0 for each row, assigned to words at random, in classes of equal size or one more: what a classifier
    can learn from the words alone (Hewitt and Liang 2019). word: (n,)."""
    names, number = np.unique(word, return_inverse=True)
    return random.permutation(np.arange(len(names)) % n_kinds)[number]


def of_told(values: np.ndarray, word: np.ndarray, folds: int) -> Mean:
    """The mean of cross-validated predictions, (n,): its errors are clustered in words, and the classifiers of
    different folds share most of their training data.

    For the latter, the correction for folds of equal size (Nadeau and Bengio 2003): 1 + k/(k − 1) times the variance of
    k folds, where k is the number of folds or, if smaller, of words. word: (n,).
    """
    names, number = np.unique(word, return_inverse=True)
    sums, n = np.bincount(number, values - values.mean()), len(names)
    k = min(folds, n)
    variance = n / (n - 1) * (sums**2).sum() / len(values) ** 2 * (1 + k / (k - 1))
    return Mean(float(values.mean()), float(variance), n - 1)
