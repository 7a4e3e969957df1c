"""Bias amplification of a model in a task as tables: tidy numbers, a comparison of methods, their iterations."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import expit

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.decisions.constraints import decided
from herbarium.decisions.corpus import Corpus
from herbarium.decisions.names import EXACT, METHODS, POSTERIOR, RBA
from herbarium.decisions.recipes import Decided, decide
from herbarium.metrics.amplification import methods, score
from herbarium.statistics.inference import (
    FEWEST_SETS_OF_INTERVAL,
    FEWEST_SETS_OF_TEST,
    Mean,
    adjust,
    crossed_mean,
    few_sets,
    t_interval,
    t_p_value,
)
from herbarium.statistics.tidy import tidy, with_note

METRIC = "amplification"
PAPER, RELEASED, OWN = "paper", "released", "own"
FEWEST_RELEASED = 50  # training texts of a group: the released code uses groups with more
OVER_MARGINS = (RBA, POSTERIOR, EXACT)  # methods tried with every margin
MEASURES = (
    *("violations", "expected_violations", "largest_excess", "objective_gap", "accuracy", "brier"),
    *("calibration_error", "parity_difference", "error_rise", "iterations"),
)
# One row per method and margin, the mean over training sets. `worst_region`: whose error rate rises most. `violations`
# and `largest_excess` are counted at the study's margin, whatever the margin of the row.
BY_METHOD = schema(
    "amplification_methods",
    *((name, pa.string()) for name in ("model", "task", "method")),
    ("margin", pa.float64()),
    *((name, pa.float64()) for name in MEASURES),
    ("worst_region", pa.string()),
    nullable=(*MEASURES, "worst_region"),
)
# Violated constraints along the iterations of a method, those of each training set.
ITERATIONS = schema(
    "amplification_iterations",
    *((name, pa.string()) for name in ("model", "task", "method")),
    ("set", pa.int32()),
    ("iteration", pa.int32()),
    ("violations", pa.int32()),
)


class Settings(NamedTuple):
    """A study's choices; the configuration explains each."""

    margin: float
    margins: list[float]
    level: float
    correction: str


class Measured(NamedTuple):
    numbers: pd.DataFrame  # tidy
    by_method: pd.DataFrame  # of BY_METHOD
    iterations: pd.DataFrame  # of ITERATIONS


def measure(
    model: str, task: str, corpus: Corpus, predicted: np.ndarray, settings: Settings, seed: int, is_decided: bool
) -> Measured:
    """
    corpus: of `decisions.corpus`. predicted: (K, n_prefixes, n_texts) log-odds. seed: of the study. is_decided: whether
    the predictions already come from one of the methods; no others are then tried.

    Tidy rows of metric "amplification", group "{task}/{region}" or, unit "all", {task}. `n` counts training sets times
    different texts, for numbers with an interval.
    """
    log_odds = corpus.log_odds(predicted)
    keys = {"model": model, "metric": METRIC}
    decisions, probabilities = (
        score.Decisions(values, corpus.pairs, corpus.text_number) for values in (decided(log_odds), expit(log_odds))
    )
    rows = pd.DataFrame(
        [
            *_of_regions(task, corpus, decisions, probabilities, settings),
            *_of_all(task, corpus, decisions, probabilities, settings, stream(seed, METRIC, task, "by chance")),
            *_costs(task, corpus, decisions, probabilities, settings),
        ]
    )
    rows = with_note(tidy(rows.assign(**keys), over="predictions"), corpus.repeated)
    of_regions = rows["variant"] == "difference"
    rows.loc[of_regions, "p_adjusted"] = adjust(rows.loc[of_regions, "p_value"].to_numpy(float), settings.correction)
    alone = (rows["variant"] == "amplification") & (rows["definition"] == OWN)
    rows.loc[alone, "p_adjusted"] = rows.loc[alone, "p_value"]  # the only one of its family
    if is_decided:
        empty = (pd.DataFrame(columns=table_schema.fields.names) for table_schema in (BY_METHOD, ITERATIONS))
        return Measured(rows, *empty)
    compared, iterations = _side_by_side(task, corpus, log_odds, settings, seed)
    by_method = pd.DataFrame(compared).assign(model=model, task=task)[BY_METHOD.fields.names]
    along = pd.DataFrame(iterations).assign(model=model, task=task)[ITERATIONS.fields.names]
    return Measured(rows, by_method, along)


def _inferred(mean: Mean, level: float, n_sets: int, tests: bool = False) -> dict:
    """The columns of a mean; without an interval if it has no variance, or is over too few training sets."""
    row = {"estimate": mean.estimate, "note": few_sets(n_sets) if tests else None}
    if mean.variance > 0 and n_sets >= FEWEST_SETS_OF_INTERVAL:
        low, high = t_interval(mean, level)
        row |= {"std_error": mean.std_error, "ci_low": low, "ci_high": high}
        row |= {"p_value": t_p_value(mean)} if tests and n_sets >= FEWEST_SETS_OF_TEST else {}
    return row


def _of_regions(
    task: str, corpus: Corpus, decisions: score.Decisions, probabilities: score.Decisions, settings: Settings
) -> Iterator[dict]:
    n_sets, m = corpus.rate.shape
    predicted, expected = (outputs.rates(m).mean(axis=0) for outputs in (decisions, probabilities))
    for group, region in enumerate(corpus.groups["region"]):
        base = {"unit": corpus.unit, "group": f"{task}/{region}", "n": int(corpus.n_training[:, group].sum())}
        rate = {"estimate": corpus.rate[:, group].mean(), "over": "training texts"}
        yield base | {"definition": PAPER, "variant": "training_rate"} | rate
        base["n"] = n_sets * decisions.of_group(group).shape[1]
        yield base | {"definition": PAPER, "variant": "predicted_rate", "estimate": predicted[group]}
        yield base | {"definition": PAPER, "variant": "expected_rate", "estimate": expected[group]}
        mean = score.difference(decisions, corpus.rate, group)
        yield base | {"definition": OWN, "variant": "difference"} | _inferred(mean, settings.level, n_sets, tests=True)
    for _, row in corpus.left_out.iterrows():
        note = f"left out: {row['n']} training texts in a set"
        yield {
            **{"unit": corpus.unit, "group": f"{task}/{row['region']}", "definition": OWN, "variant": "difference"},
            "note": note,
        }


_ONE_SET = "one training set: variation over training sets is not known"


def _of_all(
    task: str,
    corpus: Corpus,
    decisions: score.Decisions,
    probabilities: score.Decisions,
    settings: Settings,
    random: np.random.Generator,
) -> Iterator[dict]:
    n_sets, m = corpus.rate.shape
    base = {"unit": "all", "group": task}
    rates = {"": decisions.rates(m), "_of_expected_rates": probabilities.rates(m)}
    is_counted = {PAPER: np.ones(m, bool), RELEASED: (corpus.n_training > FEWEST_RELEASED).all(axis=0)}
    for definition, which in is_counted.items():
        for suffix, predicted in rates.items():
            common = {"definition": definition, "n": int(which.sum()), "over": "groups"}
            if not which.any():
                note = f"not measured: no group has more than {FEWEST_RELEASED} training texts in each set"
                yield base | common | {"variant": f"amplification{suffix}", "note": note}
                continue
            training, ours = corpus.rate[:, which], predicted[:, which]
            amplified = score.mean_amplification(training, ours).mean()
            violations = score.violations(training, ours, settings.margin).mean()
            yield base | common | {"variant": f"amplification{suffix}", "estimate": amplified}
            yield base | common | {"variant": f"violations{suffix}", "estimate": violations}
    chance = score.by_chance(
        corpus.rate,
        corpus.n_training,
        rates[""],
        np.bincount(corpus.pairs[:, 1], minlength=m),
        settings.margin,
        random,
    )
    for variant, value in chance._asdict().items():
        drawn = {"estimate": value, "n": m, "over": "groups"}
        yield base | {"definition": PAPER, "variant": f"{variant}_by_chance"} | drawn
    own_definition = base | {"definition": OWN, "n": n_sets * decisions.n_texts}
    for variant, number in (("amplification", score.amplification), ("slope", score.slope)):
        for suffix, what in (("", decisions), ("_of_expected_rates", probabilities)):
            row = own_definition | {"variant": f"{variant}{suffix}"}
            if n_sets < score.FEWEST_SETS:
                yield row | {"note": f"not measured: {_ONE_SET}"}
                continue
            mean = number(what, corpus.rate)
            tests = variant == "amplification" and not suffix
            unknown = {"note": "not measured: rates in training hardly differ between groups"}
            yield row | (unknown if np.isnan(mean.estimate) else _inferred(mean, settings.level, n_sets, tests))


def _costs(
    task: str, corpus: Corpus, decisions: score.Decisions, probabilities: score.Decisions, settings: Settings
) -> Iterator[dict]:
    row = {"unit": "all", "group": task, "definition": OWN, "n": len(decisions.values) * decisions.n_texts}
    n_sets = len(decisions.values)
    for variant, values in costs(corpus, decisions.values, probabilities.values).items():
        yield row | {"variant": variant} | _inferred(crossed_mean(values), settings.level, n_sets)
    errors = [score.calibration_error(p, corpus.label) for p in probabilities.values]
    yield row | {"variant": "calibration_error", "estimate": float(np.mean(errors))}


def costs(corpus: Corpus, decisions: np.ndarray, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """(K, T) for each text with all its prefixes: share of right decisions, and Brier score. Both (K, n)."""
    text = corpus.text_number
    n = np.bincount(text)

    def by_text(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(text, row) for row in values]) / n

    right = decisions == corpus.label
    return {"accuracy": by_text(right.astype(float)), "brier": by_text((probabilities - corpus.label) ** 2)}


def _side_by_side(
    task: str, corpus: Corpus, log_odds: np.ndarray, settings: Settings, seed: int
) -> tuple[list[dict], list[dict]]:
    rows, iterations = [], []
    for margin in sorted({settings.margin, *settings.margins}):
        judged = []
        for number, values in enumerate(log_odds):
            problem = corpus.problem(number, values, margin)
            tried = METHODS if margin == settings.margin else OVER_MARGINS
            ways = {methods.AS_IT_IS: Decided(values)} | {
                method: decide(method, problem, stream(seed, METRIC, task, method, number)) for method in tried
            }
            if margin == settings.margin:
                drawn = int(stream(seed, METRIC, task, "fairlearn", number).integers(2**31))
                ways |= methods.by_fairlearn(problem, corpus.label, drawn)
                iterations += [
                    {"method": method, "set": number + 1, "iteration": place, "violations": value}
                    for method, way in ways.items()
                    if way.violations is not None
                    for place, value in enumerate(way.violations)
                ]
            judge = corpus.problem(number, values, settings.margin)
            judged += methods.judged(judge, ways, corpus.label)
        rows += _over_sets(pd.DataFrame(judged), corpus.groups["region"].tolist(), margin)
    return rows, iterations


def _over_sets(rows: pd.DataFrame, regions: Sequence[str], margin: float) -> list[dict]:
    """The mean over sets of each method; the region whose error rate rises most in any of them."""
    averages = []
    for method, group in rows.groupby("method", sort=False):
        worst = regions[int(group.loc[group["error_rise"].idxmax(), "worst_group"])]
        averages.append(
            {"method": method, "margin": margin, "worst_region": worst} | group[list(MEASURES)].mean().to_dict()
        )
    return averages


def at_margin(by_method: pd.DataFrame, margin: float) -> pd.DataFrame:
    """The rows of the margin at which violations are counted."""
    return by_method[np.isclose(by_method["margin"], margin)].reset_index(drop=True)
