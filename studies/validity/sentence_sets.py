"""Contrasts of sentence sets: differences of pairs, shares, candidates, over few units and many.

Differences are symmetric under the null hypothesis, normal or heavy-tailed (Student's t, 3 df). `true`: their mean, in
standard deviations; of shares the per cent.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.sentence_sets.bbq_contrast import BBQ, BIAS, CHOICES, MASS
from herbarium.metrics.sentence_sets.names import LETTERS, UNKNOWN
from herbarium.metrics.sentence_sets.stereoset_contrast import SS, STEREOSET
from herbarium.statistics import attenuation, contrasts, inference, tasks
from herbarium.statistics.sets import Sets
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, PAIRS, SHARE

LEVEL, ALPHA, BOUND = 0.95, 0.05, 0.5
UNITS = (8, 20)
POWER = (0.2, 0.4, 0.6, 0.8, 1.0)
# What a unit of WinoBias is taken to be: both occupations of a pair, that which the pronouns refer to, or the pair, as
# Zhao (2021) has it.
UNITS_OF = (CROSSED, MEANT, PAIR) = "crossed", "occupation", "pair"
# What is asked of WinoBias, and the weight of the occupation that the pronouns do not refer to.
WINOBIAS = ((PAIRS, 0.0), (PAIRS, 0.5), (ACCURACY, 1.0))
CONTRAST_OF = {
    **dict.fromkeys(("difference", "difference, crossed"), PAIRS),
    **{"candidate": CANDIDATES, "accuracy": ACCURACY},
    **{f"{contrast.name} by {unit}": contrast for contrast in (PAIRS, ACCURACY) for unit in UNITS_OF},
}
SHARES = (55.0, 60.0, 65.0, 70.0, 80.0)


def sets(values, per_unit=1):
    """values: (n_sets, n_sides)."""
    n = len(values)
    unit = np.arange(n) // per_unit
    sides = ("he", "she", "they")[: values.shape[1]]
    return Sets(sides, values, np.full(n, ""), unit, per_unit == 1)


def pairs(random, n, true, df=None):
    noise = random.normal(size=n) if df is None else random.standard_t(df, size=n) / np.sqrt(df / (df - 2))
    return sets(np.column_stack([true + noise, np.zeros(n)]))


def shares(random, n, true, per_unit=1):
    if per_unit == 1:
        is_first = random.random(n) < true / 100
    else:  # of units that prefer one side or the other, as many of each under the null hypothesis
        preferred = np.clip(true / 100 + 0.2 * random.choice([-1, 1], size=n), 0, 1)
        is_first = random.random((n, per_unit)) < preferred[:, None]
    values = is_first.ravel().astype(float)
    return sets(np.column_stack([values, 1 - values]), per_unit)


def candidates(random, n, true):
    values = random.normal(size=(n, 3))
    values[:, 0] += true * 1.5  # beyond the mean of the three by `true`
    return sets(values)


def crossed(random, n, true, questions=False):
    """Of n masculine and n feminine occupations, each in half as many sentences (four at least), what a model prefers
    as it happens; of questions the difference of accuracies, which then is 0."""
    per_unit = max(n // 2, 4)
    one, other = _met(random, n, n * per_unit)
    preference = random.normal(size=(2, n)) / np.sqrt(2)
    rows = preference[0][one] + preference[1][other]
    random_part = random.normal(size=(2, len(one)))
    none = np.zeros(len(one))
    if questions:
        values = np.column_stack([rows + random_part[0], none, random_part[1] - rows, none])
        return Sets(("a-right", "a-wrong", "b-right", "b-wrong"), values, *_units(one, other))
    return Sets(("he", "she"), np.column_stack([true + rows + random_part[0], none]), *_units(one, other))


def unequal(random, n, true, per_unit=10, slope=1.0):
    """As `crossed`, of occupations as often in sentences as words are in texts: 1, 1/2, 1/3, …, to the power of
    `slope`."""
    often = 1 / np.arange(1, n + 1) ** slope
    one, other = random.choice(n, size=(2, n * per_unit), p=often / often.sum())
    preference = random.normal(size=(2, n)) / np.sqrt(2)
    values = true + preference[0][one] + preference[1][other] + random.normal(size=len(one))
    return Sets(("he", "she"), np.column_stack([values, np.zeros(len(one))]), *_units(one, other))


def of_nouns(random, n, true, per_noun=5):
    """Sets of templates with n nouns, each of which a model has a preference for; nothing is said about units, so that
    sets are crossed with the nouns that they share (`SentenceSet`)."""
    noun, each = np.repeat(np.arange(n), per_noun), np.arange(n * per_noun)
    values = true + random.normal(size=n)[noun] + random.normal(size=len(noun))
    return Sets(("he", "she"), np.column_stack([values, np.zeros(len(noun))]), *_units(each, noun))


def _met(random, n_units, n):
    """Of n sentences the units of either kind, each of which meets others at random and is there as often."""
    other = [random.permutation(n_units) for _ in range(-(-n // n_units))]
    return np.resize(np.arange(n_units), n), np.concatenate(other)[:n]


def winobias(random, n, true, contrast, other, unit):
    """Of n masculine and n feminine occupations, 198 pairs of lines each on the one and the other: those of a model
    without a stereotype, whose occupations prefer he or she as it happens. other: the weight of the occupation that the
    pronouns do not refer to. unit: of UNITS_OF."""
    masculine, feminine = _met(random, n, 198)
    of_masculine, of_feminine = random.normal(size=(2, n))
    lines = []
    for sign, own_preference, not_meant in (
        (1, of_masculine[masculine], of_feminine[feminine]),
        (-1, of_feminine[feminine], of_masculine[masculine]),
    ):
        noise, none = random.normal(size=(3, 198)) / 2, np.zeros(198)
        if contrast == PAIRS:
            lines.append(np.column_stack([sign * (1 + own_preference + other * not_meant) + noise[0], none]))
        else:  # the right answer is the likelier, the more so the better that the pronoun fits
            fits = np.array([[1], [-1]]) * sign * (own_preference - other * not_meant)
            pro, anti = 0.3 + noise[0] + fits + noise[1:]
            lines.append(np.column_stack([pro, none, anti, none]))
    values, crossed_units = np.vstack(lines), np.column_stack([np.tile(masculine, 2), np.tile(feminine, 2)])
    meant = np.concatenate([masculine, n + feminine])
    units = {CROSSED: crossed_units[:, 0], MEANT: meant, PAIR: np.arange(len(values))}[unit]
    sides = ("he", "she") if contrast == PAIRS else ("a-right", "a-wrong", "b-right", "b-wrong")
    none = np.full(len(values), "")
    return Sets(sides, values, none, units, unit == PAIR, crossed_units if unit == CROSSED else None)


def _units(one, other):
    return np.full(len(one), ""), one, False, np.column_stack([one, other])


def rates(n):
    """n: simulated studies of each design."""
    for units in UNITS:
        yield from of_design(n, "difference", f"{units} pairs, normal", pairs, units, 0.0)
        yield from of_design(n, "difference", f"{units} pairs, t", pairs, units, 0.0, 3)
        yield from of_design(n, "candidate", f"{units} sets of three", candidates, units, 0.0)
    for units in (10, 20, 50, 200):
        yield from of_design(n, "share", f"{units} pairs", shares, units, 50.0)
    yield from of_design(n, "share of units", "20 units of 6 pairs", shares, 20, 50.0, 6)
    for units in (8, 20):
        for true in (0.0, 0.5):
            yield from of_design(n, "difference, crossed", f"{units} by {units} units", crossed, units, true)
        yield from of_design(n, "accuracy", f"{units} by {units} units", crossed, units, 0.0, True)
    for units, slope in ((8, 1.0), (20, 1.0), (20, 0.5), (40, 1.0)):
        name = f"{units} by {units} units, as often as 1/rank^{slope:g}"
        yield from of_design(n, "difference, crossed", name, unequal, units, 0.0, 10, slope)
    for units in (8, 20):
        yield from of_design(n, "difference, crossed", f"sets of {units} nouns", of_nouns, units, 0.0)
    for contrast, other in WINOBIAS:
        for unit in UNITS_OF:
            name = f"WinoBias, other occupation {other:g}"
            yield from of_design(n, f"{contrast.name} by {unit}", name, winobias, 20, 0.0, contrast, other, unit)
    for units, per_unit in ((8, 4), (40, 4), (40, 20)):
        for true in (0.0, 0.6, 0.9):
            yield from of_correlation(n, units, per_unit, true)
    for units in (8, 25, 80):
        for true in (50.0, 65.0):
            lms = 80 + 20 * 0.5
            expected = {"ss": true, "lms": lms, "icat": lms * min(true, 100 - true) / 50}
            yield from of_benchmark(n, STEREOSET, stereotypes, units, true, expected)
        for true in (0.0, 30.0):
            expected = {"unknown": 100 / 3, "difference": true * 2 / 3, "bias": true}
            yield from of_benchmark(n, BBQ, questions, units, true, expected)
    for units in (8, 25, 80):
        for lms in (90.0, 97.0):
            expected = {"ss": 50.0, "lms": lms}
            yield from of_benchmark(n, STEREOSET, unequal_targets, units, lms, expected, ", unequal, lms")
    for units, unknown in ((25, 0.8), (25, 0.95), (80, 0.95)):
        for true in (0.0, 30.0):
            expected = {"unknown": 100 * unknown, "difference": true * (1 - unknown), "bias": true}
            more = f", {100 * unknown:g} % unknown"
            yield from of_benchmark(n, BBQ, rarely(unknown), units, true, expected, more)
    for units in (8, 25, 80):
        for true in (0.0, 30.0):
            yield from of_benchmark(n, CHOICES, lettered, units, true, expected_of_letters(true))
    for units, per_unit in ((8, 4), (8, 8), (25, 8), (80, 8)):
        for unknown in (100 / 3, 5.0):
            name = f"{units} templates of {per_unit} questions, guessed, {unknown:.0f} % unknown"
            yield from of_task(n, BBQ, name, True, guessed, units, unknown, per_unit)
        for accuracy in (50.0, 70.0):
            name = f"{units} templates of {per_unit} questions, {accuracy:g} % right"
            yield from of_task(n, BBQ, name, False, understood, units, accuracy, per_unit)
    for units in (8, 25, 80):
        for lms in (50.0, 70.0):
            name = f"{units} targets, unequal, lms {lms:g}"
            yield from of_task(n, STEREOSET, name, lms == 50, unequal_targets, units, lms)
    for ties in (0.03, 0.1):
        for units in (50, 200):
            yield from of_design(n, "share", f"{units} pairs, {100 * ties:g} % tied", tied, units, 50.0, ties)
    for true in POWER:
        yield from of_design(n, "difference", "20 pairs, normal", pairs, 20, true)
    yield from of_design(n, "difference", "20 pairs, normal", pairs, 20, BOUND)
    for true in SHARES:
        yield from of_design(n, "share", "50 pairs", shares, 50, true)


def guessed(random, n, unknown, per_unit):
    """Questions of n templates, half of them ambiguous, answered whatever the context says: `unknown` per cent as
    unknown, the others with a person, in some templates rather the one, in some the other."""
    leans = rarely(unknown / 100)(random, n, 0.0, per_unit)
    return replace(leans, correct=_corrects(n, per_unit))


def understood(random, n, accuracy, per_unit):
    """As `guessed`, a third as unknown, by a model that gives the right answer to `accuracy` per cent of those whose
    context says it, in more of some templates than of others (15 points to either side), and another at random."""
    answered = questions(random, n, 0.0, per_unit)
    correct = _corrects(n, per_unit)
    rightly = np.repeat(accuracy / 100 + 0.15 * random.choice([-1, 1], size=n), per_unit)
    rights = np.array([list(BBQ.sides).index(side) for side in correct])
    given = np.where(random.random(len(correct)) < rightly, rights, (rights + random.integers(1, 3, len(correct))) % 3)
    values = np.where((correct == UNKNOWN)[:, None], answered.values, np.eye(3)[given])
    return replace(answered, values=values, correct=correct)


def _corrects(n, per_unit):
    """The right answers to the questions of n templates: in a half unknown, in a quarter each person."""
    return np.tile(np.array([UNKNOWN, UNKNOWN, *BBQ.sides[:2]], dtype=object), n * per_unit // 4)


def of_task(n, contrast, name, is_guess, draw, units, *more):
    """Whether a model counts as one that does the task. is_guess: it does not."""
    tally = Rates("sentence_sets", f"{contrast.name}, {name}")
    for seed in range(n):
        drawn = draw(np.random.default_rng([5, units, seed]), units, *more)
        is_able = all(row["note"] is None for row in tasks.done(drawn, contrast, LEVEL))
        tally.add("type I error" if is_guess else "power", f"{contrast.name} task", is_able)
    return tally.rows()


def tied(random, n, true, share):
    """Pairs of which `share` have two equal scores."""
    drawn = shares(random, n, true)
    values = np.where(random.random((n, 1)) < share, 0.0, drawn.values)
    return sets(values)


def unequal_targets(random, n, lms):
    """As `stereotypes`, of targets with as many examples as 1, 1/2, 1/3, …, one at least; related sentences have a
    higher score in `lms` per cent, in more of some targets than of others (intraclass correlation .1)."""
    often = 1 / np.arange(1, n + 1)
    unit = np.repeat(np.arange(n), np.maximum(1, np.round(6 * n * often / often.sum())).astype(int))
    knows = random.beta(9 * lms / 100, 9 * (1 - lms / 100), n)[unit]
    is_first, is_known = random.random(len(unit)) < 0.5, random.random(len(unit)) < knows
    values = np.column_stack([is_first, ~is_first, np.where(is_known, -1.0, 2.0)]).astype(float)
    return Sets(STEREOSET.sides, values, np.full(len(unit), ""), unit, False)


def stereotypes(random, n, true, per_unit=6):
    """Examples of n targets, whose stereotypes a model prefers in `true` per cent, more of some targets than of others;
    related sentences have a higher score in about nine of ten."""
    preferred = np.clip(true / 100 + 0.2 * random.choice([-1, 1], size=n), 0, 1)
    is_first = random.random((n, per_unit)) < preferred[:, None]
    first, second = np.where(is_first, 1.0, 0.0).ravel(), np.where(is_first, 0.0, 1.0).ravel()
    unrelated = np.where(random.random(n * per_unit) < 0.8, -1.0, 0.5)
    return _of_units(STEREOSET, np.column_stack([first, second, unrelated]), per_unit)


def questions(random, n, true, per_unit=8, unknown=1 / 3):
    """Questions of n templates: a third or `unknown` is answered as unknown; of the others a model answers as many with
    bias as against it, and `true` per cent more with it; more of some templates than of others."""
    lean = np.clip(0.5 + true / 200 + 0.2 * random.choice([-1, 1], size=n), 0, 1)
    is_biased = random.random((n, per_unit)) < lean[:, None]
    is_unknown = (random.random((n, per_unit)) < unknown).ravel()
    answers = np.column_stack([is_biased.ravel(), ~is_biased.ravel(), np.zeros(n * per_unit)]).astype(float)
    answers[:, 2] = np.where(is_unknown, 2.0, -1.0)
    return _of_units(BBQ, answers, per_unit)


def _of_units(contrast, values, per_unit):
    n, correct = len(values), np.full(len(values), UNKNOWN)
    return Sets(contrast.sides, values, np.full(n, ""), np.arange(n) // per_unit, False, correct=correct)


FIRST, OF_LETTERS = 0.6, 0.05  # how often "A" is given whatever it is, and the probability of all three letters


def lettered(random, n, true, per_unit=4):
    """`questions` in the six orders of their answers: in FIRST of them the answer is "A" whatever it is. The letters
    have a probability of OF_LETTERS, in some templates ten times as much as in others."""
    asked = questions(random, n, true, per_unit)
    orders = np.array(list(permutations(LETTERS)))
    letters, wanted = np.tile(orders, (len(asked.values), 1)), np.repeat(asked.values, len(orders), axis=0)
    is_first = random.random(len(letters)) < FIRST
    given = np.where(is_first, (letters == LETTERS[0]).argmax(axis=1), wanted.argmax(axis=1))
    share = np.where(np.arange(3) == given[:, None], 0.6, 0.2)
    of_template = OF_LETTERS * np.repeat(random.choice([0.18, 1.82], size=n), per_unit * len(orders))
    values = np.log(share * of_template[:, None])
    unit = np.repeat(np.arange(n), per_unit * len(orders))
    correct = np.full(len(values), UNKNOWN)
    return Sets(CHOICES.sides, values, np.full(len(values), ""), unit, False, correct=correct, letters=letters)


def expected_of_letters(true):
    chosen = 1 - FIRST
    return {
        "difference": chosen * true * 2 / 3,
        BIAS: chosen * true,
        "A": 100 * (FIRST + chosen / 3),
        MASS: 100 * OF_LETTERS,
    }


def rarely(unknown):
    """`questions` most of which are answered as unknown."""
    return lambda random, n, true, per_unit=8: questions(random, n, true, per_unit, unknown)


def of_benchmark(n, contrast, draw, units, true, expected, more=""):
    """expected: of each row its true value; of a row without an interval nothing is counted."""
    unit = "targets" if contrast == STEREOSET else "templates"
    tally = Rates("sentence_sets", f"{contrast.name}, {units} {unit}{more}, true {true:g}")
    is_null = expected[SS if contrast == STEREOSET else BIAS] == (50 if contrast == STEREOSET else 0)
    for seed in range(n):
        drawn = draw(np.random.default_rng([4, units, seed]), units, true)
        rows = contrasts.numbers(drawn, contrast, LEVEL, "holm", seed, contrast.name).set_index("side")
        for side, value in expected.items():
            row = rows.loc[side]
            if np.isfinite(row["ci_low"]) or not more:
                tally.add("coverage", f"{contrast.name} {side}", row["ci_low"] <= value <= row["ci_high"])
            if np.isfinite(contrast.scale(side).null) and np.isfinite(row["p_value"]):
                tally.add("type I error" if is_null else "power", f"{contrast.name} {side}", row["p_value"] <= ALPHA)
    return tally.rows()


def known(random, n, per_unit, true):
    """Values of n occupations, their errors over sentences whose spread is that of what they measure, and what is
    known of them: half are known to be far below the mean, half far above."""
    below = np.where(np.arange(n) < n / 2, -1.0, 1.0)
    beside = (below + 0.5 * random.normal(size=n)) / np.sqrt(1.25)
    noise = true * beside + np.sqrt(1 - true**2) * random.normal(size=n)
    sentences = noise[:, None] + random.normal(size=(n, per_unit))
    return sentences.mean(axis=1), sentences.std(axis=1, ddof=1) / np.sqrt(per_unit), beside, np.zeros(n)


def of_correlation(n, units, per_unit, true):
    tally = Rates("sentence_sets", f"{units} occupations of {per_unit} sentences, true {true:g}")
    for seed in range(n):
        drawn = known(np.random.default_rng([2, units, per_unit, seed]), units, per_unit, true)
        plain, corrected = attenuation.correlations(*drawn, LEVEL, np.random.default_rng(seed))
        tally.add("power" if true else "type I error", "correlation", plain["p_value"] <= ALPHA)
        if "estimate" in corrected:  # errors may be most of what differs
            tally.add("coverage", "correlation, corrected", corrected["ci_low"] <= true <= corrected["ci_high"])
    return tally.rows()


def of_design(n, variant, name, draw, units, true, *more):
    contrast = CONTRAST_OF.get(variant, SHARE)
    null = 0.0 if contrast == ACCURACY else contrast.scale(None).null
    tally = Rates("sentence_sets", f"{name}, true {true:g}")
    advice = ", not advised" if more and more[-1] in (MEANT, PAIR) else ""
    for seed in range(n):
        drawn = draw(np.random.default_rng([1, units, seed]), units, true, *more)
        rows = contrasts.numbers(drawn, contrast, LEVEL, "holm", seed, name)
        row = rows.iloc[-1 if contrast == ACCURACY else 0]
        if draw is unequal and np.isnan(row["p_value"]):  # so unequal that there is no test
            continue
        what = "type I error" if true == null else "power"
        tally.add(f"{what}{advice}", variant, row["p_value"] <= ALPHA)
        tally.add(f"coverage{advice}", variant, row["ci_low"] <= true <= row["ci_high"])
        if contrast == PAIRS and draw is not winobias:
            is_below = inference.least_bound(0, row["equivalence_bound"]) < BOUND
            tally.add("type I error" if abs(true) >= BOUND else "power", f"{variant} within .5", is_below)
    return tally.rows()
