"""Changes from one model to another in a task: amplification, and its cost in accuracy and Brier score."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from herbarium.decisions.constraints import decided
from herbarium.decisions.corpus import Corpus
from herbarium.metrics.amplification import score
from herbarium.metrics.amplification.numbers import METRIC, OWN, costs
from herbarium.statistics.changes import COST, as_changes, change
from herbarium.statistics.inference import crossed_mean

_COSTS = {"accuracy": "accuracy with a country before the text", "brier": "Brier score"}


def changes(
    task: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    predicted: Mapping[str, np.ndarray],
    corpus: Corpus,
) -> pd.DataFrame:
    """Rows of the schema "changes", paired by training set and text.

    compared: of `compared` in the section on downstream tasks. numbers: tidy rows of the task. predicted: by model,
    (K, n_prefixes, n_texts) log-odds of the same training sets and texts. corpus: of `decisions.corpus`.
    """
    by_model = numbers[(numbers["definition"] == OWN) & (numbers["unit"] == "all")].set_index(["model", "variant"])
    return as_changes(row for comparison in compared for row in _rows(task, comparison, by_model, predicted, corpus))


def _rows(
    task: str, comparison: Sequence[str], numbers: pd.DataFrame, predicted: Mapping[str, np.ndarray], corpus: Corpus
) -> Iterator[dict]:
    before, after = (corpus.log_odds(predicted[model]) for model in comparison[2:])

    def values(variant: str) -> list[pd.Series]:
        return [numbers.loc[(model, variant)] for model in comparison[2:]]

    if len(before) >= score.FEWEST_SETS:
        amplified = [
            score.amplified(score.Decisions(decided(log_odds), corpus.pairs, corpus.text_number), corpus.rate)
            for log_odds in (before, after)
        ]
        mean = crossed_mean(amplified[1] - amplified[0])
        measure = f"Task {task}, bias amplification"
        yield change(comparison, METRIC, measure, *values("amplification"), mean, n=amplified[0].size)
    cost = [costs(corpus, decided(log_odds), expit(log_odds)) for log_odds in (before, after)]
    for variant, what in _COSTS.items():
        mean = crossed_mean(cost[1][variant] - cost[0][variant])
        measure = f"Task {task}, {what}"
        yield change(comparison, METRIC, measure, *values(variant), mean, null=None, kind=COST, n=cost[0][variant].size)
