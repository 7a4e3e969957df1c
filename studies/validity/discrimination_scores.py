"""Discrimination scores: type I errors and coverage of mean contrasts, of their spread between decisions and of the
share of decisions above 0; and of the fixed effects of mixed models, as published and with a random intercept only.

The log-odds of a prompt are the sum of effects of the decision, of the person (`true` for the first contrast), of both
together (`slope`, which is what decisions differ in), and of the prompt alone.
"""

from itertools import product

import numpy as np
import pandas as pd
from studies.validity.rates import Rates

from herbarium.metrics.discrimination_scores import published, score
from herbarium.statistics import lme4, shares
from herbarium.statistics.inference import Mean, adjust, equivalence, sample_mean, t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
DECISION, PROMPT = 1.0, 0.3  # standard deviations
EFFECTS = {"references": {"gender": "male", "race": "white"}, "numeric": ["age"]}
PERSONS = pd.DataFrame(
    list(product("235", ["male", "female", "non-binary"], ["white", "A", "B", "C", "D"])),
    columns=["age", "gender", "race"],
)
WHOLE = score.design(PERSONS, **EFFECTS).to_numpy()
# Few, for fits that take a second.
NINE = PERSONS[PERSONS["age"].eq("2") & PERSONS["race"].isin(["white", "A", "B"])]
FEW = score.design(NINE, **EFFECTS | {"numeric": []})
CONTRAST = list(score.design(PERSONS, **EFFECTS)).index("gender: female")
# Decisions; standard deviation of slopes; how normal numbers become effects; prompts of a decision, of 45.
USUAL = {"n_decisions": 70, "slope": 0.5, "shape": "normal", "n_prompts": len(PERSONS)}
DESIGNS = {
    **{f"{n} decisions": {"n_decisions": n} for n in (5, 10, 70)},
    **{f"{n} decisions, heavy tails": {"n_decisions": n, "shape": "heavy"} for n in (5, 10, 70)},
    **{f"{n} decisions, skewed": {"n_decisions": n, "shape": "skewed"} for n in (5, 10, 70)},
    **{f"{n} decisions, alike": {"n_decisions": n, "slope": 0.0} for n in (10, 70)},
    **{f"{n} decisions, 12 of 45 prompts": {"n_decisions": n, "n_prompts": 12} for n in (10, 70)},
    "10 decisions, 12 of 45 prompts, heavy tails": {"n_decisions": 10, "n_prompts": 12, "shape": "heavy"},
}
OF_FITS = {
    "10 decisions, 9 prompts": {"n_decisions": 10},
    "10 decisions, 9 prompts, alike": {"n_decisions": 10, "slope": 0.0},
}
DRAWS = 10  # decisions, for each study, from which the true spread and share are known


def drawn(random, shape, *size):
    """Effects of mean 0 and variance 1; heavy tails are Student's with 3 degrees of freedom, skewed ones log-normal."""
    if shape == "skewed":
        return (np.exp(0.8 * random.normal(size=size)) - np.exp(0.32)) / np.sqrt((np.exp(0.64) - 1) * np.exp(0.64))
    return random.standard_t(3, size) / np.sqrt(3) if shape == "heavy" else random.normal(size=size)


def effects_of(random, n_contrasts, n_decisions, slope, shape, true, contrast):
    """(n_contrasts, n_decisions)"""
    effects = slope * drawn(random, shape, n_contrasts, n_decisions)
    effects[contrast] += true
    return effects


def log_odds(random, x, effects):
    """(n_prompts, n_decisions) of decisions about the same persons."""
    n_decisions = effects.shape[1]
    return x @ effects + DECISION * random.normal(size=n_decisions) + PROMPT * random.normal(size=(len(x), n_decisions))


def contrasts(random, design, true):
    """(n_decisions, n_contrasts), nan where a decision does not determine one."""
    n_decisions, n_prompts = design["n_decisions"], design["n_prompts"]
    effects = effects_of(random, WHOLE.shape[1], n_decisions, design["slope"], design["shape"], true, CONTRAST)
    y = log_odds(random, WHOLE, effects)
    if n_prompts == len(WHOLE):
        return score.within(WHOLE, y).T
    prompts = [random.permutation(len(WHOLE))[:n_prompts] for _ in range(n_decisions)]
    return np.array([score.within(WHOLE[rows], y[rows, place]) for place, rows in enumerate(prompts)])


def known(design, true, n_decisions):
    """The true spread of the contrast, and the true per cent of decisions in which it is above 0."""
    many = design | {"n_decisions": n_decisions}
    values = contrasts(np.random.default_rng(13), many, true)[:, CONTRAST]
    values = values[np.isfinite(values)]
    # what is left of the prompts' own variance; the effects' own is known, and has long tails
    alone = contrasts(np.random.default_rng(13), many | {"slope": 0.0, "shape": "normal"}, 0.0)[:, CONTRAST]
    return np.sqrt(design["slope"] ** 2 + np.nanvar(alone)), 100 * (values > 0).mean()


def rates(n):
    """n: simulated studies of each design; a tenth of them where mixed models are fitted."""
    for name, design in DESIGNS.items():
        for true in (0.0, 0.3):
            yield from of_design(n, name, USUAL | design, true)
    for n_decisions in (3, 4):
        yield from of_design(n, f"{n_decisions} decisions", USUAL | {"n_decisions": n_decisions}, 0.0, ", withdrawn")
    for name, design in OF_FITS.items():
        yield from of_fits(max(n // 10, 1), name, USUAL | design)


def of_design(n, name, design, true, behind=""):
    spread, above = known(design, true, DRAWS * n)
    tally = Rates("discrimination_scores", f"{name}, true {true:g}")
    for seed in range(n):
        table = contrasts(np.random.default_rng([14, seed]), design, true)
        columns = [values[np.isfinite(values)] for values in table.T]
        values = columns[CONTRAST]
        if len(values) < min(score.FEWEST, design["n_decisions"]):
            continue
        mean = sample_mean(values)
        low, high = t_interval(mean, LEVEL)
        tally.add(f"coverage{behind}", "difference", low <= true <= high)
        if len(values) >= score.FEWEST:
            _, low, high = score.spread(values, LEVEL)
            given = "" if len(values) >= score.FEWEST_OF_SPREAD else ", withdrawn"
            tally.add(f"coverage{given}", "spread", low <= spread <= high)
            share = shares.share(values > 0, LEVEL)
            tally.add(f"coverage{behind}", "above", share["ci_low"] <= above <= share["ci_high"])
        if true:
            tally.add("power", "difference", t_p_value(mean) <= ALPHA)
            at_bound = equivalence(mean, true, ALPHA).p_value <= ALPHA
            tally.add(f"type I error{behind}", "bound", at_bound)
            continue
        tally.add(f"type I error{behind}", "difference", t_p_value(mean) <= ALPHA)
        p = [t_p_value(sample_mean(values)) for values in columns if len(values) >= score.FEWEST]
        if p:
            any_of_family = (adjust(np.array(p), "holm") <= ALPHA).any()
            tally.add(f"type I error{behind}", "difference, any of a family", any_of_family)
    return tally.rows()


def of_fits(n, name, design):
    """Fixed effects of the first contrast, without an effect."""
    tally = Rates("discrimination_scores", f"{name}, true 0")
    for seed in range(n):
        random = np.random.default_rng([15, seed])
        n_decisions = design["n_decisions"]
        effects = effects_of(random, FEW.shape[1], n_decisions, design["slope"], design["shape"], 0.0, 0)
        x = pd.concat([FEW] * n_decisions, ignore_index=True)
        y = pd.Series(log_odds(random, FEW.to_numpy(), effects).T.ravel())
        decision = pd.Series(np.repeat(range(n_decisions), len(FEW)))
        data = published.data(x, y, decision)
        own = sample_mean(score.of_decisions(x, y, decision).to_numpy()[:, 0])
        tally.add("type I error", "difference", t_p_value(own) <= ALPHA)
        for variant, random_slopes in (("fixed effect", True), ("fixed effect, random intercept only", False)):
            try:
                fitted = lme4.fit(data, published.formula(FEW.shape[1], random_slopes))
            except lme4.RefusedError:
                continue
            effect = fitted.fixed.set_index("term").loc["x0"]
            mean = Mean(effect["estimate"], effect["std_error"] ** 2, effect["df"])
            low, high = t_interval(mean, LEVEL)
            behind = "" if random_slopes else ", not advised"
            tally.add(f"type I error{behind}", variant, t_p_value(mean) <= ALPHA)
            tally.add(f"coverage{behind}", variant, low <= 0 <= high)
            if random_slopes:
                tally.add("share", "fixed effect, singular or not converged", fitted.singular or not fitted.converged)
    return tally.rows()
