"""Simulated log P' of 30 targets, on lists like those of the eight languages: templates and attributes are drawn anew.

What a sentence has beside its target: the target's own, the template's, the attribute's (the bias: three components of
attributes and of targets), the word form's (six components: noise that all templates of a form share), and the rest.
Sizes are in standard deviations of the last; those of the designs span what trained models of the testbed have.

Two designs without bias have something else that both forms of an attribute share (`SHARED`). `shared`: this share of
the variance of the noise of word forms is the same in both forms. `profile`: every attribute moves all targets by a
multiple of one profile of theirs, the same in both forms; the profile is drawn per study from a standard normal
distribution, and the multiples have this standard deviation over attributes.

Of causal models log P' is the same function of other numbers: log-likelihoods of sentences, normalised over targets,
minus the mean over attributes. Their noise adds up over the one to three tokens of an attribute, in all of its
sentences; attributes of equal length are a stratum.
"""

import numpy as np
from scipy.special import log_softmax, logsumexp
from studies.validity.rates import Rates

from herbarium.core.random import stream
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.differences import difference
from herbarium.metrics.categorical_bias.numbers import (
    Cells,
    covariance_interval,
    equivalence_bound,
    length_share,
    permutation_p_value,
)
from herbarium.statistics import inference

N_TARGETS, LEVEL, ALPHA, PERMUTATIONS = 30, 0.95, 0.05, 199
# What is not said: 5 templates a form, 50 attributes.
DESIGN = {"templates": 5, "attributes": 50, "own": 1.0, "template": 1.0, "word": 1.0, "rest": 1.0}
DESIGNS = {
    "as trained": {},
    "three templates a form": {"templates": 3},
    "20 attributes": {"attributes": 20},
    "templates dominate": {"template": 4.0},
    "word forms dominate": {"word": 4.0},
    "targets dominate": {"own": 4.0},
    "heavy-tailed targets": {"targets": 3},
    "heavy-tailed words": {"words": 4},
    "templates differ in bias": {"unequal": 0.3},
}
CAUSAL = {"as of causal models": {}, "as of causal models, 20 attributes": {"attributes": 20}}
MOST_TOKENS = 3
STRENGTHS = (0.1, 0.2, 0.3, 0.4, 0.5)
SHARED = {
    "5 % of the noise of word forms shared by both": {"shared": 0.05},
    "10 % of the noise of word forms shared by both": {"shared": 0.1},
    "a profile of targets in all attributes, .3": {"profile": 0.3},
    "a profile of targets in all attributes, .4": {"profile": 0.4},
}


class Study:
    """Thirty targets and a strength; `sentences` draws templates and attributes."""

    def __init__(self, strength, targets=None, words=None, unequal=0.0, shared=0.0, profile=0.0, **sizes):
        self.strength, self.words, self.unequal = strength, words, unequal
        self.shared, self.profile = shared, profile
        self.sizes = DESIGN | sizes
        self.lengths = np.ones(self.sizes["attributes"], dtype=int)
        random = np.random.default_rng(0)
        draw = random.standard_normal if targets is None else lambda size: random.standard_t(targets, size)
        self.lean, self.noise = draw((N_TARGETS, 3)), draw((N_TARGETS, 6))
        self.own = self.sizes["own"] * draw(N_TARGETS)

    @property
    def covariance(self):
        """Of two forms of an attribute."""
        return self.strength**2 * self.lean.var(axis=0, ddof=1).mean()

    @property
    def cb(self):
        of_templates = np.exp(self.unequal**2)  # the mean square of a factor of mean 1
        of_words = self.sizes["word"] ** 2 * self.noise.var(axis=0, ddof=1).mean()
        of_sentences = self.sizes["template"] ** 2 + self.sizes["rest"] ** 2
        return self.own.var(ddof=1) + of_templates * self.covariance + of_words + of_sentences

    def draw_words(self, random, n, components):
        drawn = random.standard_normal((n, components))
        if self.words:
            drawn = random.standard_t(self.words, (n, components)) / np.sqrt(self.words / (self.words - 2))
        return drawn / np.sqrt(components)

    def bias(self, random):
        return self.strength * self.draw_words(random, self.sizes["attributes"], 3) @ self.lean.T

    def templates(self, random):
        n = 2 * self.sizes["templates"]
        factors = np.exp(self.unequal * random.standard_normal(n) - self.unequal**2 / 2)
        return factors, self.sizes["template"] * random.standard_normal((n, 1, N_TARGETS))

    def sentences(self, random, bias, templates):
        """(n_templates, n_attributes, n_targets) log P'; the first half of the templates show one form."""
        factors, of_templates = templates
        n, n_attributes = self.sizes["templates"], self.sizes["attributes"]
        per_token = np.sqrt(self.lengths)[:, None]
        of_words = [
            self.sizes["word"] * per_token * self.draw_words(random, n_attributes, 6) @ self.noise.T for _ in range(2)
        ]
        if self.shared:
            of_both = self.sizes["word"] * self.draw_words(random, n_attributes, 6) @ self.noise.T
            of_words = [np.sqrt(self.shared) * of_both + np.sqrt(1 - self.shared) * of_word for of_word in of_words]
        if self.profile:
            bias = bias + self.profile * np.outer(
                random.standard_normal(n_attributes), random.standard_normal(N_TARGETS)
            )
        rest = self.sizes["rest"] * per_token * random.standard_normal((2 * n, n_attributes, N_TARGETS))
        return self.own + of_templates + factors[:, None, None] * bias + np.repeat(of_words, n, axis=0) + rest

    def forms(self, log_p):
        is_one = np.arange(len(log_p)) < self.sizes["templates"]
        return cb.Forms.of(log_p, is_one, self.lengths, np.zeros(N_TARGETS, int))


def rates(n):
    """n: simulated studies of each design."""
    for name, sizes in DESIGNS.items():
        for strength in (0.0, 0.5, 2.0):
            yield from of_design(n, f"{name}, strength {strength:g}", Study(strength, **sizes))
    for name, sizes in CAUSAL.items():
        for strength in (0.0, 0.5, 2.0):
            yield from of_causal(n, f"{name}, strength {strength:g}", Study(strength, **sizes))
    for strength in (0.0, 0.5):
        yield from of_secondary(n, Study(strength))
    for strength in STRENGTHS:
        yield from of_tests(n, f"as trained, strength {strength:g}", Study(strength))
    for name, sizes in SHARED.items():
        yield from of_tests(n, f"{name}, strength 0", Study(0.0, **sizes))
    for name, sizes in DESIGNS.items():
        yield from of_differences(n, name, sizes)
    for strength in (0.0, 1.0):
        yield from of_divergences(n, Study(strength))


def covers(bounds, truth):
    return bounds[0] <= truth <= bounds[1]


def of_design(n, design, study):
    yield from of_sentences(n, design, study, lambda random: drawn(study, random), study.cb)


def of_causal(n, design, study):
    def sentences(random):
        study.lengths = random.integers(1, MOST_TOKENS, len(study.lengths), endpoint=True)
        log_p = log_softmax(drawn(study, random), axis=2)
        return log_p - logsumexp(log_p, axis=1, keepdims=True)  # up to a constant

    truth = np.mean([cb.score(sentences(stream(seed, "validity", design, "truth"))) for seed in range(400)])
    yield from of_sentences(n, design, study, sentences, truth)


def drawn(study, random):
    return study.sentences(random, study.bias(random), study.templates(random))


def of_sentences(n, design, study, sentences, of_cb):
    """sentences: random -> log P'. of_cb: the true CB."""
    tally = Rates("categorical_bias", design)
    for seed in range(n):
        random = stream(seed, "validity", tally.design)
        log_p = sentences(random)
        forms = study.forms(log_p)
        mean = inference.crossed_mean(forms.products().mean(axis=3))
        if not study.strength:
            tally.add("type I error", "cross_form", permutation_p_value(forms, PERMUTATIONS, random) <= ALPHA)
        else:  # it is called equivalent to 0 within any larger bound: an error where the truth is no smaller
            tally.add("type I error", "cross_form_bound", equivalence_bound(forms, mean) < study.covariance)
        tally.add("coverage", "cross_form", covers(covariance_interval(forms)(mean, LEVEL), study.covariance))
        of_all = inference.crossed_mean(cb.variances(log_p))
        tally.add("coverage", "cb", covers(inference.log_interval(of_all, LEVEL), of_cb))
    return tally.rows()


def of_secondary(n, study):
    """CB of targets of equal length (20 of one sub-token, 10 of two), the share of length, CB of one template (the same
    in all studies), and what a target adds."""
    tally = Rates("categorical_bias", f"two lengths of targets, strength {study.strength:g}")
    lengths = np.repeat([1, 2], [20, 10]) * np.ones((2 * study.sizes["templates"], 1), dtype=int)
    given = study.templates(np.random.default_rng(1))

    def values(random):
        log_p = study.sentences(random, study.bias(random), study.templates(random))
        return {
            "cb": cb.variances(log_p),
            "cb_equal_length": cb.pair_variances(log_p, lengths),
            "cb of a template": cb.variances(study.sentences(random, study.bias(random), given)[:1]),
            "cb_contribution": cb.contributions(log_p)[:, :, 0],
        }

    drawn = [values(stream(seed, "validity", tally.design, "truth")) for seed in range(400)]
    truth = {name: np.mean([values_of_study[name].mean() for values_of_study in drawn]) for name in drawn[0]}
    for seed in range(n):
        values_of_study = values(stream(seed, "validity", tally.design))
        for name in ("cb_equal_length", "cb of a template", "cb_contribution"):
            tally.add(
                "coverage",
                name,
                covers(inference.log_interval(inference.crossed_mean(values_of_study[name]), LEVEL), truth[name]),
            )
        share = length_share(
            {name: Cells(values_of_study[name], (_keys(len(values_of_study[name]), ""),)) for name in values_of_study},
            LEVEL,
        )
        wanted = 1 - truth["cb_equal_length"] / truth["cb"]
        tally.add("coverage", "length_share", covers((share["ci_low"], share["ci_high"]), wanted))
    return tally.rows()


def of_tests(n, design, study):
    """Of the permutation test alone."""
    tally = Rates("categorical_bias", design)
    what = "power" if study.strength else "type I error"
    for seed in range(n):
        random = stream(seed, "validity", tally.design)
        forms = study.forms(study.sentences(random, study.bias(random), study.templates(random)))
        tally.add(what, "cross_form", permutation_p_value(forms, PERMUTATIONS, random) <= ALPHA)
    return tally.rows()


def of_differences(n, name, sizes):
    """Two models of one list and equal strength, that agree in what attributes and templates do, or in nothing."""
    for shared in (True, False):
        study = Study(1.0, **sizes)
        tally = Rates("categorical_bias", f"{name}, {'one list' if shared else 'two lists'}")
        for seed in range(n):
            random = stream(seed, "validity", tally.design)
            sides = [(study.bias(random), study.templates(random)) for _ in range(2)]
            sides = [sides[0], sides[0] if shared else sides[1]]
            both = [study.sentences(random, *side) for side in sides]
            for variant, cells in (("cross_form", _cells_of_forms), ("cb", _cells_of_cb)):
                mean = difference(*(cells(study, y, "" if shared else f"{i}") for i, y in enumerate(both)))
                tally.add("type I error", f"{variant} difference", inference.t_p_value(mean) <= ALPHA)
                tally.add("coverage", f"{variant} difference", covers(inference.t_interval(mean, LEVEL), 0))
        yield from tally.rows()


def _cells_of_forms(study, log_p, name):
    values = study.forms(log_p).products().mean(axis=3)
    return Cells(values, tuple(_keys(n, name) for n in values.shape))


def _cells_of_cb(_, log_p, name):
    values = cb.variances(log_p)
    return Cells(values, tuple(_keys(n, name) for n in values.shape))


def _keys(n, name):
    return np.array([f"{name}{i:03}" for i in range(n)])


def of_divergences(n, study):
    tally = Rates("categorical_bias", f"two languages, strength {study.strength:g}")

    def cells(random):
        bias = study.bias(random)
        both = (study.sentences(random, bias, study.templates(random)) for _ in range(2))
        return cb.divergences(*map(cb.distributions, both))

    truth = np.mean([cells(np.random.default_rng([1, seed])).mean() for seed in range(400)])
    for seed in range(n):
        mean = inference.crossed_mean(cells(stream(seed, "validity", tally.design)))
        tally.add("coverage", "jsd", covers(inference.log_interval(mean, LEVEL), truth))
    return tally.rows()
