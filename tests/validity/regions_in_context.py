"""Vectors of words in sentences that name regions: what naming one does to all words alike and to each by itself, and
what stereotypes do to words whatever the sentence.

`naming`: how far a region moves all words in its direction, in units of what words vary by; `lean`: how far words stand
in the directions of regions as stereotypes, which are of few dimensions, have it.
"""

import numpy as np
from tests.validity.rates import Rates

from herbarium.metrics.regions_in_context import names, score
from herbarium.statistics import in_context
from herbarium.statistics.inference import t_interval

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS, LAYERS, RANK = 16, 3, 3
DESIGNS = ((12, 8), (40, 12))  # words and regions
EFFECTS = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5))
FOLDS = 5
OWN = 0.5  # standard deviation of what a region does to a single word, and of the noise of a layer


def directions(random, n_regions):
    return random.normal(size=(n_regions, DIMENSIONS))


def study(random, n_words, toward, naming, lean):
    """x, (n_layers, n_words, n_regions, dimensions), and stereotypes. Layers share what words and sentences are by
    themselves. toward: of `directions`."""
    stereotypes = random.normal(size=(n_words, RANK)) @ random.normal(size=(RANK, len(toward))) / np.sqrt(RANK)
    base = random.normal(size=(n_words, 1, DIMENSIONS))
    leaning = lean * (stereotypes @ toward / np.sqrt(len(toward)))[:, None]
    own = OWN * random.normal(size=(n_words, len(toward), DIMENSIONS))
    layered = OWN * random.normal(size=(LAYERS, n_words, len(toward), DIMENSIONS))
    return base + leaning + naming * toward + own + layered, stereotypes


def true_common(toward, naming):
    common = naming**2 * ((toward - toward.mean(axis=0)) ** 2).sum()
    return common / (common + 2 * OWN**2 * DIMENSIONS * (len(toward) - 1))


def rates(n):
    """n: simulated studies of each design."""
    for n_words, n_regions in DESIGNS:
        for naming, lean in EFFECTS:
            yield from of_design(n, n_words, n_regions, naming, lean)


def of_design(n, n_words, n_regions, naming, lean):
    design = f"{n_words} words, {n_regions} regions, naming {naming:g}, lean {lean:g}"
    found, agreements, accuracies = Rates(names.METRIC, design), [], []
    # an accuracy is of these regions, and its interval over words
    fixed = directions(np.random.default_rng(n_regions), n_regions)
    for seed in range(n):
        random = np.random.default_rng([n_words, seed])
        toward = directions(random, n_regions)
        x, stereotypes = study(random, n_words, toward, naming, lean)
        leans = np.stack([score.leans(layer) for layer in x])
        _, adjusted = score.agreement_p_values(leans, stereotypes, random)
        found.add("power" if lean else "type I error", names.AGREEMENT, adjusted.min() <= ALPHA)
        agreements.append(score.agreement(leans[0], stereotypes))
        effects = [score.effects(layer) for layer in x]
        _, adjusted = score.common_p_values(effects, random)
        found.add("power" if naming else "type I error", names.COMMON, adjusted.min() <= ALPHA)
        low, high = t_interval(in_context.common(score.products(effects[0])), LEVEL)
        found.add("coverage", names.COMMON, low <= true_common(toward, naming) <= high)
        x, _ = study(random, n_words, fixed, naming, lean)
        accuracies.append(accuracy(x[0], random))
    expected = 0.0 if not lean else np.mean([of.estimate for of in agreements])
    for variant, expected, means in (
        (names.AGREEMENT, expected, agreements),
        (names.ACCURACY, np.mean([of.estimate for of in accuracies]), accuracies),
    ):
        for of in means:
            low, high = t_interval(of, LEVEL)
            found.add("coverage", variant, low <= expected <= high)
    return found.rows()


def accuracy(x, random):
    """With words held out."""
    n_words, n_regions, _ = x.shape
    word, region = np.repeat(np.arange(n_words), n_regions), np.tile(np.arange(n_regions), n_words)
    fold = score.folds_of(n_words, FOLDS, random)[word]
    told = score.told(x.reshape(1, -1, DIMENSIONS), region, fold)
    return in_context.of_told((told[0] == region).astype(float), word, FOLDS)
