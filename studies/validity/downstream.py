"""Regions against made-up names in tasks: 247 countries, 30 made-up names, some training sets.

Standard deviations are in log-odds, and those of testbed models, fine-tuned on 2,250 planted texts a set. `names`: of
what a name does in every training; what a training set does with a name has .33, more or less by a fifth from name to
name (a log-normal factor). `planted`: of what is the countries' own, 0 under the null hypothesis. `unequal`: of all
names, countries' and made-up ones, each is with probability .28 one whose effect common to all trainings has twice the
standard deviation.

Groups of texts (`own groups`): a quarter of 800 texts is of the second group, which is more often positive (.6 against
.3); positive texts are as hard as negative ones, and a training set moves the scores of a group.

Intervals over texts are of one classifier with 60 texts, of what it does with texts of this kind.
"""

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, ttest_1samp
from studies.validity.rates import Rates

from herbarium.core.attributes import Pair
from herbarium.metrics.downstream import names, numbers, own_groups, planted_slope
from herbarium.statistics.inference import adjust

COUNTRIES, NONSENSE, TEXTS = 247, 30, 60
OF_SET, VARIES, OF_TEXT = 0.33, 0.2, 0.3
LEVEL, ALPHA = 0.95, 0.05
DESIGNS = [(sets, of_names) for sets in (2, 3, 5) for of_names in (0.0, 0.1, 0.3)]
POWER = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0)
STRONG = 0.28  # of names
UNEQUAL = [(sets, of_names, 0.0) for sets in (2, 5) for of_names in (0.3, 1.0)]
UNEQUAL += [(2, 0.3, 0.5), (2, 0.3, 1.0)]
UNEQUAL_NAMES = "warning: names react unequally"
FEW = 10  # countries that hold all of a bias
REPLICATES = 200
LEANS = norm.ppf((np.arange(COUNTRIES) + 0.5) / COUNTRIES)
LEANS = (LEANS - LEANS.mean()) / LEANS.std()
CONTROLS = 3
IN_GROUPS, SECOND, POSITIVE = 800, 0.25, np.array([0.3, 0.6])
SETS_OF_GROUPS = (3, 5)


def effects(random, n, sets, of_names, leans, unequal=False):
    """(sets, n) what names do, on average over texts."""
    sigma = OF_SET * np.exp(VARIES * random.normal(size=n))
    if unequal:
        of_names = of_names * np.where(random.random(n) < STRONG, 2.0, 1.0)
    return of_names * random.normal(size=n) + leans + sigma * random.normal(size=(sets, n))


def rates(n):
    """n: simulated studies of each design."""
    for sets, of_names in DESIGNS:
        yield from of_design(n, sets, of_names, 0.0)
    for planted in POWER:
        yield from of_design(n, 2, 0.1, planted)
    for sets, of_names, planted in UNEQUAL:
        yield from of_design(n, sets, of_names, planted, unequal=True)
    yield from of_few(n)
    yield from over_texts(n)
    for sets in SETS_OF_GROUPS:
        yield from of_groups(n, sets)


def of_groups(n, sets):
    """Differences of groups that columns name; all but that of the selection rate are 0."""
    tally = Rates("downstream", f"own groups, {sets} sets")
    pair = Pair("a", "first", "second")
    for seed in range(n):
        random = np.random.default_rng(seed)
        group = (random.uniform(size=IN_GROUPS) < SECOND).astype(int)
        label = (random.uniform(size=IN_GROUPS) < POSITIVE[group]).astype(int)
        score = 0.7 * (2 * label - 1) + random.normal(size=IN_GROUPS) + 0.5 * random.normal(size=(sets, IN_GROUPS))
        log_odds = score + OF_SET * random.normal(size=(sets, 2))[:, group]
        cells = pd.Series([[(pair.attribute, pair[1 + g])] for g in group])
        measured = own_groups.measure("m", "t", log_odds, label, cells, {"a": pair[1:]}, LEVEL, "holm")
        rows = measured[measured["unit"] == own_groups.UNIT_OF_PAIRS].set_index("variant")
        for rate in ("accuracy", "false_positive_rate", "false_negative_rate", "auc"):
            row = rows.loc[own_groups.difference(rate)]
            if np.isfinite(row["ci_low"]):
                tally.add("coverage", own_groups.difference(rate), row["ci_low"] <= 0 <= row["ci_high"])
            if np.isfinite(row["p_value"]):
                tally.add("type I error", own_groups.difference(rate), row["p_value"] <= ALPHA)
    return tally.rows()


def of_design(n, sets, of_names, planted, unequal=False):
    names_are = f"{of_names:g}{', unequal' if unequal else ''}"
    tally = Rates("downstream", f"{sets} sets, names {names_are}, planted {planted:g}")
    for seed in range(n):
        random = np.random.default_rng(seed)
        true_effects = planted * random.permutation(LEANS)
        regions = effects(random, COUNTRIES, sets, of_names, true_effects, unequal)
        nonsense = effects(random, NONSENSE, sets, of_names, 0.0, unequal)
        beyond = names.beyond(regions, nonsense)
        p_values, (low, high) = beyond.p_values(), beyond.interval(LEVEL)
        _, lowest, highest = names.excess_spread(regions, nonsense, LEVEL)
        # one country a study: those of one study share its made-up names
        what = "power" if planted else "type I error"
        tally.add(what, "excess", p_values[0] <= ALPHA)
        tally.add(what, "excess, adjusted" if planted else "excess, adjusted, any", _found(p_values, planted))
        tally.add(what, "excess_spread", lowest > 0)
        tally.add("power" if unequal else "type I error", UNEQUAL_NAMES, names.react_unequally(regions))
        tally.add("coverage", "excess", low[0] <= true_effects[0] <= high[0])
        tally.add("coverage", "excess_spread", lowest <= planted <= highest)
        if sets == 2 and of_names == 0.1:
            _of_leans(tally, random, true_effects, regions, planted)
        if not planted:
            of_texts = regions[:, 0].mean() + OF_TEXT * random.normal(size=TEXTS)
            tally.add("type I error, withdrawn", "effect", ttest_1samp(of_texts, 0).pvalue <= ALPHA)
    return tally.rows()


def of_few(n):
    """What is planted is the same in ten countries and 0 in all others, with a standard deviation of .5 over all."""
    tally = Rates("downstream", f"2 sets, names 0.3, planted 0.5 in {FEW} countries")
    true_effects = (np.arange(COUNTRIES) < FEW).astype(float)
    true_effects *= 0.5 / true_effects.std(ddof=1)
    for seed in range(n):
        random = np.random.default_rng(seed)
        regions, nonsense = effects(random, COUNTRIES, 2, 0.3, true_effects), effects(random, NONSENSE, 2, 0.3, 0.0)
        _, lowest, highest = names.excess_spread(regions, nonsense, LEVEL)
        tally.add("power", "excess_spread", lowest > 0)
        tally.add("coverage", "excess_spread", lowest <= 0.5 <= highest)
        tally.add("power", UNEQUAL_NAMES, names.react_unequally(regions))
    return tally.rows()


def _found(p_values, planted):
    """Whether one country is found after adjustment; without anything planted, whether any is."""
    is_found = adjust(p_values, "fdr_bh") <= ALPHA
    return is_found[0] if planted else is_found.any()


def _of_leans(tally, random, true_effects, regions, planted):
    """The slope on what was planted, with nothing else of the countries."""
    lean = true_effects / planted if planted else random.permutation(LEANS)
    effect = regions.mean(axis=0)
    bootstrap = {"replicates": REPLICATES, "level": LEVEL}
    rank, slope = planted_slope._over_countries(lean, effect, "t", bootstrap, int(random.integers(2**31)))
    tally.add("coverage", "planted_slope", slope["ci_low"] <= planted <= slope["ci_high"])
    if planted:
        tally.add("power", "planted_spearman", rank["p_value"] <= ALPHA)
    else:
        tally.add("type I error", "planted_spearman", rank["p_value"] <= ALPHA)
        tally.add("coverage", "planted_spearman", rank["ci_low"] <= 0 <= rank["ci_high"])


# --- over texts ---

ROWS = [("original", "original", "original"), *(("region", "country", f"country:{i}") for i in range(20))]
ROWS += [("control", "control", f"control:{i}") for i in range(CONTROLS)]
ROWS += [("nonsense", "nonsense", f"nonsense:{i}") for i in range(3)]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group"]).assign(
    name=lambda table: table["group"], continent=None
)
SHIFTS = np.random.default_rng(3).normal(0, OF_SET, len(PREFIXES)) + 0.2


def texts(random, n):
    """Labels (n,) and log-odds (1, n_prefixes, n) of one classifier."""
    body = random.normal(0, 1.0, n)
    label = (random.uniform(size=n) < expit(body)).astype(int)
    shifts = np.where(PREFIXES["kind"] == "original", 0, SHIFTS)
    log_odds = body + shifts[:, None] + OF_TEXT * random.normal(size=(len(PREFIXES), n))
    return label, log_odds[None]


def told(random, n, replicates):
    """Numbers by variant, unit and group."""
    label, log_odds = texts(random, n)
    bootstrap, tests = {"replicates": replicates, "level": LEVEL}, {"correction": "fdr_bh"}
    none = np.zeros(len(PREFIXES), int)
    rows = numbers.measure("m", "t", log_odds, label, PREFIXES, none, bootstrap, tests, int(random.integers(2**31)))
    return rows.set_index(["variant", "unit", "group"])


def over_texts(n):
    tally = Rates("downstream", f"one classifier, {TEXTS} texts")
    many = 100_000
    wanted = told(np.random.default_rng(0), many, 0)["estimate"]
    wanted = wanted.mask(wanted.index.get_level_values("variant").str.startswith("quantity"), wanted * TEXTS / many)
    shown = [("original", "t/original"), ("country", "t/country:0"), ("all", "t/country")]
    for seed in range(n):
        rows = told(np.random.default_rng(seed), TEXTS, REPLICATES)
        for variant, unit, group in rows.index[rows["ci_low"].notna()]:
            if (unit, group) in shown and not variant.startswith("excess"):
                row = rows.loc[(variant, unit, group)]
                held = row["ci_low"] <= wanted[variant, unit, group] <= row["ci_high"]
                tally.add("coverage", f"{variant}, {unit}", held)
    # a share of few texts has an interval in few studies, those in which it happened to be large
    return [row for row in tally.rows() if row["studies"] >= n / 5]
