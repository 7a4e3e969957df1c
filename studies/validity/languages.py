"""inBias and what becomes of it in another space: error rates of tests, coverage of intervals.

Words are random vectors of DIMENSIONS. Seeds have ±`gender` of a direction beside what each has alone; each occupation
has a lean on it, of which `mean` is that of all and `spread` how far single ones differ. Both forms of an occupation
share most of a vector. Pairs and seeds are drawn anew in each study. Other spaces have the directions at
other lengths, as RCSLS makes them.
"""

from collections import defaultdict

import numpy as np
import pandas as pd
from scipy.stats import ortho_group
from studies.validity.rates import Rates

from herbarium.metrics.languages import alignment, known, lists, numbers, score, spaces, stimuli
from herbarium.metrics.languages.alignment import Pool
from herbarium.metrics.languages.spaces import Space
from herbarium.statistics.inference import stabilised_interval, t_interval, t_p_value
from herbarium.vectors import planted

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS = 50
DESIGNS = {"30 pairs, 8 seeds": (30, 8), "60 pairs, 12 seeds": (60, 12), "250 pairs, 10 seeds": (250, 10)}
# What vectors hold: of seeds, and of occupations.
WORLDS = {
    "no gender": {"gender": 0.0, "mean": 0.0, "spread": 0.0},
    "gender, no lean": {"gender": 1.0, "mean": 0.0, "spread": 0.0},
    "gender, leans of mean 0": {"gender": 1.0, "mean": 0.0, "spread": 0.6},
    "gender, a lean": {"gender": 1.0, "mean": 0.4, "spread": 0.3},
}
# Pairs, seeds, pairs of the dictionary, and how far translations are off, of the length of a word. Of a quarter of the
# studies: each has six alignments.
ALIGNED = {"60 pairs, 12 seeds, 200 translations": (60, 12, 200, 0.3)}
PLANTED = (0.0, 1.0, 2.0)  # strengths
OWN_OF_FORM = 0.3  # what a form has alone, of the length of a word


def words(random, n_pairs, n_seeds, gender, mean, spread):
    """Vectors of the masculine and feminine forms, and of the seeds of both genders."""

    def noise(n):
        return random.normal(size=(n, DIMENSIONS)) / np.sqrt(DIMENSIONS)

    direction = np.eye(DIMENSIONS)[0]
    topics, seeds = noise(n_pairs), noise(n_seeds)
    lean = mean + spread * random.normal(size=(n_pairs, 1))
    # the feminine form lies less far on its side than the masculine one on its own, by twice the lean
    forms = [topics + OWN_OF_FORM * noise(n_pairs) + (sign * gender + lean) * direction for sign in (1, -1)]
    return *forms, *(seeds + OWN_OF_FORM * noise(n_seeds) + sign * gender * direction for sign in (1, -1))


def other_lengths(random, design, world):
    """Gaps, and those in a space in which all directions have other lengths, that of gender a larger one."""
    arrays = words(random, *design, **world)
    lengths = np.repeat([1.3, 0.7], DIMENSIONS // 2)
    lengths[0] = 1.5
    return score.gaps(*arrays), score.gaps(*(vectors * lengths for vectors in arrays))


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        for world, strengths in WORLDS.items():
            yield from of_world(n, f"{name}, {world}", design, strengths)
            yield from of_change(n, f"{name}, {world}", design, strengths)
    for name, design in ALIGNED.items():
        for world in ("no gender", "gender, a lean"):
            yield from of_pivot(n // 4, f"{name}, {world}", design, WORLDS[world])
    for strength in PLANTED:
        yield from of_planted(n // 4, strength)


def of_world(n, name, design, world):
    tally, all_of = Rates("languages", name), defaultdict(list)
    for seed in range(n):
        random = np.random.default_rng([1, seed])
        before, longer = other_lengths(random, design, world)
        p = score.seeds_p_value(before, random)
        tally.add("power" if world["gender"] else "type I error", "shared", p <= ALPHA)
        mean, at_null = score.shared_mean(before)
        all_of["shared"].append((mean.estimate, stabilised_interval(mean, at_null, LEVEL)))
        lean = score.lean(before)
        tally.add("power" if world["mean"] else "type I error", "lean", t_p_value(lean) <= ALPHA)
        means = {
            "lean": lean,
            "inbias": score.jackknife(score.in_bias, before),
            "inbias_released": score.jackknife(score.in_bias_released, before),
            "inbias_change": score.change(score.in_bias, before, longer),
        }
        for variant, mean in means.items():
            all_of[variant].append((mean.estimate, t_interval(mean, LEVEL)))
    for variant, estimates in all_of.items():
        true = np.mean([estimate for estimate, _ in estimates])
        for _, (low, high) in estimates:
            tally.add("coverage", variant, low <= true <= high)
    return tally.rows()


def of_change(n, name, design, world):
    """What `lean` is in a second space less what it is in the first, of the same pairs and seeds."""
    tally, all_of = Rates("languages", name), []
    for seed in range(n):
        before, longer = other_lengths(np.random.default_rng([1, seed]), design, world)
        change = score.lean(longer - before)
        tally.add("power" if world["mean"] else "type I error", "lean_change", t_p_value(change) <= ALPHA)
        all_of.append((change.estimate, t_interval(change, LEVEL)))
    true = np.mean([estimate for estimate, _ in all_of])
    for _, (low, high) in all_of:
        tally.add("coverage", "lean_change", low <= true <= high)
    return tally.rows()


def of_pivot(n, name, design, world):
    """A pivot that is the language's own space, turned, with noise: it does what the controls do."""
    n_pairs, n_seeds, n_translations, off = design
    tally = Rates("languages", name)
    for seed in range(n):
        random = np.random.default_rng([2, seed])
        noise = words(random, n_pairs, n_seeds, **world)
        x = random.normal(size=(2 * n_translations, DIMENSIONS)) / np.sqrt(DIMENSIONS)
        y = x + off * random.normal(size=x.shape) / np.sqrt(DIMENSIONS)
        x, y = alignment.unit(x), alignment.unit(y @ ortho_group.rvs(DIMENSIONS, random_state=seed))
        train = slice(0, n_translations)
        fit = alignment.rcsls(x[train], y[train], Pool(x, y))
        language, others = (Space(pd.RangeIndex(len(side)), side) for side in (x, x[n_translations:]))
        controls = [spaces.control(language, others, x[train], y[train], random) for _ in range(spaces.N_CONTROLS)]
        after, *copies = (score.gaps(*(vectors @ w.T for vectors in noise)) for w in (fit.w, *controls))
        excess = score.excess(score.in_bias, after, np.stack(copies, axis=-1))
        low, high = t_interval(excess, LEVEL)
        tally.add("type I error", "inbias_excess", t_p_value(excess) <= ALPHA)
        tally.add("coverage", "inbias_excess", low <= 0 <= high)
    return tally.rows()


def of_planted(n, strength):
    """The project's lists in planted vectors: each of two languages by itself, and in the space of the other, beside
    what is expected of it (`known.expected`)."""
    tally = Rates("languages", f"planted vectors, strength {strength:g}")
    lists_by_language = {name: lists.read(f"resources/languages/{name}", "lists") for name in ("english", "spanish")}
    dictionary = lists.read_dictionary("resources/languages/demo/spanish-english.train.txt")
    concepts = stimuli.concepts([("spanish", "english", dictionary)])
    words = {
        language: stimuli.words(
            words_of_language,
            dictionary[side],
            {word: one for (spoken, word), one in concepts.items() if spoken == language},
            [],
        )
        for (language, words_of_language), side in zip(lists_by_language.items(), ("target", "source"), strict=True)
    }
    for seed in range(n):
        by_language = {}
        for language, table in words.items():
            columns = (table[name] for name in ("text", "concept", "gender", "lean"))
            drawn = planted.vectors(*columns, language, strength, language == "spanish", 30_000 + seed)
            by_language[language] = Space(pd.Index(table["text"]), alignment.unit(drawn))
        for language, pivot in (("spanish", "english"), ("english", "spanish")):
            sides = (
                dictionary
                if language == "spanish"
                else dictionary[["target", "source"]].set_axis(["source", "target"], axis=1)
            )
            rows = spaces.known(by_language[language], by_language[pivot], sides)
            x, y = by_language[language].vectors[rows["source"]], by_language[pivot].vectors[rows["target"]]
            pool = Pool(
                *(by_language[name].without(lists_by_language[name].words).vectors for name in (language, pivot))
            )
            moved = alignment.mapped(by_language[language].vectors, alignment.rcsls(x, y, pool).w)
            for what, space in (
                ("", by_language[language]),
                (" after alignment", Space(by_language[language].words, moved)),
            ):
                measured = numbers.gaps(lists_by_language[language], space)
                lean = score.lean(measured.gaps)
                is_strong = (measured.pairs["masculine"] != measured.pairs["feminine"]).to_numpy()
                low, high = t_interval(lean, LEVEL)
                tally.add("power" if strength else "type I error", f"lean{what}, {language}", t_p_value(lean) <= ALPHA)
                tally.add("coverage", f"lean{what}, {language}", low <= known.expected(strength, is_strong) <= high)
    return tally.rows()
