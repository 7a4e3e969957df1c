"""The crossed distance: how differently a model describes the regions below the root, with expectation 0 without bias.

HERB's distances cannot be negative, so the effect of names on f(S) adds to them: without bias, the score is above 0.
Here each distance is measured twice, by two sets of names that have nothing in common, and the two are multiplied: what
belongs to a single name cancels. It is the cross-validated distance of representational similarity analysis (Walther et
al. 2016, NeuroImage 137). Its independent measurements are runs; here they are names of the sub-regions of a region,
such as the countries of a continent. Templates would not work: the effect of a name is the same in all of them.

For two regions A and B, D² is the mean over descriptions of (y_a - y_b)(y_a' - y_b'). The names a and a' lie in A, b
and b' in B. a and b have the same number of tokens, and so do a' and b', so that the effect of that number cancels as
well. No name of the first factor shares a word with one of the second. y is f(S) (Eq. 1) of a name and a description,
minus the mean of the name over all descriptions with the same number of tokens. So the expectation of D² is the squared
distance between what A's names have in common and what B's have: 0 if names are no more similar within regions than
across.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from herbarium.metrics.herb.likelihoods import frame
from herbarium.regions import levels
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.items import items
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION, VARIANT = "herb_crossed", "crossed", "D2"
# The fewest names with the same number of tokens, on either side, that are compared.
FEWEST = 2


@dataclass(frozen=True)
class Distance:
    """A crossed distance, in squared natural log-probability per token.

    words: (n_forms, n_words), whose plain mean is the distance. influence: (n_units,) the contribution of each unit to
    its error. noise: its variance without bias. freedom: degrees of freedom of the interval's t.
    """

    words: np.ndarray
    influence: np.ndarray
    noise: float
    freedom: int

    @property
    def estimate(self) -> float:
        return float(self.words.mean())

    @property
    def slope(self) -> float:
        """The slope of the variance over the true distance, at least 0."""
        linear = (self.influence**2).sum() - 2 * self.noise
        return max(linear / self.estimate, 0.0) if self.estimate > 0 else 0.0

    @property
    def std_error(self) -> float:
        return float(np.sqrt(self.noise + self.slope * max(self.estimate, 0.0)))

    def interval(self, level: float) -> tuple[float, float]:
        """The true distances that are compatible with the estimate, given their own standard error.

        Like Wilson's interval of a share: the variance is that at the true value, noise + slope · max(distance, 0), not
        at the estimate, as the two are correlated. Both bounds may lie below 0.
        """
        z2 = stdtrit(self.freedom, (1 + level) / 2) ** 2
        middle = self.estimate + z2 * self.slope / 2
        half = np.sqrt(max(middle**2 - self.estimate**2 + z2 * self.noise, 0.0))
        flat = np.sqrt(z2 * self.noise)  # the half width if the true distance is not above 0
        low, high = middle - half, middle + half
        return (
            float(low if self.estimate > flat else self.estimate - flat),
            float(high if self.estimate > -flat else self.estimate + flat),
        )


def units(names: Sequence[str]) -> np.ndarray:
    """(n,) numbers of the sets of names, where any two with a word in common are in one set, directly or through
    others. The names of one set are one measurement."""
    words = [words_of(name) for name in names]
    column = {word: place for place, word in enumerate(sorted(set().union(*words)))}
    has = np.zeros((len(names), len(column)), dtype=int)
    for row, of_name in enumerate(words):
        has[row, [column[word] for word in of_name]] = 1
    return connected_components(has @ has.T + np.eye(len(names)))[1]


def words_of(name: str) -> frozenset[str]:
    """The words of a name, by which names are distinguished."""
    return frozenset(re.findall(r"\w+", name.casefold()))


def contrast(a: np.ndarray, b: np.ndarray, kind: np.ndarray, unit: np.ndarray) -> np.ndarray | None:
    """W (n, n), such that the sum of W_ij y_i y_j is D² of one description between two regions.

    a, b: rows of the names of each. kind: (n,) what two names must have in common to be compared: their number of
    tokens. unit: (n,) of `units`. None if no two names can be compared twice.

    For each kind k the difference of the regions is estimated from all names; the kinds are weighted by precision,
    1/(1/n_a + 1/n_b). In the product of two such differences, for k and l, each of the four terms is the mean over the
    pairs of names of two different units, so whatever belongs to a kind cancels.
    """
    n_of = {k: ((kind[a] == k).sum(), (kind[b] == k).sum()) for k in np.unique(kind[a])}
    precision = {k: 1 / (1 / n_a + 1 / n_b) for k, (n_a, n_b) in n_of.items() if min(n_a, n_b) >= FEWEST}
    apart = unit[:, None] != unit
    weights, total = np.zeros(apart.shape), 0.0
    for k, other in product(precision, precision):
        cells = [
            (sign, np.ix_(x[kind[x] == k], y[kind[y] == other]))
            for x, y, sign in ((a, a, 1), (a, b, -1), (b, a, -1), (b, b, 1))
        ]
        if all(apart[cell].any() for _, cell in cells):
            share = precision[k] * precision[other]
            total += share
            for sign, cell in cells:
                weights[cell] += sign * share * apart[cell] / apart[cell].sum()
    return weights / total if total else None


def contrasts(group: np.ndarray, kind: np.ndarray, unit: np.ndarray) -> Iterator[tuple[int, np.ndarray | None]]:
    """W of each region below the root, the mean over its pairs with others; last, at index -1, that of the root: over
    all pairs.

    group: (n,) the region of each name, numbered from 0. kind, unit: as for `contrast`.
    """
    rows = [np.flatnonzero(group == number) for number in range(group.max() + 1)]
    of_root, n_pairs = 0.0, 0
    for number, a in enumerate(rows):
        pairs = [contrast(a, b, kind, unit) for other, b in enumerate(rows) if other != number]
        pairs = [weights for weights in pairs if weights is not None]
        of_root, n_pairs = of_root + sum(pairs), n_pairs + len(pairs)
        yield number, sum(pairs) / len(pairs) if pairs else None
    yield -1, of_root / n_pairs if n_pairs else None


def profiles(f: np.ndarray, n_tokens: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """y: f minus a name's mean over the descriptions with the same number of tokens, then minus that of its kind.

    The former removes how likely a name makes any sentence of that length; the latter cancels in D², except for its
    error. f: (n_forms, n_names, n_descriptions) f(S) of Eq. 1. n_tokens: (n_forms, n_descriptions) for the sentences of
    one name. kind: (n_names,).
    """
    y = f.copy()
    for form, of_form in zip(y, n_tokens, strict=True):
        for n in np.unique(of_form):
            form[:, of_form == n] -= form[:, of_form == n].mean(axis=1, keepdims=True)
    for k in np.unique(kind):
        y[:, kind == k] -= y[:, kind == k].mean(axis=1, keepdims=True)
    return y


def residuals(y: np.ndarray, group: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """A name's own part: y minus what it shares with its region and its kind (least squares), over √(1 - leverage), so
    that it has the variance of the error (HC2, MacKinnon and White 1985); 0 for the only name of its kind."""
    factors = group, np.unique(kind, return_inverse=True)[1]
    design = np.concatenate([np.eye(factor.max() + 1)[factor] for factor in factors], axis=1)
    hat = design @ np.linalg.pinv(design)
    rest = 1 - hat.diagonal()
    alone = rest < 1e-9
    return (y - hat @ y) * np.where(alone, 0, 1 / np.sqrt(np.where(alone, 1, rest)))[:, None]


def distance(y: np.ndarray, residual: np.ndarray, weights: np.ndarray, unit: np.ndarray, own: np.ndarray) -> Distance:
    """D² of `weights`, with the inputs of its interval.

    y, residual: (n_forms, n_names, n_descriptions) of `profiles`, `residuals`. unit: (n_names,) of `units`. own:
    (n_names,) of bool, the names of the region itself, which have fewer units than all others together.

    With y = m + e, where e is the names' own part, D² is m'Wm + 2 e'Wm + e'We. The variance of the second term rises
    with D²; that of the third remains without bias. With G = ee', it is 2 Σ (W_ij G_ij)², summed within pairs of units
    before it is squared. `influence` is 2 e_i'(Wy)_i, summed by units: its squares sum to the former and twice the
    latter.
    """
    spread, n_words = weights @ y, y.shape[2]
    alike = (residual @ residual.transpose(0, 2, 1)).mean(axis=0) / n_words
    member = np.eye(unit.max() + 1)[unit]
    return Distance(
        words=(y * spread).sum(axis=1),
        influence=member.T @ (2 * (residual * spread).sum(axis=2).mean(axis=0) / n_words),
        noise=float(2 * ((member.T @ (weights * alike) @ member) ** 2).sum()),
        freedom=len(np.unique(unit[own & weights.any(axis=1)])) - 1,
    )


class Measured(NamedTuple):
    """The result of `measure` for a model."""

    numbers: pd.DataFrame  # tidy
    items: pd.DataFrame
    influences: pd.DataFrame


def measure(
    model: str,
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    likelihoods: Mapping[str, pa.Table],
    level: float,
) -> Measured:
    """The crossed distance of the root and of each region below it, measured with the countries (`levels.countries`).

    regions: table "regions". topics: topic -> its descriptions; a word in two topics counts once. likelihoods: template
    -> its rows. level: coverage of the intervals, which are over names.

    Numbers: metric "herb_crossed", `n` the names of the region that are compared. Items: an object is a region below
    the root, a form a template. Influences: `Distance.influence` of every unit, named by the first region in it.
    """
    stimuli = study(regions, topics, likelihoods)
    found, first = Measured([], [], []), stimuli.names.groupby(stimuli.unit).first()
    for number, weights in stimuli.contrasts():
        region = stimuli.root if number == -1 else stimuli.below[number]
        place = {"unit": regions.loc[regions["region"] == region, "level"].item(), "group": region}
        row = {**place, "n": 0}
        if weights is None:
            found.numbers.append({**row, "note": "not measured: too few names with the same number of tokens"})
            continue
        own = (stimuli.group == number) | (number == -1)
        of = distance(stimuli.y, stimuli.residual, weights, stimuli.unit, own)
        low, high = of.interval(level)
        row |= {"estimate": of.estimate, "std_error": of.std_error, "ci_low": low, "ci_high": high}
        found.numbers.append(row | {"n": int((own & weights.any(axis=1)).sum())})
        found.influences.append(pd.DataFrame({**place, "drawn": first, "value": of.influence}))
        if number != -1:
            of_words = pd.DataFrame(of.words, index=list(likelihoods), columns=stimuli.words).rename_axis("form")
            of_words = of_words.melt(ignore_index=False, var_name="word").reset_index()
            found.items.append(of_words.assign(object=region))
    of_model = {"model": model, "metric": METRIC}
    of_number = {**of_model, "definition": DEFINITION, "variant": VARIANT}
    return Measured(
        tidy(pd.DataFrame(found.numbers).assign(**of_number)),
        items(_together(found.items).assign(**of_model, measure=VARIANT)),
        _together(found.influences).assign(**of_number).reindex(columns=INFLUENCES.fields.names),
    )


@dataclass(frozen=True)
class Study:
    """The data of crossed distances: names of countries that have a score for every description."""

    root: str
    below: pd.Index  # regions below the root
    names: pd.Series  # (n_names,) their regions
    group: np.ndarray  # (n_names,) of `below`
    kind: np.ndarray  # (n_names,) tokens of the sentence of the name
    unit: np.ndarray  # (n_names,)
    words: pd.Index  # (n_descriptions,)
    y: np.ndarray  # (n_forms, n_names, n_descriptions)
    residual: np.ndarray  # the same

    def contrasts(self) -> Iterator[tuple[int, np.ndarray | None]]:
        return contrasts(self.group, self.kind, self.unit) if len(self.names) else iter(())


def study(regions: pd.DataFrame, topics: Mapping[str, list[str]], likelihoods: Mapping[str, pa.Table]) -> Study:
    """The data of a model that can be compared. Arguments as for `measure`."""
    countries = levels.countries(regions)
    f, n_tokens = (
        np.array([_once(frame(table, topics, of)).reindex(countries["region"]) for table in likelihoods.values()])
        for of in ("f", "n_tokens")
    )
    is_known = np.isfinite(f).any(axis=1).all(axis=0)
    is_scored = np.isfinite(f[:, :, is_known]).all(axis=(0, 2)) & is_known.any()
    countries = countries[is_scored]
    f, n_tokens = (of[:, is_scored][:, :, is_known] for of in (f, n_tokens))
    group, below = pd.factorize(countries["continent"])
    kind = n_tokens[0, :, 0] if len(countries) else group
    y = profiles(f, n_tokens[:, 0], kind) if len(countries) else f
    return Study(
        root=regions.loc[regions["parent"].isna(), "region"].item(),
        below=below,
        names=countries["region"].reset_index(drop=True),
        group=group,
        kind=kind,
        unit=units(countries["name"].tolist()),
        words=_once(frame(next(iter(likelihoods.values())), topics)).columns[is_known],
        y=y,
        residual=residuals(y, group, kind) if len(countries) else y,
    )


def _once(f: pd.DataFrame) -> pd.DataFrame:
    """By description only: a word in two topics, whose sentences are the same, counts once. f: of `frame`."""
    f = f.droplevel("topic", axis="columns")
    return f.loc[:, ~f.columns.duplicated()]


def _together(tables: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
