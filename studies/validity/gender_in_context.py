"""Vectors of words in pairs of sentences: what gender does to all words alike and to each by itself, and what
stereotypes do to words whatever the sentence.

`gender`: how far the sentence moves a word along the shared direction, in units of what words and sentences vary by;
`lean`: how far words of two stereotypes are apart along it.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.gender_in_context import crossed, names, score
from herbarium.statistics import in_context
from herbarium.statistics.inference import percentile_interval, t_interval, t_p_value
from herbarium.statistics.leaving_out import added, spread

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS, LAYERS = 16, 3
# Dimensions, whether all noise together is that of 16 dimensions or that of each dimension is, gender and lean.
HIGH = (
    (64, False, 1.0, 1.0),
    *((dimensions, False, 1.0, lean) for dimensions in (256, 768) for lean in (0.0, 1.0)),
    (768, False, 0.5, 0.5),
    *((768, True, 0.5, lean) for lean in (0.0, 0.5)),
    *((dimensions, True, 0.25, 0.25) for dimensions in (64, 768)),
)
DESIGNS = ((8, 4), (20, 8), (40, 10))  # words, and pairs of each
EFFECTS = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0))
NU, FOLDS = (0.3, 0.6, 0.9), 5
SLOPE, OWN, NOISE, SENTENCE = 0.5, 0.3, 0.5, 0.7  # standard deviations
DRAWS = 400  # of a bootstrap
# Where fewer studies than this share have a number, the rates of those that do are left out: they say little.
LEAST_GIVEN = 0.5


def study(random, n_words, n_pairs, gender, lean, dimensions=DIMENSIONS, noise=1.0, averaged=1):
    """x, y, (n, layers, dimensions), words and which words lean to the first side. Layers share half of their words'
    noise. noise: what all standard deviations are multiplied by, but that of the effect of gender on a word. averaged:
    the number of pairs of which each is the mean."""
    word = np.repeat(np.arange(n_words), n_pairs)
    is_first = random.permutation(np.arange(n_words) % 2 == 0)
    along = np.eye(dimensions)[0]
    shape = n_words, LAYERS, dimensions

    def layered(size, sd):
        common = random.normal(size=(size, 1, dimensions))
        return noise * sd * (common + random.normal(size=(size, LAYERS, dimensions))) / np.sqrt(2)

    base = layered(n_words, 1.0) + np.where(is_first, lean / 2, -lean / 2)[:, None, None] * along
    slope = gender * (1 + SLOPE * random.normal(size=n_words))
    moved = np.broadcast_to(slope[:, None, None] * along, shape) + layered(n_words, OWN)
    middle = base[word] + layered(len(word), SENTENCE / np.sqrt(averaged))
    x, y = (middle + sign * moved[word] / 2 + layered(len(word), NOISE / np.sqrt(averaged)) for sign in (1, -1))
    return x, y, word, is_first


def true_common(n_pairs, gender, dimensions=DIMENSIONS, noise=1.0):
    variance = gender**2 * (1 + SLOPE**2) + dimensions * noise**2 * (OWN**2 + 2 * NOISE**2 / n_pairs)
    return gender**2 / variance


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
        for dimensions, is_total, gender, lean in HIGH:
            yield from of_high(n, n_words, n_pairs, gender, lean, dimensions, is_total)
    for n_words, n_pairs in DESIGNS:
        for gender in (0.0, 0.5, 1.0):
            yield from of_first_component(n, n_words, n_pairs, gender)


def often(rows, n):
    return [row for row in rows if row["studies"] >= LEAST_GIVEN * n]


def of_design(n, n_words, n_pairs, gender, lean):
    tally = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}, lean {lean:g}")
    of_accuracy = []
    for seed in range(n):
        random = np.random.default_rng([n_words, seed])
        x, y, word, is_first = study(random, n_words, n_pairs, gender, lean)
        products = products_of(x, y, word)
        add_coverage(tally, products, is_first, gender, lean, true_common(n_pairs, gender))
        add_tests(tally, products, is_first, random, gender, lean)
        of_accuracy.append(told(x[:, 0], y[:, 0], word, seed))
    expected = np.mean([accuracy.estimate for accuracy, _ in of_accuracy])
    for accuracy, gap in of_accuracy:
        low, high = t_interval(accuracy, LEVEL)
        tally.add("coverage", names.ACCURACY, low <= expected <= high)
        tally.add("type I error", names.GAP, t_p_value(gap) <= ALPHA)
        low, high = t_interval(gap, LEVEL)
        tally.add("coverage", names.GAP, low <= 0 <= high)
    return often(tally.rows(), n)


def products_of(x, y, word):
    return [crossed.products(x[:, layer], y[:, layer], word) for layer in range(LAYERS)]


def add_coverage(tally, products, is_first, gender, lean, common):
    """Intervals in the first layer. Without gender there is nothing that the stereotype difference could be measured
    in: then, how often it is nevertheless."""
    in_units = crossed.in_units(products[0])
    difference = crossed.difference(in_units, crossed.Kinds(is_first, ~is_first))
    has_unit = np.isfinite(difference.estimate)
    tally.add("has a number", names.DIFFERENCE, has_unit)
    if has_unit and gender:
        low, high = t_interval(difference, LEVEL)
        tally.add("coverage", names.DIFFERENCE, low <= lean / gender <= high)
    low, high = t_interval(in_context.common(products[0].alike), LEVEL)
    tally.add("coverage", names.COMMON, low <= common <= high)


def add_tests(tally, products, is_first, random, gender, lean):
    """Tests among all layers; of stereotypes, among those that have a unit."""
    position = np.stack([crossed.positions(crossed.in_units(product).along) for product in products])
    has = np.isfinite(position).all(axis=1)
    if has.any():
        _, adjusted = score.p_values(position[has], is_first, random)
        tally.add("power" if lean else "type I error", names.DIFFERENCE, adjusted.min() <= ALPHA)
    _, adjusted = score.flip_p_values(np.stack([product.alike for product in products]), random)
    tally.add("power" if gender else "type I error", names.COMMON, adjusted.min() <= ALPHA)


def of_high(n, n_words, n_pairs, gender, lean, dimensions, is_total):
    """In more dimensions. Each word has one pair, whose noise is that of the mean of its pairs."""
    noise = np.sqrt(DIMENSIONS / dimensions) if is_total else 1.0
    of_noise = f"{dimensions} dimensions with the noise of {DIMENSIONS}" if is_total else f"{dimensions} dimensions"
    design = f"{n_words} words of {n_pairs} pairs, {of_noise}, gender {gender:g}, lean {lean:g}"
    tally = Rates("gender_in_context", design)
    common = true_common(n_pairs, gender, dimensions, noise)
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 3])
        x, y, word, is_first = study(random, n_words, 1, gender, lean, dimensions, noise, averaged=n_pairs)
        products = products_of(x, y, word)
        add_coverage(tally, products, is_first, gender, lean, common)
        if not lean:
            add_tests(tally, products, is_first, random, gender, lean)
        add_changes(tally, x, y, word, is_first, gender, lean)
    return often(tally.rows(), n)


def of_change(n, n_words, n_pairs, gender, lean):
    """Changes from one source to another: two layers, which share half of their noise."""
    tally = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}, lean {lean:g}")
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 1])
        add_changes(tally, *study(random, n_words, n_pairs, gender, lean), gender, lean)
    return often(tally.rows(), n)


def add_changes(tally, x, y, word, is_first, gender, lean):
    """The stereotype difference in the second layer less that in the first, with the lean of both; and without that of
    the second."""
    kinds, kept = crossed.Kinds(is_first, ~is_first), f"{names.DIFFERENCE}_change"
    before = crossed.in_units(crossed.products(x[:, 0], y[:, 0], word))
    lost = np.where(is_first, lean / 2, -lean / 2)[word, None] * np.eye(x.shape[-1])[0]
    for what, leaving in ((kept, 0.0), (f"{kept} to 0", lost)) if lean else ((kept, 0.0),):
        after = crossed.in_units(crossed.products(x[:, 1] - leaving, y[:, 1] - leaving, word))
        change = crossed.change(before, after, kinds)
        if np.isfinite(change.estimate):
            true = 0.0 if what == kept else -lean / gender
            low, high = t_interval(change, LEVEL)
            tally.add("coverage", what, low <= true <= high)
            tally.add("power" if true else "type I error", what, t_p_value(change) <= ALPHA)


def of_first_component(n, n_words, n_pairs, gender):
    """Intervals that the share along the first principal direction could have, over words, and why it has none."""
    tally = Rates("gender_in_context", f"{n_words} words of {n_pairs} pairs, gender {gender:g}")
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 2])
        x, y, word, _ = study(random, n_words, n_pairs, gender, 0.0)
        difference = (x - y)[:, 0]
        for name, (low, high) in intervals(difference, word, random).items():
            tally.add("coverage, not advised", f"{names.FIRST}, {name}", low <= true_first(gender) <= high)
    return tally.rows()


def intervals(difference, word, random):
    """Of `score.explained`, its first share, by name: bootstraps over words, and the jackknife with its correction of
    the bias (Quenouille 1956)."""
    squares = np.stack([difference[word == one].T @ difference[word == one] for one in np.unique(word)])
    n, share, without = len(squares), score.explained(difference, 1)[0], first_share(squares.sum(axis=0) - squares)
    jackknife = added(float(n * share - (n - 1) * without.mean()), spread(without))
    drawn = random.multinomial(n, np.full(n, 1 / n), size=DRAWS)
    low, high = percentile_interval(first_share(np.tensordot(drawn, squares, axes=1)), LEVEL)
    return {
        "percentile bootstrap": (low, high),
        "basic bootstrap": (2 * share - high, 2 * share - low),
        "jackknife": t_interval(jackknife, LEVEL),
    }


def first_share(squares):
    """Of sums of squares and products, (..., d, d), the share along their first principal direction."""
    return np.linalg.eigvalsh(squares)[..., -1] / np.trace(squares, axis1=-2, axis2=-1)


def told(x, y, word, seed):
    """Accuracy and gap of the linear classifier with words held out."""
    products = score.kernel(np.concatenate([x, y]), names.LINEAR)
    result = score.told(products, np.repeat([0, 1], len(word)), word, NU, FOLDS, seed)
    first, second = result.is_right.T.astype(float)
    return tuple(in_context.of_told(values, word, FOLDS) for values in ((first + second) / 2, first - second))
