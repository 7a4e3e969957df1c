"""Vectors of words in sentences that name regions: what naming one does to all words alike and to each by itself, and
what stereotypes do to words whatever the sentence.

`naming`: how far a region moves all words in its direction, in units of what words vary by; `lean`: how far words stand
in the directions of regions as stereotypes, which are of few dimensions, have it. Words that are alike, and regions,
come in groups that have part of their variance in common: in their vectors, and, with no lean between the two, in their
stereotypes; and, for the share in common, in what a region does to a word by itself. The groups are topics and
continents, which the numbers are told of, or are not told: words of a topic may be synonyms.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.regions_in_context import names, score
from herbarium.statistics import in_context
from herbarium.statistics.inference import t_interval

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS, LAYERS, RANK = 16, 3, 3
DESIGNS = ((12, 8), (40, 12))  # words and regions
EFFECTS = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5))
# Lean, and what words and regions have in common with others of their group of four; all of naming 0.5.
ALIKE = ((0.0, 0.5, 0.0), (0.0, 0.0, 0.5), (0.0, 0.5, 0.5), (0.5, 0.5, 0.5))
# Words, regions, topics, continents, and what those of one have in common.
TOLD = ((12, 8, 3, 2, 0.5), (40, 12, 10, 3, 0.5), (16, 16, 4, 4, 0.8), (40, 16, 4, 4, 0.8))
NAMING = 0.5
GROUP = 4
FOLDS = 5
OWN = 0.5  # standard deviation of what a region does to a single word, and of the noise of a layer


def drawn(random, n, dimensions, alike=0.0, n_groups=None):
    """(n, dimensions) of variance 1, of which things have the share `alike` in common with others of their group."""
    n_groups = n_groups or n // GROUP
    of_group = random.normal(size=(n_groups, dimensions))[np.arange(n) % n_groups]
    return np.sqrt(alike) * of_group + np.sqrt(1 - alike) * random.normal(size=(n, dimensions))


def study(random, n_words, toward, naming, lean, alike=(0.0, 0.0), groups=(None, None)):
    """x, (n_layers, n_words, n_regions, dimensions), and stereotypes. Layers share what words and sentences are by
    themselves. toward: of `drawn`, (n_regions, dimensions). alike, groups: of words, and of regions."""
    n_regions, (words, regions), (topics, continents) = len(toward), alike, groups
    of_regions = drawn(random, n_regions, RANK, regions, continents)
    stereotypes = drawn(random, n_words, RANK, words, topics) @ of_regions.T / np.sqrt(RANK)
    base = drawn(random, n_words, DIMENSIONS, words, topics)[:, None]
    leaning = lean * (stereotypes @ toward / np.sqrt(n_regions))[:, None]
    noise = OWN * random.normal(size=(n_words, n_regions, DIMENSIONS))
    layered = OWN * random.normal(size=(LAYERS, n_words, n_regions, DIMENSIONS))
    return base + leaning + naming * toward + noise + layered, stereotypes


def true_common(toward, naming):
    common = naming**2 * ((toward - toward.mean(axis=0)) ** 2).sum()
    return common / (common + 2 * OWN**2 * DIMENSIONS * (len(toward) - 1))


def rates(n):
    """n: simulated studies of each design."""
    for n_words, n_regions in DESIGNS:
        for naming, lean in EFFECTS:
            yield from of_design(n, n_words, n_regions, naming, lean)
        for lean, *alike in ALIKE:
            yield from of_groups(n, n_words, n_regions, lean, alike)
    for design in TOLD:
        for lean in (0.0, 0.5):
            yield from of_topics(n, *design, lean)
        yield from of_own_effects(n, *design)


def of_design(n, n_words, n_regions, naming, lean):
    design = f"{n_words} words, {n_regions} regions, naming {naming:g}, lean {lean:g}"
    tally, agreements, accuracies = Rates(names.METRIC, design), [], []
    strata = np.zeros(n_words, int), np.zeros(n_regions, int)
    # an accuracy is of these regions, and its interval over words
    fixed = drawn(np.random.default_rng(n_regions), n_regions, DIMENSIONS)
    for seed in range(n):
        random = np.random.default_rng([n_words, seed])
        toward = drawn(random, n_regions, DIMENSIONS)
        x, stereotypes = study(random, n_words, toward, naming, lean)
        agreements.append(agreement(tally, x, stereotypes, strata, lean, random))
        if lean:  # the share in common does not depend on it, and accuracy little
            continue
        effects = [score.effects(layer) for layer in x]
        _, adjusted = score.common_p_values(effects, *strata, random)
        tally.add("power" if naming else "type I error", names.COMMON, adjusted.min() <= ALPHA)
        low, high = t_interval(in_context.common(score.products(effects[0])), LEVEL)
        tally.add("coverage", names.COMMON, low <= true_common(toward, naming) <= high)
        x, _ = study(random, n_words, fixed, naming, lean)
        accuracies.append(accuracy(x[0], random))
    cover(tally, names.AGREEMENT, agreements, None if lean else 0.0)
    if accuracies:
        cover(tally, names.ACCURACY, accuracies)
    return tally.rows()


def of_groups(n, n_words, n_regions, lean, alike):
    """Agreement alone, where words or regions resemble each other, and it is not said which."""
    what = " and ".join(name for name, region in zip(("words", "regions"), alike, strict=True) if region)
    tally = Rates(names.METRIC, f"{n_words} words, {n_regions} regions, naming {NAMING:g}, lean {lean:g}, {what} alike")
    strata, agreements = (np.zeros(n_words, int), np.zeros(n_regions, int)), []
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 1])
        toward = drawn(random, n_regions, DIMENSIONS, alike[1])
        x, stereotypes = study(random, n_words, toward, NAMING, lean, alike)
        agreements.append(agreement(tally, x, stereotypes, strata, lean, random))
    cover(tally, names.AGREEMENT, agreements, None if lean else 0.0)
    return tally.rows()


def told(n_words, n_regions, n_topics, n_continents, alike):
    """The name of a design in which words of a topic and regions of a continent are alike, and these strata."""
    design = f"{n_words} words of {n_topics} topics, {n_regions} regions of {n_continents} continents, {alike:g} alike"
    return design, (np.arange(n_words) % n_topics, np.arange(n_regions) % n_continents)


def of_topics(n, n_words, n_regions, n_topics, n_continents, alike, lean):
    """Agreement alone, within topics and continents; and, not printed, over all words and regions."""
    design, strata = told(n_words, n_regions, n_topics, n_continents, alike)
    tally, agreements = Rates(names.METRIC, f"{design}, naming {NAMING:g}, lean {lean:g}"), []
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 2])
        toward = drawn(random, n_regions, DIMENSIONS, alike, n_continents)
        x, stereotypes = study(random, n_words, toward, NAMING, lean, (alike, alike), (n_topics, n_continents))
        agreements.append(agreement(tally, x, stereotypes, strata, lean, random))
        if not lean:
            leans, all_alike = (
                np.stack([score.leans(layer) for layer in x]),
                [np.zeros(length, int) for length in stereotypes.shape],
            )
            _, adjusted = score.agreement_p_values(leans, stereotypes, *all_alike, random)
            tally.add("type I error, withdrawn", f"{names.AGREEMENT} over all", adjusted.min() <= ALPHA)
    cover(tally, names.AGREEMENT, agreements, None if lean else 0.0)
    return tally.rows()


def of_own_effects(n, n_words, n_regions, n_topics, n_continents, alike):
    """The share in common, where a region moves each word by itself, but words of a topic and regions of a continent
    alike; and, not printed, with regions exchanged freely for each word."""
    design, strata = told(n_words, n_regions, n_topics, n_continents, alike)
    tally = Rates(names.METRIC, f"{design}, own effects of topics and continents")
    for seed in range(n):
        random = np.random.default_rng([n_words, seed, 3])
        of_topics = random.normal(size=(n_topics, n_continents, DIMENSIONS))[strata[0]][:, strata[1]]
        of_regions = random.normal(size=(n_topics, n_regions, DIMENSIONS))[strata[0]]
        noise = random.normal(size=(n_words, n_regions, DIMENSIONS))
        moved = OWN * (np.sqrt(alike / 2) * (of_topics + of_regions) + np.sqrt(1 - alike) * noise)
        layered = OWN * random.normal(size=(LAYERS, n_words, n_regions, DIMENSIONS))
        effects = [score.effects(layer) for layer in moved + layered]
        for what, variant, groups in (
            ("type I error", names.COMMON, strata),
            (
                "type I error, withdrawn",
                f"{names.COMMON} over all",
                [np.zeros_like(strata_of_axis) for strata_of_axis in strata],
            ),
        ):
            _, adjusted = score.common_p_values(effects, *groups, random)
            tally.add(what, variant, adjusted.min() <= ALPHA)
    return tally.rows()


def agreement(tally, x, stereotypes, strata, lean, random):
    """In the first layer; tested in all."""
    leans = np.stack([score.leans(layer) for layer in x])
    _, adjusted = score.agreement_p_values(leans, stereotypes, *strata, random)
    tally.add("power" if lean else "type I error", names.AGREEMENT, adjusted.min() <= ALPHA)
    return score.agreement(leans[0], stereotypes, *strata)


def cover(tally, variant, means, expected=None):
    """expected: the mean of what was found where no equation says it."""
    expected = np.mean([mean.estimate for mean in means]) if expected is None else expected
    interval = score.agreement_interval if variant == names.AGREEMENT else t_interval
    for mean in means:
        low, high = interval(mean, LEVEL)
        tally.add("coverage", variant, low <= expected <= high)


def accuracy(x, random):
    """With words held out."""
    n_words, n_regions, _ = x.shape
    word, region = np.repeat(np.arange(n_words), n_regions), np.tile(np.arange(n_regions), n_words)
    fold = score.folds_of(n_words, FOLDS, random)[word]
    predicted = score.told(x.reshape(1, -1, DIMENSIONS), region, fold)
    return in_context.of_told((predicted[0] == region).astype(float), word, FOLDS)
