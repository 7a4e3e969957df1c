"""Regions in the vectors of words in context: arrays in, arrays out. Zhao et al. (2019; Zhao 2021, Section 3.2) ask how
well gender is predicted from vectors; for regions, and with stereotypes, the metric is Herbarium's own.

`x`, (n_words, n_regions, dimensions), are vectors of a position in sentences that name a region and contain a word, as
the mean over templates: "People in Peru are *wise*."
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from herbarium.statistics.correlation import Strata
from herbarium.statistics.inference import Mean, t_interval
from herbarium.statistics.leaving_out import by_leaving_out

DRAWS, DRAWS_OF_VECTORS = 9_999, 999
FEWEST_ARRANGEMENTS = 20  # with fewer, no p-value could be below .05
_TIE = 1e-9  # smaller differences, relative to what is compared, are rounding
_NEAREST = 1 - 1e-9  # to 1, of correlations, whose Fisher z is to be finite


def effects(x: np.ndarray) -> np.ndarray:
    """The effect of naming a region on each word: its vectors minus their mean over regions, in the shape of x."""
    x = x - x[:, :1]  # if vectors are equal, their mean could differ from them by rounding
    return x - x.mean(axis=1, keepdims=True)


def products(effects: np.ndarray) -> np.ndarray:
    """(n_words, n_words): products of the effects of all regions on two words, for `in_context.common`."""
    flat = effects.reshape(len(effects), -1)
    return flat @ flat.T


def strata_of(groups: np.ndarray) -> np.ndarray:
    """(n,) the number of the stratum of each word or region, within which they are compared and exchanged: its topic or
    continent; one and the same for all if none has two members. groups: (n,)."""
    names, number = np.unique(groups, return_inverse=True)
    return number if len(names) < len(groups) else np.zeros(len(groups), dtype=int)


def without_strata(strata: np.ndarray) -> np.ndarray:
    """(n, n) matrix whose product with values is their difference from the mean of their stratum; 0 for what is alone
    in its own. strata: (n,)."""
    same = strata[:, None] == strata
    return np.eye(len(strata)) - same / same.sum(axis=1)


def arrangements_in_common(topics: np.ndarray, continents: np.ndarray) -> int:
    """The number of different arrangements in `common_p_values`, whose arguments these are."""
    return Strata(continents).arrangements ** int(_moved_together(topics).max())


def _moved_together(topics: np.ndarray) -> np.ndarray:
    """(n_words,) numbers from 0, the same for words whose regions are permuted in the same way."""
    return topics if topics.any() else np.arange(len(topics))


def common_p_values(
    layers: Sequence[np.ndarray], topics: np.ndarray, continents: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """p-values of nothing in common among the effects of regions on words of different topics, in each layer alone and
    among all layers, (n_layers,) each.

    layers: `effects` of each. topics, continents: `strata_of` words and regions. If naming a region has no effect, or a
    different one in each topic, the regions of a continent are exchangeable in each: they are permuted within
    continents, in the same way for all words of a topic (for each word, if there is one topic alone) and in all layers.
    Among all layers the largest share in common is used (Westfall and Young 1993, single step). nan if regions have
    equal vectors, or fewer than FEWEST_ARRANGEMENTS are possible.
    """
    n_regions, places, unit = len(continents), Strata(continents), _moved_together(topics)
    if arrangements_in_common(topics, continents) < FEWEST_ARRANGEMENTS:
        return np.full(len(layers), np.nan), np.full(len(layers), np.nan)
    n_units = int(unit.max()) + 1
    effects = [without_strata(continents) @ layer for layer in layers]
    total = np.array([(effect**2).sum() for effect in effects])
    of_units = [np.stack([effect[unit == one].sum(axis=0) for one in range(n_units)]) for effect in effects]
    alone, rows = np.array([(unit_effects**2).sum() for unit_effects in of_units]), np.arange(n_units)[:, None]

    def shares(dealt: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return (
                np.array([(unit_effects[rows, dealt].sum(axis=0) ** 2).sum() for unit_effects in of_units]) - alone
            ) / total

    observed = shares(np.tile(np.arange(n_regions), (n_units, 1))) - _TIE
    drawn = np.array([shares(places.orders(n_regions, n_units, random)) for _ in range(DRAWS_OF_VECTORS)])
    return _p_values(observed, drawn, total > 0)


def leans(x: np.ndarray) -> np.ndarray:
    """(n_words, n_regions): how much each word leans towards each region, whichever region its sentence names.

    A word's position is the mean of its vectors over regions, relative to that of all words; a region's direction is
    the average effect of naming it, relative to that of all regions. 1 is the mean squared length of these directions.
    The mean over words and that over regions are 0. nan if regions have equal vectors.
    """
    places, directions = x.mean(axis=1), effects(x).mean(axis=0)
    unit = (directions**2).sum(axis=1).mean()
    if not unit:
        return np.full(x.shape[:2], np.nan)
    return (places - places.mean(axis=0)) @ directions.T / unit


def within(table: np.ndarray, topics: np.ndarray, continents: np.ndarray) -> np.ndarray:
    """(..., n_words, n_regions) without the means of words over the regions of a continent, and of regions over the
    words of a topic: how words of a topic differ in how they differ between regions of a continent."""
    return without_strata(topics) @ table @ without_strata(continents)


def agreement(leans: np.ndarray, stereotypes: np.ndarray, topics: np.ndarray, continents: np.ndarray) -> Mean:
    """The correlation of leans with stereotypes, (n_words, n_regions) both, `within` topics and continents; its
    jackknife error over the words of each topic and the regions of each continent. nan if either does not vary.

    topics, continents: `strata_of` words and regions. Those that are alone in theirs say nothing.
    """

    def statistic(words: np.ndarray, regions: np.ndarray) -> float:
        at, strata = np.ix_(words, regions), (topics[words], continents[regions])
        one, other = within(np.stack([leans[at], stereotypes[at]]), *strata)
        return float((one * other).sum() / _length(one, leans) / _length(other, stereotypes))

    words, regions = (np.sort(np.concatenate(Strata(strata).places)) for strata in (topics, continents))
    return by_leaving_out(statistic, words, regions, strata=(topics[words], continents[regions]))


def _length(within: np.ndarray, table: np.ndarray) -> np.ndarray:
    """(...,) the length of tables (..., n_words, n_regions), nan if it is that of rounding. table: before means were
    subtracted."""
    length, whole = (np.sqrt((values**2).sum(axis=(-2, -1))) for values in (within, table))
    return np.where(length > _TIE * whole, length, np.nan)


def agreement_interval(agreement: Mean, level: float) -> tuple[float, float]:
    """Bounds of an `agreement`, between -1 and 1: those of its Fisher z, by Student's t."""
    r = np.clip(agreement.estimate, -_NEAREST, _NEAREST)
    low, high = t_interval(Mean(np.arctanh(r), agreement.variance / (1 - r**2) ** 2, agreement.df), level)
    return float(np.tanh(low)), float(np.tanh(high))


def agreement_p_values(
    layers: np.ndarray,
    stereotypes: np.ndarray,
    topics: np.ndarray,
    continents: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p-values of `agreement` in each layer, alone and among all layers, (n_layers,) each.

    layers: (n_layers, n_words, n_regions) of `leans`. topics, continents: `strata_of` words and regions. If stereotypes
    are unrelated to leans, the stereotypes of words of one topic about all regions are exchangeable, unless some of
    these words are similar; and so are those of regions of one continent with all words, unless some are. So each is
    permuted within its strata (Good 2005, Section 3.6), in the same way in all layers, and the larger of the two
    p-values is returned: it is valid if words or regions are exchangeable within strata. Among all layers the largest
    correlation is used (Westfall and Young 1993, single step). nan if the leans of a layer, or the stereotypes, do not
    vary, or fewer than FEWEST_ARRANGEMENTS of words or of regions are possible.
    """
    sides = Strata(topics), Strata(continents)
    leans, of_pairs = within(layers, topics, continents), within(stereotypes, topics, continents)
    lengths = _length(leans, layers)
    is_known = np.isfinite(lengths * _length(of_pairs, stereotypes))
    is_known &= min(side.arrangements for side in sides) >= FEWEST_ARRANGEMENTS
    of_length_1 = np.zeros(layers.shape)
    of_length_1[is_known] = leans[is_known] / lengths[is_known, None, None]
    by_words = _dealt_out(of_length_1, of_pairs, sides[0], is_known, random)
    by_regions = _dealt_out(of_length_1.transpose(0, 2, 1), of_pairs.T, sides[1], is_known, random)
    return tuple(np.maximum(one, other) for one, other in zip(by_words, by_regions, strict=True))


def _dealt_out(
    layers: np.ndarray, stereotypes: np.ndarray, strata: Strata, is_known: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """p-values by permuting the rows of stereotypes within strata, as in `agreement_p_values`. layers: (n_layers, n, m)
    `within` strata, each of length 1."""
    rows = np.arange(len(stereotypes))
    of_pairs = layers @ stereotypes.T
    dealt = strata.orders(len(rows), DRAWS, random)
    drawn = np.abs([pair_products[rows, dealt].sum(axis=1) for pair_products in of_pairs]).T
    observed = np.abs(np.trace(of_pairs, axis1=1, axis2=2))
    return _p_values(observed * (1 - 1e-9), drawn, is_known)


def _p_values(observed: np.ndarray, drawn: np.ndarray, is_known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """observed: (n_layers,); drawn: (n_draws, n_layers); the data's own arrangement is one of them."""
    n, largest = 1 + len(drawn), np.fmax.reduce(drawn, axis=1)
    counts = 1 + (drawn >= observed).sum(axis=0), 1 + (largest[:, None] >= observed).sum(axis=0)
    return tuple(np.where(is_known, count / n, np.nan) for count in counts)


def folds_of(n: int, folds: int, random: np.random.Generator) -> np.ndarray:
    """(n,): the fold of each thing, in folds of equal size."""
    return random.permutation(np.arange(n) % min(folds, n))


def told(x: np.ndarray, label: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """(n_templates, n): the label by linear discriminants for each sentence, learned from other folds and, if there are
    several templates, from other templates.

    x: (n_templates, n, dimensions). label, fold: (n,). Covariances are shrunk after Ledoit and Wolf (2004).
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # longer to import than most steps take

    predicted = np.empty(x.shape[:2], dtype=label.dtype)
    for template, number in product(range(len(x)), np.unique(fold)):
        others = [other for other in range(len(x)) if other != template] or [template]
        train, test = fold != number, fold == number
        machine = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        machine.fit(np.concatenate(x[others][:, train]), np.tile(label[train], len(others)))
        predicted[template, test] = machine.predict(x[template, test])
    return predicted
