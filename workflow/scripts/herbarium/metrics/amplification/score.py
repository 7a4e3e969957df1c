"""Bias amplification: are positive rates of groups further apart in predictions than in the training data?

Zhao (2021), thesis, Sections 5.1.2 and 5.2.2 (Zhao et al. 2017; Jia et al. 2020). The published number compares the
rates of each group, b̃ − b*, with the sign of b* − ½. Rates in training are those of a sample, so a group whose rate is
high there by chance is not as high in predictions: without amplification the published number is below 0, the more so
the smaller the groups are. And if all rates are on one side of ½, it is only the change of the base rate.

So the primary number takes the sign of a group from other training sets than the one whose rates are compared, and
compares rates with their mean over groups: without amplification it is 0.

K training sets and their classifiers, m groups, n instances (a text, or a text with a prefix), T texts.
"""

from typing import NamedTuple

import numpy as np

from herbarium.statistics.inference import Mean, crossed_mean

FEWEST_SETS = 2
DRAWS = 999
_SLACK = 1e-9  # of a rate, for rounding of sums
BINS = 10  # of the expected calibration error


def mean_amplification(training: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """(...,) mean bias amplification (thesis, p. 65; Ā of Section 5.2.2 with probabilities): the mean over groups of
    sgn(b* − ½)(b̃ − b*). training, predicted: (..., m)."""
    return (np.sign(training - 0.5) * (predicted - training)).mean(axis=-1)


def violations(training: np.ndarray, predicted: np.ndarray, margin: float) -> np.ndarray:
    """(...,) the number of rates further from those of training than the margin; a missing rate, nan, does not count.
    training, predicted: (..., m)."""
    return (np.abs(predicted - training) > margin + _SLACK).sum(axis=-1)


def signs(training: np.ndarray) -> np.ndarray:
    """(K, m) the side of a group's rate relative to the mean of all groups in the other training sets. training: (K,
    m)."""
    centred = _centred(training)
    return np.sign((centred.sum(axis=0) - centred).round(12))


def _centred(rates: np.ndarray) -> np.ndarray:
    return rates - rates.mean(axis=-1, keepdims=True)


class Decisions(NamedTuple):
    """Decisions of classifiers, or their probabilities of the positive label.

    values: (K, n). pairs: (n_pairs, 2), instance and group. text: (n,) number of the text of each instance.
    """

    values: np.ndarray
    pairs: np.ndarray
    text: np.ndarray

    @property
    def n_texts(self) -> int:
        return int(self.text.max()) + 1

    def rates(self, m: int) -> np.ndarray:
        """(K, m) b̃ of decisions (Eq. 5.1), B of probabilities (Eq. 5.7)."""
        instance, group = self.pairs.T
        n = np.bincount(group, minlength=m)
        return np.stack([np.bincount(group, row[instance], minlength=m) for row in self.values]) / n

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        """(K, T) whose mean over texts is Σ_g weights_kg · rate_kg: that, plus the deviations of each text's instances
        from the rates of their groups, as groups are fixed and texts are sampled. weights: (K, m)."""
        instance, group = self.pairs.T
        rates = self.rates(weights.shape[1])
        share, texts = weights / np.bincount(group, minlength=weights.shape[1]), self.text[instance]
        beyond = [
            np.bincount(texts, weights[group] * (row[instance] - rate[group]), minlength=self.n_texts)
            for weights, row, rate in zip(share, self.values, rates, strict=True)
        ]
        return (weights * rates).sum(axis=1, keepdims=True) + self.n_texts * np.stack(beyond)

    def of_group(self, group: int) -> np.ndarray:
        """(K, T_g) mean over a group's instances of each text that has any."""
        instance = self.pairs[self.pairs[:, 1] == group, 0]
        texts, number = np.unique(self.text[instance], return_inverse=True)
        n = np.bincount(number, minlength=len(texts))
        return np.stack([np.bincount(number, row[instance], minlength=len(texts)) for row in self.values]) / n


def difference(decisions: Decisions, training: np.ndarray, group: int) -> Mean:
    """b̃ − b* of a group, over training sets and texts. training: (K, m)."""
    return crossed_mean(decisions.of_group(group) - training[:, group, None])


def amplification(decisions: Decisions, training: np.ndarray) -> Mean:
    """How much further groups are from the mean of all groups in decisions than in training; 0 without amplification.

    The mean over groups and sets of s_kg (d_kg − mean over groups of d_k), where d = b̃ − b* and s is of `signs`. Over
    training sets and texts, which are crossed; groups are fixed. Raises ValueError with only one set.
    """
    return crossed_mean(amplified(decisions, training))


def amplified(decisions: Decisions, training: np.ndarray) -> np.ndarray:
    """(K, T) whose mean is the `amplification`."""
    if len(training) < FEWEST_SETS:
        raise ValueError("the sign of a group comes from another training set: at least two are needed")
    weights = _centred(signs(training)) / training.shape[1]
    return decisions.weighted(weights) - (weights * training).sum(axis=1, keepdims=True)


def slope(decisions: Decisions, training: np.ndarray) -> Mean:
    """Slope of rates in decisions on those in training: above 1 they are further apart.

    Training rates have sampling error, which attenuates a least-squares slope; those of the other sets are therefore
    instruments (two-sample instrumental variables): Σ z b̃ / Σ z b*, z the centred rates of the other sets. The
    variance is by linearisation, over sets and texts; nan if the denominator is not clearly above 0 (twice its standard
    error over sets), as the ratio is then meaningless. Raises ValueError with only one set.
    """
    if len(training) < FEWEST_SETS:
        raise ValueError("instruments come from another training set: at least two are needed")
    centred = _centred(training)
    z = (centred.sum(axis=0) - centred) / (len(training) - 1)
    below = (z * training).sum(axis=1)
    values = decisions.weighted(z)
    estimate = values.mean() / below.mean()
    if below.mean() < 2 * below.std(ddof=1) / np.sqrt(len(below)) or below.mean() <= 0:
        return Mean(float("nan"), float("nan"), float("nan"))
    mean = crossed_mean((values - estimate * below[:, None]) / below.mean())
    return Mean(float(estimate), mean.variance, mean.df)


class Chance(NamedTuple):
    amplification: float
    violations: float


def by_chance(
    training: np.ndarray,
    n_training: np.ndarray,
    predicted: np.ndarray,
    n: np.ndarray,
    margin: float,
    random: np.random.Generator,
) -> Chance:
    """The published number, and the number of violations, if predictions are another sample at the same rates: labels
    and predictions of each group are permuted (the mean of DRAWS permutations within groups).

    training, n_training: (K, m) rates and texts. predicted: (K, m) rates; n: (m,) instances. It is not tested:
    instances of one text are dependent, so that there are effectively fewer than n.
    """
    draws = []
    for rate, count, rates in zip(training, n_training, predicted, strict=True):
        positive = np.rint(rate * count + rates * n).astype(int)
        drawn = random.hypergeometric(positive, count + n - positive, count, size=(DRAWS, len(n)))
        labels, decisions = drawn / count, (positive - drawn) / n
        violated = violations(labels, decisions, margin)
        draws.append((mean_amplification(labels, decisions).mean(), violated.mean()))
    return Chance(*np.mean(draws, axis=0).tolist())


def calibration_error(probability: np.ndarray, label: np.ndarray) -> float:
    """Expected calibration error (Guo et al. 2017) of the positive label, in BINS bins of equal width; above 0 even for
    perfect probabilities. Both (n,)."""
    place = np.minimum((probability * BINS).astype(int), BINS - 1)
    gap = np.bincount(place, label - probability, minlength=BINS)
    return float(np.abs(gap).sum() / len(label))
