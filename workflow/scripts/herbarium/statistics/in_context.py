"""What the vectors of words say of something else in their sentence, its gender say: what words have in common in it,
and how well it is told from words that a classifier has not met."""

import numpy as np

from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import added, spread


def common(products: np.ndarray) -> Mean:
    """Share of a word's difference that all words have in common, with its jackknife variance over words.

    The sum of the products of different words, (n − 1) times that of their own taken for 1: 0 on average where
    differences of words have nothing to do with each other, 1 where they are equal; it can fall below 0.
    products: (n_words, n_words), of what something in the sentence changes in the vector of each word. nan where
    nothing differs.
    """
    own, n = np.trace(products), len(products)
    if not own:
        return Mean(np.nan, np.nan, np.nan)

    def of(total: np.ndarray, own: np.ndarray, n: int) -> np.ndarray:
        return (total - own) / ((n - 1) * own)

    alone = np.diag(products)
    without = of(products.sum() - 2 * products.sum(axis=1) + alone, own - alone, n - 1)
    return added(float(of(products.sum(), own, n)), spread(without))


def control_labels(word: np.ndarray, n_kinds: int, random: np.random.Generator) -> np.ndarray:
    """A kind from 0 for each row, dealt out to words at random, each kind to as many words as any other or one more:
    what a classifier can learn of the words alone (Hewitt and Liang 2019). word: (n,)."""
    names, number = np.unique(word, return_inverse=True)
    return random.permutation(np.arange(len(names)) % n_kinds)[number]


def of_told(values: np.ndarray, word: np.ndarray, folds: int) -> Mean:
    """The mean of what was told by cross-validation, (n,): its errors are clustered in words, and the classifiers of
    different folds share most of what they learned from.

    The latter is taken for what it is between folds of equal size (Nadeau and Bengio 2003): 1 + k/(k − 1) times the
    variance of k folds, k the number of folds or, if these are fewer, words. word: (n,).
    """
    names, number = np.unique(word, return_inverse=True)
    sums, n = np.bincount(number, values - values.mean()), len(names)
    k = min(folds, n)
    variance = n / (n - 1) * (sums**2).sum() / len(values) ** 2 * (1 + k / (k - 1))
    return Mean(float(values.mean()), float(variance), n - 1)
