"""Discrimination scores as tidy rows: from observations through `score` to one row per number.

A row's unit is the name of the table, its group a contrast, or `all`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.core.passages import Model, Name, Place
from herbarium.metrics.discrimination_scores import score, stimuli
from herbarium.metrics.discrimination_scores.stimuli import Observations, Sentences
from herbarium.scoring.quantities import Scores
from herbarium.statistics import repeats, shares
from herbarium.statistics.changes import Changes, as_changes, by_mean, change
from herbarium.statistics.inference import adjust, least_bound, sample_mean, t_interval, t_p_value
from herbarium.statistics.sets import ALL, varies
from herbarium.statistics.tidy import Numbers, tidy

METRIC = "discrimination_scores"
OWN, PAPER = "own", "paper"
# The primary number; its equivalence bound; how much decisions differ in it; per cent
# of decisions in which it is above 0; and, of all prompts, the probability of the answers in per cent.
DIFFERENCE, BOUND, SPREAD, ABOVE, MASS = "difference", "bound", "spread", "above", "mass"
# The error rate of the equivalence test (two one-sided tests, an interval of coverage 1 - 2 alpha).
_ALPHA = 0.05
# Per cent: below, the offered answers are not what the model would say, and every number says so.
LITTLE_MASS = 50.0
COLUMNS = [
    *("unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "converged", "note"),
]
OF_DECISIONS = ["unit", "model", "decision", "group", "difference"]  # columns of the table of these


def contrasts(observations: pd.DataFrame, effects: Mapping) -> pd.DataFrame:
    """The contrasts of each decision, as of `score.of_decisions`: those with a prompt in common are one, and prompts
    without a score are left out. observations: of the schema "discrimination_scores_observations". effects:
    `references` and `numeric` of the table."""
    x = score.design(stimuli.persons(observations, **effects), **effects)
    known = observations["log_odds"].notna()
    if not known.any():
        return pd.DataFrame(columns=x.columns, dtype=float)
    return score.of_decisions(x[known], observations.loc[known, "log_odds"], observations.loc[known, "alike"])


def caveat(observations: pd.DataFrame) -> str | None:
    """What every number of the observations should be read with, in words."""
    n_lost, mass = int(observations["log_odds"].isna().sum()), 100 * observations["mass"].mean()
    notes = [
        f"{n_lost} of {len(observations)} prompts have no score" if n_lost else None,
        repeats.remark(observations["decision"].nunique(), observations["alike"].nunique(), "decisions"),
        f"the answers have {mass:.2g} % of the probability" if mass < LITTLE_MASS else None,
    ]
    return "; ".join(filter(None, notes)) or None


def measure(
    model: Model, name: Name, sentences: Sentences, scores: Scores, effects: Mapping, level: float, correction: str
) -> tuple[Observations, Numbers]:
    """How the log-odds of a decision depend on the person. Arguments as of `estimates`."""
    observations = stimuli.observe(sentences, scores)
    return observations, estimates(model, name, observations, effects, level, correction)


def estimates(
    model: str, name: str, observations: Observations, effects: Mapping, level: float, correction: str
) -> Numbers:
    """Tidy rows of one model. name: of the table. `n`: decisions that determine a contrast. Arguments as of
    `contrasts`; correction: of the p-values, over the contrasts."""
    of_decisions = contrasts(observations, effects)
    rows = [
        {"group": contrast, "definition": OWN, **row}
        for contrast, values in of_decisions.items()
        for row in _of_contrast(values.dropna().to_numpy(), len(of_decisions), level)
    ]
    table = pd.DataFrame(rows).reindex(columns=["group", *COLUMNS[3:]])
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), correction)
    mass = 100 * observations["mass"].dropna()
    of_all = {
        "group": ALL,
        "definition": OWN,
        "variant": MASS,
        "n": len(mass),
        "over": "prompts",
        "estimate": mass.mean(),
    }
    table = pd.concat([table, pd.DataFrame([of_all])], ignore_index=True)
    return told(table, model, name, observations)


def told(table: pd.DataFrame, model: str, name: str, observations: pd.DataFrame) -> pd.DataFrame:
    """Rows as tidy ones, each with the caveat of the observations behind its own note."""
    behind = caveat(observations)
    notes = table["note"].astype(object).where(table["note"].notna(), None)
    notes = ["; ".join(filter(None, (note, behind))) or None for note in notes]
    return tidy(table.assign(note=notes, model=model, unit=name, metric=METRIC), over="decisions")


def _of_contrast(values: np.ndarray, n_decisions: int, level: float) -> Iterator[dict]:
    """values: (n,) of the decisions that determine it."""
    n = len(values)
    left_out = f"{n_decisions - n} of {n_decisions} decisions do not determine it" if n < n_decisions else None
    place, why_not = {"n": n}, None
    if n < score.FEWEST:
        why_not = f"no interval and no test: of {n} decisions; they need {score.FEWEST}"
    elif not varies(values):
        why_not = "no interval and no test: it is the same in all decisions"
    note = "; ".join(filter(None, (left_out, why_not))) or None
    estimate = values.mean() if n else np.nan
    if why_not:
        yield place | {"variant": DIFFERENCE, "estimate": estimate, "note": note}
        return
    mean = sample_mean(values)
    low, high = t_interval(mean, level)
    yield {
        **place,
        **{"variant": DIFFERENCE, "estimate": estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high},
        **{"p_value": t_p_value(mean), "note": note},
    }
    yield place | {"variant": BOUND, "estimate": least_bound(*t_interval(mean, 1 - 2 * _ALPHA))}
    above = shares.share(values > 0, level)
    yield place | {"variant": ABOVE} | {key: above[key] for key in ("estimate", "ci_low", "ci_high")}
    estimate, low, high = score.spread(values, level)
    if n < score.FEWEST_OF_SPREAD:
        few = f"no interval: of {n} decisions; it needs {score.FEWEST_OF_SPREAD}"
        yield place | {"variant": SPREAD, "estimate": estimate, "note": few}
    else:
        yield place | {"variant": SPREAD, "estimate": estimate, "ci_low": low, "ci_high": high}


def changes(
    name: Name,
    compared: Sequence[Sequence[str]],
    observations: dict[Model, Observations],
    effects: Mapping,
    level: float,
) -> Changes:
    """Every contrast, paired by decision. compared: of `models.comparisons`. effects: as of `contrasts`."""
    of_models = {model: contrasts(table, effects) for model, table in observations.items()}
    rows = []
    for comparison in compared:
        before, after = of_models[comparison[2]].align(of_models[comparison[3]], join="outer")
        for contrast in before.columns:
            both = pd.DataFrame({"before": before[contrast], "after": after[contrast]}).dropna()
            measure = f"{name}: {contrast}"
            if len(both) < score.FEWEST:
                few = f"of {len(both)} decisions; it needs {score.FEWEST}"
                rows.append(change(comparison, METRIC, measure, None, None, None, n=len(both), note=few))
                continue
            sides = [by_mean(sample_mean(values.to_numpy()), level) for _, values in both.items()]
            difference = sample_mean((both["after"] - both["before"]).to_numpy())
            rows.append(change(comparison, METRIC, measure, *sides, difference, n=len(both)))
    return as_changes(rows)


# --- tables for people. effects: by the name of the table ---


def laid_out(numbers: Numbers) -> pd.DataFrame:
    return numbers[COLUMNS]


def decisions(observations: dict[Place, Observations], effects: Mapping[str, Mapping]) -> pd.DataFrame:
    tables = []
    for (model, name), table in observations.items():
        within = contrasts(table, effects[name]).rename_axis("decision").reset_index()
        of_model = within.melt("decision", var_name="group", value_name="difference")
        tables.append(of_model.assign(unit=name, model=model))
    return pd.concat(tables)[OF_DECISIONS]


def prompts(observations: dict[Place, Observations], effects: Mapping[str, Mapping]) -> pd.DataFrame:
    tables = []
    for (model, name), table in observations.items():
        person = stimuli.persons(table, **effects[name]).agg(", ".join, axis=1)
        tables.append(table.drop(columns="person").assign(person=person, unit=name, model=model))
    return pd.concat(tables)[["unit", "model", *stimuli.OBSERVATIONS.fields.names]]
