"""Vectors of words in pairs of sentences: what gender does to all words alike and to each by itself, and what
stereotypes do to words whatever the sentence.

`gender`: how far the sentence moves a word along the shared direction, in units of what words and sentences vary by;
`lean`: how far words of two stereotypes are apart along it.
"""

import numpy as np
from tests.validity.rates import Rates

from herbarium.metrics.gender_in_context import names, score
from herbarium.statistics import in_context
from herbarium.statistics.inference import percentile_interval, t_interval, t_p_value
from herbarium.statistics.leaving_out import added, spread

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS, LAYERS = 16, 3
DESIGNS = ((8, 4), (20, 8), (40, 10))  # words, and pairs of each
EFFECTS = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0))
NU, FOLDS = (0.3, 0.6, 0.9), 5
SLOPE, OWN, NOISE, SENTENCE = 0.5, 0.3, 0.5, 0.7  # standard deviations
DRAWS = 400  # of a bootstrap


def study(random, n_words, n_pairs, gender, lean):
    """x, y, (n, layers, dimensions), words and which words lean to the first side. Layers share their words' noise."""
    word = np.repeat(np.arange(n_words), n_pairs)
    is_first = random.permutation(np.arange(n_words) % 2 == 0)
    along = np.eye(DIMENSIONS)[0]
    shape = n_words, LAYERS, DIMENSIONS

    def layered(size, sd):
        common = random.normal(size=(size, 1, DIMENSIONS))
        return sd * (common + random.normal(size=(size, LAYERS, DIMENSIONS))) / np.sqrt(2)

    base = layered(n_words, 1.0) + np.where(is_first, lean / 2, -lean / 2)[:, None, None] * along
    slope = gender * (1 + SLOPE * random.normal(size=n_words))
    moved = np.broadcast_to(slope[:, None, None] * along, shape) + layered(n_words, OWN)
    middle = base[word] + layered(len(word), SENTENCE)
    x, y = (middle + sign * moved[word] / 2 + layered(len(word), NOISE) for sign in (1, -1))
    return x, y, word, is_first


def true_common(n_pairs, gender):
    own = gender**2 * (1 + SLOPE**2) + DIMENSIONS * (OWN**2 + 2 * NOISE**2 / n_pairs)
    return gender**2 / own


def true_first(gender):
    """The largest eigenvalue of what differences of new words and pairs vary by, over the sum of all."""
    along, each = gender**2 * (1 + SLOPE**2), OWN**2 + 2 * NOISE**2
    return (along + each) / (along + DIMENSIONS * each)


def rates(n):
    """n: simulated studies of each design."""
    for n_words, n_pairs in DESIGNS:
        for gender, lean in EFFECTS:
            yield from of_design(n, n_words, n_pairs, gender, lean)
            if gender:
                yield from of_change(n, n_words, n_pairs, gender, lean)
    for n_words, n_pairs in DESIGNS:
        for gender in (0.0, 0.5, 1.0):
            yield from of_first_component(n, n_words, n_pairs, gender)


def of_design(n, n_words, n_pairs, gender, lean):
    found = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}, lean {lean:g}")
    of_accuracy = []
    for seed in range(n):
        random = np.random.default_rng([n_words, seed])
        x, y, word, is_first = study(random, n_words, n_pairs, gender, lean)
        layers = [(x[:, layer], y[:, layer]) for layer in range(LAYERS)]
        if gender:  # what stereotypes do is measured in units of it
            position = np.stack([score.positions(*layer, word)[1] for layer in layers])
            _, adjusted = score.p_values(position, is_first, random)
            what = "power" if lean else "type I error"
            found.add(what, names.DIFFERENCE, adjusted.min() <= ALPHA)
            low, high = t_interval(score.difference(position[0], is_first), LEVEL)
            found.add("coverage", names.DIFFERENCE, low <= lean / gender <= high)
        products = np.stack([score.by_word(one - other, word) for one, other in layers])
        _, adjusted = score.flip_p_values(products, random)
        found.add("power" if gender else "type I error", names.COMMON, adjusted.min() <= ALPHA)
        low, high = t_interval(in_context.common(products[0]), LEVEL)
        found.add("coverage", names.COMMON, low <= true_common(n_pairs, gender) <= high)
        of_accuracy.append(told(x[:, 0], y[:, 0], word, seed))
    expected = np.mean([accuracy.estimate for accuracy, _ in of_accuracy])
    for accuracy, gap in of_accuracy:
        low, high = t_interval(accuracy, LEVEL)
        found.add("coverage", names.ACCURACY, low <= expected <= high)
        found.add("type I error", names.GAP, t_p_value(gap) <= ALPHA)
        low, high = t_interval(gap, LEVEL)
        found.add("coverage", names.GAP, low <= 0 <= high)
    return found.rows()


def of_change(n, n_words, n_pairs, gender, lean):
    """The stereotype difference in a second source, in which the words of the first lean as far to the same side and
    stand elsewhere, less that in the first; and where in the second no word leans."""
    found = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}, lean {lean:g}")
    kept, lost = f"{names.DIFFERENCE}_change", f"{names.DIFFERENCE}_change to 0"
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 1])
        x, y, word, is_first = study(random, n_words, n_pairs, gender, lean)
        before = score.positions(x[:, 0], y[:, 0], word)[1]
        for what, in_second in ((kept, lean), (lost, 0.0)) if lean else ((kept, lean),):
            x, y, _, side = study(random, n_words, n_pairs, gender, in_second)
            after = np.empty(n_words)  # words of either side are alike: any may be the same one in both
            of_second = score.positions(x[:, 0], y[:, 0], word)[1]
            after[is_first], after[~is_first] = of_second[side], of_second[~side]
            change = score.difference(after - before, is_first)
            low, high = t_interval(change, LEVEL)
            true = (in_second - lean) / gender
            found.add("coverage", what, low <= true <= high)
            found.add("power" if true else "type I error", what, t_p_value(change) <= ALPHA)
    return found.rows()


def of_first_component(n, n_words, n_pairs, gender):
    """Intervals that the share along the first principal direction could have, over words, and why it has none."""
    found = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}")
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 2])
        x, y, word, _ = study(random, n_words, n_pairs, gender, 0.0)
        difference = (x - y)[:, 0]
        for name, (low, high) in intervals(difference, word, random).items():
            found.add("coverage, not advised", f"{names.FIRST}, {name}", low <= true_first(gender) <= high)
    return found.rows()


def intervals(difference, word, random):
    """Of `score.explained`, its first share, by name: bootstraps over words, and the jackknife with its correction of
    the bias (Quenouille 1956)."""
    squares = np.stack([difference[word == one].T @ difference[word == one] for one in np.unique(word)])
    n, own, without = len(squares), score.explained(difference, 1)[0], first_share(squares.sum(axis=0) - squares)
    jackknife = added(float(n * own - (n - 1) * without.mean()), spread(without))
    drawn = random.multinomial(n, np.full(n, 1 / n), size=DRAWS)
    low, high = percentile_interval(first_share(np.tensordot(drawn, squares, axes=1)), LEVEL)
    return {
        "percentile bootstrap": (low, high),
        "basic bootstrap": (2 * own - high, 2 * own - low),
        "jackknife": t_interval(jackknife, LEVEL),
    }


def first_share(squares):
    """Of sums of squares and products, (..., d, d), the share along their first principal direction."""
    return np.linalg.eigvalsh(squares)[..., -1] / np.trace(squares, axis1=-2, axis2=-1)


def told(x, y, word, seed):
    """Accuracy and gap of the linear classifier with words held out."""
    products = score.kernel(np.concatenate([x, y]), names.LINEAR)
    found = score.told(products, np.repeat([0, 1], len(word)), word, NU, FOLDS, seed)
    first, second = found.is_right.T.astype(float)
    return tuple(in_context.of_told(values, word, FOLDS) for values in ((first + second) / 2, first - second))
