"""Word associations: error rates of tests, coverage of intervals.

Vectors are normal: of what a word means, of what it leans to along the gender direction, and of what the words of a
list have in common besides, in spaces all of whose directions are alike and in those that a few dominate, as those of
language models are. The direction of a test without bias is the difference of two words that mean nothing.
"""

from pathlib import Path

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.word_associations import along as of_directions
from herbarium.metrics.word_associations import association_tests as tests
from herbarium.metrics.word_associations import benchmarks, calibration, changes, lists, projection, sembias, stimuli
from herbarium.metrics.word_associations.along import Direction
from herbarium.metrics.word_associations.sembias import CATEGORIES, DEFINITION, STEREOTYPE
from herbarium.metrics.word_associations.space import Space
from herbarium.statistics.correlation import p_value, spearman
from herbarium.statistics.inference import t_interval, t_p_value
from herbarium.statistics.leaving_out import by_leaving_out, share, share_interval
from herbarium.statistics.randomisation import sign_flip
from herbarium.training import cooccurrence, glove
from herbarium.vectors import planted
from herbarium.vectors.directions import unit

METRIC = "word_associations"
LEVEL, ALPHA = 0.95, 0.05
D = 100
DRAWS = 399  # of random directions; tests of the metric look at more
LARGE = 200_000
# Of vectors that are trained: sentences with each word, and half the log-odds that a word of one gender stands beside
# another of the same.
SENTENCES, ITERATIONS, BY_DEFINITION = 100, 60, 1.0
FOLDER = Path("resources/word_associations")
WOMEN = "resources/sentence_sets/winobias_women.csv"
INSTANCES = lists.read_sembias(FOLDER / "sembias")
CATEGORY = np.array(INSTANCES.category)
# Mean scores of definition and stereotype pairs, in standard deviations; of the others 0.
SHARES = {"no lean": (0.0, 0.0), "weak": (1.0, 0.3), "strong": (2.5, 1.0), "very strong": (4.0, 1.0)}
# Whether three directions dominate the space, and how much the words of a list have in common.
SPACES = {
    "even space": (False, 0.0),
    "uneven space": (True, 0.0),
    "even space, something in common": (False, 1.0),
    "uneven space, something in common": (True, 1.0),
}


def rates(n):
    """n: simulated studies of each design."""
    for name, means in SHARES.items():
        yield from of_shares(n, name, means)
    for name, space in SPACES.items():
        yield from of_random_directions(n, name, *space)
    for lean in (0.0, 0.3, 1.0):
        yield from of_lean(n, lean)
    for size in (8, 15):
        for effect in (0.0, 0.5):
            yield from of_tests(n, size, effect)
    yield from of_rnsb(n)
    yield from of_benchmarks(n)
    yield from of_planted(n)
    yield from of_changes(n)
    yield from of_trained(n)


def of_shares(n, name, means):
    """Shares of instances, as the product of two lists of pairs has them."""
    tally = Rates(METRIC, f"20 × 20 pairs, {name}")
    random = np.random.default_rng(1)
    # the best of two other pairs, each instance's own
    definition, stereotype = (mean + random.normal(size=LARGE) for mean in means)
    none = random.normal(size=(2, LARGE)).max(axis=0)
    true = {
        DEFINITION: (definition > np.maximum(stereotype, none)).mean(),
        STEREOTYPE: (stereotype > np.maximum(definition, none)).mean(),
    }
    for seed in range(n):
        random = np.random.default_rng([1, seed])
        scores = random.normal(size=len(CATEGORY))
        for category, mean in zip(CATEGORIES, means, strict=False):
            scores[category == CATEGORY] += mean
        outcomes = sembias.outcomes(scores, INSTANCES.rows)
        for category, share_of in true.items():
            low, high = share_interval(*sembias.share_of(category, outcomes, INSTANCES), LEVEL)
            tally.add("coverage", f"sembias {category}", low <= share_of <= high)
    return tally.rows()


def of_random_directions(n, name, is_uneven, in_common):
    """Pairs and occupations that have to do with one another, along a direction that has to do with neither."""
    tally = Rates(METRIC, f"{name}, no lean")
    first, second = np.array(INSTANCES.rows).T[[0, 3]]
    of_list = [np.unique(places) for places in (first, second)]
    women = np.linspace(0, 1, 40)
    for seed in range(n):
        random = np.random.default_rng([2, seed])
        scale = np.where(np.arange(D) < 3, 6.0, 1.0) if is_uneven else np.ones(D)

        def vectors(n, random=random, scale=scale):
            return scale * random.normal(size=(n, D)) + 1

        differences = vectors(len(CATEGORY)) - vectors(len(CATEGORY))
        for places in of_list:
            differences[places] += in_common * (vectors(1) - 1)
        occupations = vectors(40) + in_common * np.outer(2 * women - 1, vectors(1) - 1)
        one, other = vectors(2)
        direction = of_directions.gender(one[None], other[None], "pair").of
        drawn = random.normal(size=(DRAWS, D))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        cosines = sembias.cosines(differences, direction)
        share_of = sembias.shares(sembias.outcomes(cosines, INSTANCES.rows))[0]
        at_random = sembias.shares_at_random(differences, INSTANCES, drawn)[:, 0]
        tally.add("type I error", "sembias definition", of_directions.p_value(share_of, at_random) <= ALPHA)
        lean, leans = (
            sembias.standardised(sembias.lean(STEREOTYPE, side, INSTANCES))
            for side in (cosines, sembias.cosines(differences, drawn))
        )
        tally.add("type I error", "stereotype lean", of_directions.p_value(float(lean), leans) <= ALPHA)
        r = spearman(occupations @ direction, women)
        rs = projection.correlations_at_random(occupations, women, drawn)
        tally.add("type I error", "projection women", of_directions.p_value(abs(r), np.abs(rs)) <= ALPHA)
        # pairs and occupations, and not the direction, as what is exchangeable
        base = sembias.lean(STEREOTYPE, cosines, INSTANCES)
        tally.add("type I error, not advised", "stereotype lean, signs", sign_flip(base, random) <= ALPHA)
        tally.add("type I error, not advised", "projection women, t", p_value(float(r), len(women)) <= ALPHA)
    return tally.rows()


def of_lean(n, lean):
    """Intervals over words, along a direction that is known, and over words and pairs, along one made of ten pairs."""
    g = np.eye(D)[0]

    def world(random, n_words):
        women = random.uniform(size=n_words)
        along = lean * (1 - 2 * women) + random.normal(size=n_words)
        rest = random.normal(size=(n_words, D - 1))
        words = np.column_stack([along, rest])
        return words / np.linalg.norm(words, axis=1, keepdims=True), women

    words, women = world(np.random.default_rng(3), 20_000)
    true = {"women": float(spearman(words @ g, women)), "size": float(np.abs(words @ g).mean())}
    single = words[:, 0]  # as of pairs that lean
    for name in ("one pair", "ten pairs"):
        tally = Rates(METRIC, f"40 words, {name}, lean {lean:g}")
        for seed in range(n):
            random = np.random.default_rng([3, seed])
            noise, share_of_women = world(random, 40)
            if name == "one pair":
                along = Direction(g, np.empty((0, D)))
            else:
                differences = 4 * g + random.normal(size=(10, D)) / 2
                along = of_directions.gender(differences, np.zeros_like(differences), "mean")
            low, high = np.tanh(t_interval(projection.with_women(noise, share_of_women, along), LEVEL))
            tally.add("coverage", "projection women", low <= true["women"] <= high)
            low, high = t_interval(projection.mean_size(noise, along), LEVEL)
            tally.add("coverage", "projection size", low <= true["size"] <= high)
            if name == "one pair":
                low, high = t_interval(by_leaving_out(np.mean, noise[:20, 0]), LEVEL)
                tally.add("coverage", "stereotype lean", low <= single.mean() <= high)
        yield from tally.rows()


def of_tests(n, size, effect):
    """WEAT, beside what it is on average, and RND: every set leans its way by so much, beside noise of length 1."""
    tally = Rates(METRIC, f"{size} words a set, effect {effect:g}")
    g, shift = np.eye(D)[0], np.array([1.0, -1.0, 1.0, -1.0])

    def world(random, size):
        return [random.normal(size=(size, D)) / np.sqrt(D) + effect * sign * g for sign in shift]

    large = world(np.random.default_rng(4), 20_000)
    unit = [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in large]
    means = [vectors.mean(axis=0) for vectors in unit[:2]]
    true = np.subtract(*(np.linalg.norm(unit[2] - mean, axis=1).mean() for mean in means))
    # d is of sets of this size: of more attributes it is larger, as they leave less noise in s
    effects = []
    sets = np.split(np.arange(4 * size), 4)
    for seed in range(n):
        random = np.random.default_rng([4, seed])
        words = np.concatenate(world(random, size))
        words /= np.linalg.norm(words, axis=1, keepdims=True)
        table = tests.cosines(words[:, None], np.arange(2 * size), np.arange(2 * size, 4 * size))
        inside = [*sets[:2], *sets[:2]]
        effects.append(tests.weat(table, *inside))
        low, high = t_interval(tests.rnd(words, *sets[:3]), LEVEL)
        tally.add("coverage", "rnd", low <= true <= high)
        what = "power" if effect else "type I error"
        tally.add(what, "weat", tests.weat_p_value(table, *inside, random) <= ALPHA)
        tally.add(what, "rnd", tests.rnd_p_value(words, *sets[:3], random) <= ALPHA)
    expected = np.mean([mean.estimate for mean in effects])
    for mean in effects:
        low, high = t_interval(mean, LEVEL)
        tally.add("coverage", "weat", low <= expected <= high)
    return tally.rows()


def of_rnsb(n):
    """RNSB beside what it is on average; and its test, of attributes that are alike. A third as many studies."""
    for effect in (0.0, 0.5):
        tally, values = Rates(METRIC, f"8 words a set, effect {effect:g}"), []
        for seed in range(n // 3):
            random = np.random.default_rng([5, seed])
            words = random.normal(size=(32, D)) / np.sqrt(D)
            words[:, 0] += effect * np.repeat([1, -1, 1, -1], 8)
            sets = np.arange(16), np.arange(16, 24), np.arange(24, 32)
            values.append(tests.rnsb(words, *sets))
            p = of_directions.p_value(values[-1].estimate, tests.rnsb_at_random(words, *sets, random))
            tally.add("power" if effect else "type I error", "rnsb", p <= ALPHA)
        expected = np.mean([value.estimate for value in values])
        for value in values:
            low, high = t_interval(value, LEVEL)
            tally.add("coverage", "rnsb", low <= expected <= high)
        yield from tally.rows()


class Project:
    """What the project's lists have of a space: their numbers, intervals and p-values along he - she."""

    def __init__(self):
        entry = {"directions": {"he-she": {"pairs": FOLDER / "pairs.csv", "method": "pair"}}}
        entry |= {"sembias": {"own": {"table": FOLDER / "sembias"}}, "similarity": {}, "analogies": {}}
        entry |= {"occupations": {"jobs": {"table": WOMEN, "women": "per cent women"}}}
        entry |= {"tests": {"family": {"words": FOLDER / "tests/career_family.csv", "templates": []}}}
        self.lists = stimuli.read(entry)
        self.words = stimuli.words(self.lists)
        self.occupations, self.women = self.lists.occupations["jobs"]

    def planted(self, source, strength, seed):
        columns = (self.words[column].to_numpy() for column in ("text", "concept", "gender", "lean"))
        return self.space(planted.vectors(*columns, source, strength, False, seed))

    def space(self, values):
        return Space(self.words["text"].tolist(), values, np.ones(len(self.words)))

    def measured(self, space, random):
        """Estimate, bounds and p-value by the name of a number."""
        pairs, sets = INSTANCES.pairs, [*np.split(np.arange(16), 2), *np.split(np.arange(16), 2)]
        test = stimuli.all_words(self.lists.tests["family"])
        along = of_directions.gender(space.of(["he"]), space.of(["she"]), "pair")
        drawn = of_directions.at_random(space.values.shape[1], random)[:DRAWS]
        differences = space.of(a for a, _ in pairs) - space.of(b for _, b in pairs)
        lean, leans = (
            sembias.lean(STEREOTYPE, sembias.cosines(differences, side), INSTANCES) for side in (along.of, drawn)
        )
        jobs = unit(space.of(self.occupations))
        z = projection.with_women(jobs, self.women, along)
        rs = projection.correlations_at_random(jobs, self.women, drawn)
        table = tests.cosines(space.of(test)[:, None], np.arange(16), np.arange(16, 32))
        values, weat = by_leaving_out(np.mean, lean), tests.weat(table, *sets)
        p = of_directions.p_value(float(sembias.standardised(lean)), sembias.standardised(leans))
        return {
            "stereotype lean": (values.estimate, t_interval(values, LEVEL), p),
            "projection women": (
                np.tanh(z.estimate),
                np.tanh(t_interval(z, LEVEL)),
                of_directions.p_value(abs(np.tanh(z.estimate)), np.abs(rs)),
            ),
            "weat": (
                tests.effect_of(weat.estimate, *sets[:2]),
                [tests.effect_of(bound, *sets[:2]) for bound in t_interval(weat, LEVEL)],
                tests.weat_p_value(table, *sets, random),
            ),
        }


def of_planted(n):
    """Dose and response: what is found in planted vectors of the project's lists, beside what is expected of them."""
    project = Project()
    for strength in (0.0, 1.0, 2.0):
        tally = Rates(METRIC, f"planted vectors, strength {strength:g}")
        expected = calibration.expected(project.lists, strength, seed=10_000)
        for seed in range(n):
            random = np.random.default_rng([8, seed])
            measured = project.measured(project.planted(f"study {seed}", strength, 20_000 + seed), random)
            for (metric, _), true in expected.items():
                name = metric.replace("_", " ")
                _, (low, high), p = measured[name]
                tally.add("coverage", name, low <= true <= high)
                tally.add("power" if strength else "type I error", name, p <= ALPHA)
        yield from tally.rows()


def of_trained(n):
    """The project's lists in vectors that GloVe learns from sentences in which words stand beside words of men and of
    women as often as `stimuli.leaning` and the strength say; and what is found there of SemBias. Coverage is of what
    is found on average. A third as many studies."""
    project = Project()
    for strength in (0.0, 0.5, 1.0):
        tally, all_of = Rates(METRIC, f"trained vectors, strength {strength:g}"), []
        for seed in range(n // 3):
            random = np.random.default_rng([9, seed])
            space = trained(project, strength, seed, random)
            all_of.append(project.measured(space, random) | {"sembias definition": of_sembias(space)})
        for name in all_of[0]:
            true = np.mean([measured[name][0] for measured in all_of])
            for measured in all_of:
                _, (low, high), p = measured[name]
                tally.add("coverage", name, low <= true <= high)
                if p is not None:
                    tally.add("power" if strength else "type I error", name, p <= ALPHA)
        yield from tally.rows()


def trained(project, strength, seed, random):
    """The words of the project's lists in vectors of 25 dimensions, each from SENTENCES sentences. Every word has
    some others that it stands beside more often, whatever its gender."""
    lean, gender = (project.words[name].to_numpy() for name in ("lean", "gender"))
    pairs = project.lists.directions["he-she"][0]
    p_masculine = 1 / (1 + np.exp(-2 * (strength * lean + BY_DEFINITION * gender)))
    others = [f"other{k}" for k in range(100)]
    texts = []
    words = [word.lower().replace(" ", "_") for word in project.words["text"]]
    for word, p in zip(words, p_masculine, strict=True):
        noise = random.choice(100, 8, replace=False)
        about = random.choice(noise, (SENTENCES, 3))
        side = (random.random(SENTENCES) > p).astype(int)
        which = random.integers(len(pairs), size=SENTENCES)
        texts += [
            f"{others[a]} {word} {pairs[k][side_number]} {others[b]} {others[c]}"
            for (a, b, c), k, side_number in zip(about, which, side, strict=True)
        ]
    known = cooccurrence.encoded(texts, 5)
    vectors = glove.train(cooccurrence.cooccurrences(known, 5), len(known.words), 25, ITERATIONS, seed).vectors
    row = {word: place for place, word in enumerate(known.words)}
    return project.space(vectors[[row[word] for word in words]].astype(float))


def of_sembias(space):
    """The share of definition pairs and its bounds."""
    along = of_directions.gender(space.of(["he"]), space.of(["she"]), "pair").of
    differences = space.of(a for a, _ in INSTANCES.pairs) - space.of(b for _, b in INSTANCES.pairs)
    result = sembias.outcomes(sembias.cosines(differences, along), INSTANCES.rows)
    mean, fewest = sembias.share_of(DEFINITION, result, INSTANCES)
    return mean.estimate, share_interval(mean, fewest, LEVEL), None


def of_changes(n):
    """What the project's lists have in a second source less what they have in the first, of the same words: planted
    vectors that share what words mean."""
    project = Project()
    for before, after in ((0.0, 0.0), (1.0, 1.0), (2.0, 1.0)):
        tally, all_of = Rates(METRIC, f"planted vectors, strength {before:g} and then {after:g}"), []
        for seed in range(n):
            spaces = [
                project.planted(f"{side} {seed}", strength, 30_000 + seed)
                for side, strength in (("before", before), ("after", after))
            ]
            differences = changes.differences(*spaces, project.lists)
            all_of.append({f"{metric} change".replace("_", " "): mean for metric, _, mean, _ in differences})
        for name in all_of[0]:
            true = np.mean([changes_by_name[name].estimate for changes_by_name in all_of])
            for changes_by_name in all_of:
                low, high = t_interval(changes_by_name[name], LEVEL)
                tally.add("coverage", name, low <= true <= high)
                tally.add(
                    "type I error" if before == after else "power", name, t_p_value(changes_by_name[name]) <= ALPHA
                )
        yield from tally.rows()


def of_benchmarks(n):
    """Similarity of pairs of words of which some are in several; analogies of every pair with every other."""
    # Spearman's of a normal correlation of .5, and none
    for true, slope in ((0.0, 0.0), (6 / np.pi * np.arcsin(0.5 / 2), 0.5)):
        tally = Rates(METRIC, f"200 pairs of 200 words, true {true:.2f}")
        for seed in range(n):
            random = np.random.default_rng([6, seed])
            pairs = np.array([random.choice(200, 2, replace=False) for _ in range(200)])
            x, error = (_of_words(random, pairs) for _ in range(2))
            z = benchmarks.similarity(x, slope * x + np.sqrt(1 - slope**2) * error, pairs)
            low, high = np.tanh(t_interval(z, LEVEL))
            tally.add("coverage", "similarity", low <= true <= high)
            tally.add("power" if slope else "type I error", "similarity", t_p_value(z) <= ALPHA)
        yield from tally.rows()
    pairs = np.array([(i, j) for i in range(20) for j in range(20) if i != j])
    for mean in (0.0, 1.5):
        tally = Rates(METRIC, f"20 pairs, each with every other, mean {mean:g}")
        true = (mean + np.random.default_rng(7).normal(size=LARGE) > 0).mean()
        for seed in range(n):
            random = np.random.default_rng([7, seed])
            of_pair = random.normal(size=(2, 20)) / np.sqrt(3)
            noise = random.normal(size=len(pairs)) / np.sqrt(3)
            right = mean + of_pair[0][pairs[:, 0]] + of_pair[1][pairs[:, 1]] + noise > 0
            low, high = share_interval(share(right, pairs), 20, LEVEL)
            tally.add("coverage", "analogy", low <= true <= high)
        yield from tally.rows()


def _of_words(random, pairs):
    """Numbers of pairs of words, of which a third of the variance is of each word."""
    words = random.normal(size=pairs.max() + 1)
    return (words[pairs].sum(axis=1) + random.normal(size=len(pairs))) / np.sqrt(3)
