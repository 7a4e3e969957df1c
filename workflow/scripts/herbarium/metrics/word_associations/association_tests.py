"""Association tests of word vectors: WEAT and SEAT, RND, RNSB.

Two sets of targets, X and Y (words of men and of women, say), and two of attributes, A and B (career and family).

WEAT, Caliskan, Bryson and Narayanan (2017), Science 356, 183-186, with sentences instead of words SEAT, May et al.
(2019), NAACL:

    s(w, A, B) = mean_a cos(w, a) - mean_b cos(w, b),
    d = [mean_x s(x, A, B) - mean_y s(y, A, B)] / std_{w in X and Y} s(w, A, B).

RND, Garg et al. (2018), PNAS 115, E3635-E3644: the mean over attributes of |a - mean X| - |a - mean Y|.
RNSB, Sweeney and Najafian (2019), ACL: KL divergence from the uniform distribution of the targets' probabilities of
being like B, by a logistic regression of A against B.

Sets are arrays of indices. A word in several sentences has several vectors; the unit is the word.
"""

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from herbarium.metrics.word_associations.projection import fisher
from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import by_leaving_out
from herbarium.vectors.directions import unit

# Up to EXACT partitions of the targets are enumerated; of more, DRAWS are drawn.
EXACT = 10_000
DRAWS = 9_999
# Each a fit of its own.
DRAWS_RNSB = 199
_TIE = 1e-12


def cosines(vectors: np.ndarray, targets: np.ndarray, attributes: np.ndarray) -> np.ndarray:
    """(n_targets, n_sentences, n_attributes): cosines of each target in each of its sentences with each attribute, as a
    mean over the sentences of the latter. vectors: (n_words, n_sentences, d), bare words with one sentence. targets,
    attributes: indices of words."""
    units = unit(vectors)
    return np.einsum("xtd,ad->xta", units[targets], units[attributes].mean(axis=1))


def of_words(sets: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The table of `cosines` of bare words, and the indices in it of the words of X, Y, A and B. sets: (n_words, d) of
    each."""
    vectors, ends = np.concatenate(sets)[:, None], np.cumsum([0, *map(len, sets)])
    places = [np.arange(len(members)) for members in sets]
    table = cosines(vectors, np.arange(ends[2]), np.arange(ends[2], ends[4]))
    return table, [places[0], places[1] + ends[1], places[2], places[3] + ends[3] - ends[2]]


def associations(table: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n_targets, n_sentences) s(w, A, B). table: of `cosines`. a, b: indices of its attributes."""
    return table[..., a].mean(axis=-1) - table[..., b].mean(axis=-1)


def effect_size(table: np.ndarray, x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """d; nan if all targets are equal. The standard deviation is that of the targets at hand (divided by n), so that
    |d| is 2 at most if both sets are equally large. table: of `cosines`. x, y, a, b: indices in it."""
    s = associations(table, a, b)
    spread = s[np.concatenate([x, y])].std()
    return float((s[x].mean() - s[y].mean()) / spread) if spread > _TIE else math.nan


def weat(table: np.ndarray, x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> Mean:
    """d on Fisher's scale with its jackknife error over the words of all four sets (`effect_of` is the inverse).

    With p and q the shares of the targets that are in X and in Y, d √(pq) is the correlation of s with being in X, so
    that its inverse hyperbolic tangent has no bounds. Arguments as for `effect_size`.
    """

    def statistic(*sets: np.ndarray) -> float:
        return fisher(effect_size(table, *sets) * _balance(*sets[:2]), len(sets[0]) + len(sets[1]))

    return by_leaving_out(statistic, x, y, a, b)


def effect_of(z: float, x: np.ndarray, y: np.ndarray) -> float:
    """d of a number on the scale of `weat`."""
    return math.tanh(z) / _balance(x, y)


def _balance(x: np.ndarray, y: np.ndarray) -> float:
    return math.sqrt(len(x) * len(y)) / (len(x) + len(y))


def weat_p_value(
    table: np.ndarray, x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, random: np.random.Generator
) -> float:
    """Two-sided p-value that targets are exchangeable: how often other sets of the same sizes differ as much.

    The published test is one-sided: with sets of equal size and an effect in the expected direction its p-value is half
    of this. Words are permuted with all their sentences; the attributes are fixed. Arguments as for `effect_size`.
    """
    return exchanged(associations(table, a, b).mean(axis=1), x, y, random)


def exchanged(values: np.ndarray, x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> float:
    """Two-sided p-value that two sets of numbers are exchangeable, by the difference of their means. values: (n,). All
    partitions if there are at most EXACT, else DRAWS of them, and the sets' own as one more."""
    both = values[np.concatenate([x, y])]
    n, m = len(both), len(x)
    if is_exact(m, n - m):
        chosen = np.array(list(itertools.combinations(range(n), m)))
        sums = both[chosen].sum(axis=1)
    else:
        drawn = random.permuted(np.tile(both, (DRAWS, 1)), axis=1)[:, :m].sum(axis=1)
        sums = np.concatenate([[both[:m].sum()], drawn])
    differences = sums / m - (both.sum() - sums) / (n - m)
    observed = both[:m].mean() - both[m:].mean()
    return float((np.abs(differences) >= abs(observed) - _TIE * np.abs(both).max()).mean())


def is_exact(n_x: int, n_y: int) -> bool:
    """Whether all partitions of this number of targets are enumerated."""
    return math.comb(n_x + n_y, n_x) <= EXACT


def arrangements(n_x: int, n_y: int) -> int:
    """The number of partitions in a test."""
    return math.comb(n_x + n_y, n_x) if is_exact(n_x, n_y) else DRAWS + 1


def distances(words: np.ndarray, x: np.ndarray, y: np.ndarray, attribute: np.ndarray) -> float:
    """RND of attributes: below 0 if they are nearer to X.

    words: (n_words, d), of length 1. attribute: the attributes.
    """
    to_x, to_y = (np.linalg.norm(words[attribute] - words[group].mean(axis=0), axis=1) for group in (x, y))
    return float((to_x - to_y).mean())


def rnd(words: np.ndarray, x: np.ndarray, y: np.ndarray, attribute: np.ndarray) -> Mean:
    """RND with its jackknife error over the words of the three sets. Arguments as for `distances`."""

    def statistic(*sets: np.ndarray) -> float:
        return distances(words, *sets)

    return by_leaving_out(statistic, x, y, attribute)


def rnd_p_value(
    words: np.ndarray, x: np.ndarray, y: np.ndarray, attribute: np.ndarray, random: np.random.Generator
) -> float:
    """Two-sided p-value that targets are exchangeable. Arguments as for `distances`."""
    both, n, m = np.concatenate([x, y]), len(x) + len(y), len(x)
    if is_exact(m, n - m):
        orders = np.array([[*one, *sorted(set(range(n)) - set(one))] for one in itertools.combinations(range(n), m)])
    else:
        drawn = random.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1)
        orders = np.concatenate([[np.arange(n)], drawn])
    # |a - mean|² = a² - 2 a·mean + mean², so only products of words are needed
    products, cross = words[both] @ words[both].T, words[attribute] @ words[both].T
    squares = (words[attribute] ** 2).sum(axis=1)

    def to(chosen: np.ndarray) -> np.ndarray:
        means = np.zeros((len(chosen), n))
        np.put_along_axis(means, chosen, 1 / chosen.shape[1], axis=1)
        lengths = np.einsum("ri,ij,rj->r", means, products, means, optimize=True)
        return np.sqrt(np.maximum(squares - 2 * means @ cross.T + lengths[:, None], 0)).mean(axis=1)

    difference = to(orders[:, :m]) - to(orders[:, m:])
    observed = distances(words, x, y, attribute)
    return float((np.abs(difference) >= abs(observed) - 1e-9).mean())


def sentiment(words: np.ndarray, targets: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n_targets,) the probability of being like B rather than A: of scikit-learn's logistic regression with its
    standard penalty (C = 1). words: (n_words, d), only their products matter."""
    from sklearn.linear_model import LogisticRegression

    both = np.concatenate([a, b])
    # the weights lie among the attributes' vectors: in their own coordinates the fit is the same, and faster
    basis = np.linalg.qr(words[both].T)[0]
    is_b = np.repeat([0, 1], [len(a), len(b)])
    fitted = LogisticRegression(solver="newton-cholesky", tol=1e-8).fit(words[both] @ basis, is_b)
    return fitted.predict_proba(words[targets] @ basis)[:, 1]


def divergence(words: np.ndarray, targets: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """RNSB: KL divergence, in nats, of the targets' probabilities, made to sum to 1, from all being equal. Arguments as
    for `sentiment`."""
    return _divergence(sentiment(words, targets, a, b))


def _divergence(p: np.ndarray) -> float:
    p = p / p.sum()
    return float((p * np.log(p * len(p))).sum())


def rnsb(words: np.ndarray, targets: np.ndarray, a: np.ndarray, b: np.ndarray) -> Mean:
    """RNSB with its jackknife error over targets and attributes. Arguments as for `sentiment`."""

    @functools.cache
    def of_all(a: tuple[int, ...], b: tuple[int, ...]) -> np.ndarray:
        return sentiment(words, np.arange(len(words)), np.array(a), np.array(b))

    def statistic(targets: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        return _divergence(of_all(tuple(a.tolist()), tuple(b.tolist()))[targets])

    return by_leaving_out(statistic, targets, a, b)


def rnsb_at_random(
    words: np.ndarray, targets: np.ndarray, a: np.ndarray, b: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """(DRAWS_RNSB,) RNSB with the attributes permuted over A and B: it is above 0 for any two sets. Arguments as for
    `sentiment`."""
    both, n = np.concatenate([a, b]), len(a)
    dealt = (random.permutation(both) for _ in range(DRAWS_RNSB))
    return np.array([divergence(words, targets, one[:n], one[n:]) for one in dealt])
