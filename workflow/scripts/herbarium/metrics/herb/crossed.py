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
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.sparse.csgraph import connected_components

from herbarium.metrics.herb.likelihoods import frame
from herbarium.regions import levels
from herbarium.statistics.inference import least_bound, squared_interval
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.items import items
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION, VARIANT = "herb_crossed", "crossed", "D2"
GIVEN_F_NAME, LEAST_BOUND = f"{VARIANT}_given_f_name", f"{VARIANT}_least_bound"
OF_DESCRIPTIONS = f"{VARIANT}_conditional"
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
        """The true distances that are compatible with the estimate; both may lie below 0."""
        return squared_interval(self.estimate, self.noise, self.slope, self.freedom, level)


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


@dataclass(frozen=True)
class Pairs:
    """What is compared between any two regions. A cell is the names of a region that are of one kind, cells are in the
    order of regions, then kinds; n_cells = n_groups · n_kinds.

    member: (n_names, n_cells) of 0 and 1. apart: (n_names, n_names), whether two names are of two units. n_apart:
    (n_groups, n_groups, n_kinds, n_kinds), the pairs of such names of two cells. share: of the same shape, the weight
    of two kinds in the distance of two regions; its sum over kinds is 1 or, if nothing can be compared, 0.
    """

    member: np.ndarray
    apart: np.ndarray
    n_apart: np.ndarray
    share: np.ndarray

    @property
    def measured(self) -> np.ndarray:
        """(n_groups, n_groups), whether two regions can be compared."""
        return self.share.any(axis=(2, 3))

    def of_root(self) -> np.ndarray | None:
        """`weights` of all pairs."""
        return self.weights(self.measured)

    def weights(self, chosen: np.ndarray) -> np.ndarray | None:
        """W (n_names, n_names), such that the sum of W_ij y_i y_j is the mean D² of one description over the chosen
        pairs of regions, (n_groups, n_groups) and symmetric; None if none of them can be compared."""
        chosen = chosen & self.measured
        if not chosen.any():
            return None
        share = self.share * chosen[:, :, None, None] / (chosen.sum() / 2)
        of_cells = -share
        diagonal = np.arange(len(share))
        of_cells[diagonal, diagonal] = share.sum(axis=1)
        of_names = np.divide(of_cells, self.n_apart, out=np.zeros(share.shape), where=self.n_apart > 0)
        n_cells = self.member.shape[1]
        return self.member @ of_names.transpose(0, 2, 1, 3).reshape(n_cells, n_cells) @ self.member.T * self.apart


def pairs(group: np.ndarray, kind: np.ndarray, unit: np.ndarray) -> Pairs:
    """group: (n_names,) the region of each name, numbered from 0. kind: what two names must have in common to be
    compared: their number of tokens. unit: of `units`.

    For each kind k the difference of two regions is estimated from all names; the kinds are weighted by precision,
    1/(1/n_a + 1/n_b). In the product of two such differences, for k and l, each of the four terms is the mean over the
    pairs of names of two different units, so whatever belongs to a kind cancels.
    """
    kinds, of_kind = np.unique(kind, return_inverse=True)
    shape = group.max() + 1, len(kinds)
    member = np.eye(np.prod(shape))[group * len(kinds) + of_kind]
    apart = unit[:, None] != unit
    n_apart = (member.T @ apart @ member).reshape(*shape, *shape).transpose(0, 2, 1, 3)
    n = member.sum(axis=0).reshape(shape)
    enough = np.where(n >= FEWEST, n, np.nan)
    precision = np.nan_to_num(1 / (1 / enough[:, None] + 1 / enough))
    within = n_apart[np.arange(shape[0]), np.arange(shape[0])] > 0
    known = within[:, None] & within & (n_apart > 0) & (n_apart > 0).transpose(1, 0, 2, 3)
    share = precision[:, :, :, None] * precision[:, :, None] * (known & ~np.eye(shape[0], dtype=bool)[:, :, None, None])
    total = share.sum(axis=(2, 3), keepdims=True)
    return Pairs(member, apart, n_apart, np.divide(share, total, out=np.zeros(share.shape), where=total > 0))


def contrasts(group: np.ndarray, kind: np.ndarray, unit: np.ndarray) -> Iterator[tuple[int, np.ndarray | None]]:
    """W of each region below the root, the mean over its pairs with others; last, at index -1, that of the root: over
    all pairs. Arguments as for `pairs`."""
    compared = pairs(group, kind, unit)
    numbers = np.arange(group.max() + 1)
    for number in numbers:
        yield int(number), compared.weights((numbers[:, None] == number) | (numbers == number))
    yield -1, compared.of_root()


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


def given(y: np.ndarray, covariate: np.ndarray, group: np.ndarray, kind: np.ndarray) -> np.ndarray | None:
    """y minus the slope of each description on a covariate of names, such as how frequent they are. Slopes are those
    within regions and kinds, so that they do not take up the difference of regions; None if it does not vary there.

    covariate: (n_names,), finite.
    """
    x = covariate - hat(group, kind) @ covariate
    if x @ x <= 1e-9 * (covariate @ covariate):
        return None
    return y - covariate[:, None] * (x @ y / (x @ x))[:, None]


def hat(group: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """(n_names, n_names), such that hat @ y is what names share with their region and their kind, by least squares."""
    factors = group, np.unique(kind, return_inverse=True)[1]
    design = np.concatenate([np.eye(factor.max() + 1)[factor] for factor in factors], axis=1)
    return design @ np.linalg.pinv(design)


def residuals(y: np.ndarray, group: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """A name's own part: y minus `hat @ y`, over √(1 - leverage), so that it has the variance of the error (HC2,
    MacKinnon and White 1985); 0 for the only name of its kind."""
    shared = hat(group, kind)
    rest = 1 - shared.diagonal()
    alone = rest < 1e-9
    return (y - shared @ y) * np.where(alone, 0, 1 / np.sqrt(np.where(alone, 1, rest)))[:, None]


def distance(
    y: np.ndarray, residual: np.ndarray, weights: np.ndarray, unit: np.ndarray, is_own: np.ndarray
) -> Distance:
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
        freedom=len(np.unique(unit[is_own & weights.any(axis=1)])) - 1,
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
    Of the root also that given f of bare names (`GIVEN_F_NAME`), and the equivalence bound (`LEAST_BOUND`) at
    level 1 - `level`.

    regions: table "regions". topics: topic -> its descriptions; a word in two topics counts once. likelihoods: template
    -> its rows. level: coverage of the intervals, which are over names.

    Numbers: metric "herb_crossed", `n` the names of the region that are compared. Items, of `VARIANT` alone: an object
    is a region below the root, a form a template. Influences, of the same: `Distance.influence` of every unit, named by
    the first region in it.
    """
    stimuli = study(regions, topics, likelihoods)
    measured, first = Measured([], [], []), stimuli.names.groupby(stimuli.unit).first()
    for number, weights in stimuli.contrasts():
        region = stimuli.root if number == -1 else stimuli.below[number]
        place = {"unit": regions.loc[regions["region"] == region, "level"].item(), "group": region}
        row = {**place, "n": 0}
        if weights is None:
            measured.numbers.append({**row, "note": "not measured: too few names with the same number of tokens"})
            continue
        is_own = (stimuli.group == number) | (number == -1)
        row["n"] = int((is_own & weights.any(axis=1)).sum())
        estimate = distance(stimuli.y, stimuli.residual, weights, stimuli.unit, is_own)
        measured.numbers.append({**row, **_fields(estimate, level)})
        if number == -1:
            measured.numbers.append({**row, "variant": GIVEN_F_NAME, **_given_f_name(stimuli, weights, level)})
            bound = least_bound(*estimate.interval(2 * level - 1))
            measured.numbers.append({**row, "variant": LEAST_BOUND, "estimate": bound})
        measured.influences.append(pd.DataFrame({**place, "drawn": first, "value": estimate.influence}))
        if number != -1:
            of_words = pd.DataFrame(estimate.words, index=list(likelihoods), columns=stimuli.words).rename_axis("form")
            of_words = of_words.melt(ignore_index=False, var_name="word").reset_index()
            measured.items.append(of_words.assign(object=region))
    of_model = {"model": model, "metric": METRIC}
    of_number = {**of_model, "definition": DEFINITION, "variant": VARIANT}
    return Measured(
        tidy(pd.DataFrame([{**of_number, **row} for row in measured.numbers]), over="names"),
        items(_together(measured.items).assign(**of_model, measure=VARIANT)),
        _together(measured.influences).assign(**of_number).reindex(columns=INFLUENCES.fields.names),
    )


def conditional(
    model: str, regions: pd.DataFrame, topics: Mapping[str, list[str]], likelihoods: pa.Table, level: float
) -> pd.DataFrame:
    """The crossed distance of the root and of each region below it with f of descriptions alone, as tidy rows whose
    variant is `OF_DESCRIPTIONS`. likelihoods: of the published template; other arguments as for `measure`."""
    numbers = measure(model, regions, topics, {OF_DESCRIPTIONS: likelihoods}, level).numbers
    return numbers[numbers["variant"] == VARIANT].assign(variant=OF_DESCRIPTIONS)


def _fields(measured: Distance, level: float) -> dict:
    low, high = measured.interval(level)
    return {"estimate": measured.estimate, "std_error": measured.std_error, "ci_low": low, "ci_high": high}


def _given_f_name(stimuli: "Study", weights: np.ndarray, level: float) -> dict:
    if not np.isfinite(stimuli.f_name).all():
        return {"note": "not measured: the bare name of a country has no score"}
    y = given(stimuli.y, stimuli.f_name, stimuli.group, stimuli.kind)
    if y is None:
        return {"note": "not measured: f of bare names does not differ within regions"}
    residual = residuals(y, stimuli.group, stimuli.kind)
    return _fields(distance(y, residual, weights, stimuli.unit, np.full(len(stimuli.unit), True)), level)


@dataclass(frozen=True)
class Study:
    """The data of crossed distances: names of countries that have a score for every description."""

    root: str
    below: pd.Index  # regions below the root
    names: pd.Series  # (n_names,) their regions
    group: np.ndarray  # (n_names,) of `below`
    kind: np.ndarray  # (n_names,) tokens of the sentence of the name
    unit: np.ndarray  # (n_names,)
    f_name: np.ndarray  # (n_names,) f of the bare name
    words: pd.Index  # (n_descriptions,)
    y: np.ndarray  # (n_forms, n_names, n_descriptions)
    residual: np.ndarray  # the same

    def contrasts(self) -> Iterator[tuple[int, np.ndarray | None]]:
        return contrasts(self.group, self.kind, self.unit) if len(self.names) else iter(())


def study(regions: pd.DataFrame, topics: Mapping[str, list[str]], likelihoods: Mapping[str, pa.Table]) -> Study:
    """The data of a model that can be compared. Arguments as for `measure`."""
    countries, first = levels.countries(regions), next(iter(likelihoods.values()))
    f, n_tokens = (
        np.array([_once(frame(table, topics, value)).reindex(countries["region"]) for table in likelihoods.values()])
        for value in ("f", "n_tokens")
    )
    is_known = np.isfinite(f).any(axis=1).all(axis=0)
    is_scored = np.isfinite(f[:, :, is_known]).all(axis=(0, 2)) & is_known.any()
    countries = countries[is_scored]
    f, n_tokens = (values[:, is_scored][:, :, is_known] for values in (f, n_tokens))
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
        f_name=_bare(first).reindex(countries["region"]).to_numpy(float),
        words=_once(frame(first, topics)).columns[is_known],
        y=y,
        residual=residuals(y, group, kind) if len(countries) else y,
    )


def _once(f: pd.DataFrame) -> pd.DataFrame:
    """By description only: a word in two topics, whose sentences are the same, counts once. f: of `frame`."""
    f = f.droplevel("topic", axis="columns")
    return f.loc[:, ~f.columns.duplicated()]


def _bare(likelihoods: pa.Table) -> pd.Series:
    return pd.Series(likelihoods["f_name"].to_numpy(), likelihoods["region"].to_pylist())


def _together(tables: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
