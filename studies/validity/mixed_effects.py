"""Bias scores on the designs of the demo and of the published traits: words x templates x targets.

Standard deviations of words, and of words in single templates and with single targets, are the means of 24 models of
the testbed without bias (`OF_MODELS`; neo-pronouns twice as much); a design has others where it says so. `group`: what
the groups differ by in a template, with a target, or in a template with a target, their means being equal.

A model with a bias does not show the same bias in each template and with each target. The spreads of `BIASED` are those
of four testbed models with a planted bias of strength 1, and four of strength 2 (the demo's texts of HERB, Categorical
Bias and mixed effects, 1,000 steps, training seeds 1000 to 1003): by expected mean squares, averaged over models and
the four dimensions of the demo. Their mean standard error of male - female is .13 and .25; that of four models without
bias, .024. Power for a study of such models, with any true score, is that with these spreads.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy import stats
from studies.validity.rates import Rates

from herbarium.metrics.mixed_effects.figures.shared import magnitudes
from herbarium.report.answers import foremost
from herbarium.statistics import crossed, inference, mixed_model
from herbarium.statistics.fits import CROSSED, INTERCEPTS, WORDS

LEVEL, ALPHA, BOUND = 0.95, 0.05, np.log(1.25)
OF_MODELS = {"word": 0.055, "template": 0.085, "target": 0.025, "rest": 0.03}


@dataclass(frozen=True)
class Design:
    """first, second: words of each group; paired: whether they are pairs. spread: of the second group's words, times
    that of the first's. own: standard deviations of words. group: of a group in single templates, with single targets,
    and in single templates with single targets.
    """

    name: str
    first: int = 12
    second: int = 12
    templates: int = 6
    targets: int = 7
    spread: float = 1.0
    paired: bool = True
    own: dict = field(default_factory=lambda: OF_MODELS)
    group: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def sample(self, random, true):
        """Scores, of the first group's words `true` higher; (n_words, n_templates, n_targets)."""
        n = self.first + self.second
        size = (n, self.templates, self.targets)
        spread = np.repeat([1.0, self.spread], [self.first, self.second])[:, None, None]
        result = self.own["rest"] * random.normal(size=size)
        result += self.own["word"] * random.normal(size=(n, 1, 1))
        result += self.own["template"] * random.normal(size=(n, self.templates, 1))
        result += self.own["target"] * random.normal(size=(n, 1, self.targets))
        result *= spread
        of_group = np.where(self.is_first, 0, 1)
        result += (self.group[0] * random.normal(size=(2, self.templates, 1)))[of_group]
        result += (self.group[1] * random.normal(size=(2, 1, self.targets)))[of_group]
        if self.group[2]:
            result += (self.group[2] * random.normal(size=(2, self.templates, self.targets)))[of_group]
        return result + true * self.is_first[:, None, None]

    @property
    def is_first(self):
        return np.arange(self.first + self.second) < self.first

    @property
    def cluster(self):
        words = np.arange(self.first + self.second)
        return np.where(self.is_first, words, words - self.first) if self.paired else words


NEO = {"second": 5, "spread": 2.0, "paired": False}
DESIGNS = [
    Design("demo, male - female"),
    Design("demo, male - neo", **NEO),
    Design("traits, male - female", 90, 90, targets=13),
    Design("traits, male - neo", 90, targets=13, **NEO),
    Design("male - neo, words .1", own=OF_MODELS | {"word": 0.1}, second=5, paired=False),
    Design("male - neo, words .3", own=OF_MODELS | {"word": 0.3}, second=5, paired=False),
    Design("male - female, groups .05 in templates", group=(0.05, 0, 0)),
    Design("male - female, groups .2 in templates", group=(0.2, 0, 0)),
    Design("male - female, groups .1 in templates and targets", group=(0.1, 0.1, 0)),
    Design("male - female, four templates", templates=4, group=(0.1, 0, 0)),
    Design("four words of a group", 4, 4, paired=False),
]
OF_STRENGTH_1 = {"word": 0.045, "template": 0.1, "target": 0.025, "rest": 0.045}
OF_STRENGTH_2 = {"word": 0.07, "template": 0.125, "target": 0.045, "rest": 0.055}
_NEO = {"second": 5, "spread": 1.25, "paired": False}
BIASED = [
    Design("demo, male - female, spreads of strength 1", own=OF_STRENGTH_1, group=(0.2, 0.12, 0.07)),
    Design("demo, male - female, spreads of strength 2", own=OF_STRENGTH_2, group=(0.38, 0.23, 0.13)),
    Design("demo, male - neo, spreads of strength 1", own=OF_STRENGTH_1, group=(0.12, 0.06, 0.045), **_NEO),
    Design("demo, male - neo, spreads of strength 2", own=OF_STRENGTH_2, group=(0.22, 0.125, 0.09), **_NEO),
]
POWER = (0.05, 0.1, 0.2, 0.4, 0.8)


def rates(n):
    """n: simulated studies of each design."""
    for design in DESIGNS:
        yield from of_design(n, design, 0.0)
    for design in DESIGNS[:2]:
        for true in POWER:
            yield from of_design(n, design, true)
    yield from of_design(n, DESIGNS[0], BOUND)
    for design in BIASED:
        for true in (0.0, *POWER):
            yield from of_design(n, design, true)
    for n_dimensions in (4, 13):
        for true in (0.0, 0.1):
            yield from of_first_screen(n, n_dimensions, true)


def of_first_screen(n, n_dimensions, true):
    """The one number of several dimensions: every other one is measured with three times the spread."""
    tally = Rates("mixed_effects", f"first screen, {n_dimensions} dimensions, true {true:g}")
    designs = [
        replace(DESIGNS[0], own={of_model: sd * (1 + 2 * (d % 2)) for of_model, sd in OF_MODELS.items()})
        for d in range(2)
    ]
    random = np.random.default_rng(2)
    for _ in range(n):
        fits = []
        for dimension in range(n_dimensions):
            design = designs[dimension % 2]
            mean = crossed.difference(crossed.Words(design.sample(random, true), design.is_first, design.cluster))
            low, high = inference.t_interval(mean, LEVEL)
            row = {"model": "m", "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df}
            fits.append(row | {"ci_low": low, "ci_high": high, "p_value": inference.t_p_value(mean)})
        fits = pd.DataFrame(fits)
        fits = fits.assign(p_adjusted=inference.adjust(fits["p_value"].to_numpy(), "holm"))
        chosen = foremost(fits, ["model"], LEVEL).iloc[0]
        largest = magnitudes(fits).sort_values("estimate").iloc[-1]
        # simultaneous, so covering more than the level asks for is right: what is bounded is the share that misses
        misses = {
            side: not row["ci_low"] <= true <= row["ci_high"] for side, row in (("new", chosen), ("old", largest))
        }
        tally.add("type I error", "interval misses, clearest dimension", misses["new"])
        tally.add("type I error, withdrawn", "interval misses, largest dimension", misses["old"])
    return tally.rows()


def of_design(n, design, true):
    tally = Rates("mixed_effects", f"{design.name}, true {true:.3g}")
    random = np.random.default_rng(1)
    samples = [design.sample(random, true) for _ in range(n)]
    for scores in samples:
        mean = crossed.difference(crossed.Words(scores, design.is_first, design.cluster))
        rejects = inference.t_p_value(mean) <= ALPHA
        tally.add("power" if true else "type I error", f"bias, {CROSSED}", rejects)
        low, high = inference.t_interval(mean, LEVEL)
        tally.add("coverage", f"bias, {CROSSED}", low <= true <= high)
        is_equivalent = inference.equivalence(mean, BOUND, ALPHA).p_value <= ALPHA
        if true >= BOUND:
            tally.add("type I error", "equivalent", is_equivalent)
        else:
            tally.add("power", "equivalent", is_equivalent)
    if not true:
        for structure, groups in ((INTERCEPTS, ("template", "target")), (WORDS, ("template", "target", "word"))):
            for p in p_values(design, samples, groups):
                tally.add("type I error, withdrawn", f"bias, {structure}", p <= ALPHA)
    return tally.rows()


def p_values(design, samples, groups):
    """Of the published model with these random intercepts, by our own engine, which the tests hold against lme4."""
    keys = pd.MultiIndex.from_product([range(size) for size in samples[0].shape], names=["word", "template", "target"])
    x = np.column_stack([np.ones(len(keys)), design.is_first[keys.get_level_values("word")]])
    model_design = mixed_model.design(
        x, [keys.get_level_values(group).to_numpy() for group in groups], np.ones(len(keys))
    )
    for first in range(0, len(samples), 20):
        fits = mixed_model.fit(model_design, np.array([scores.ravel() for scores in samples[first : first + 20]]))
        yield from 2 * stats.t.sf(np.abs(fits.beta[:, 1] / fits.std_error[:, 1]), fits.df[:, 1])
