"""The cost of fine-tuning classifiers and their predictions, from a sample of a task's texts (`scoring.costs`)."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from herbarium.core.costs import FINETUNE
from herbarium.metrics.downstream.tasks import TEST, TRAIN, VALIDATION
from herbarium.models.saving import FILES
from herbarium.scoring import answering, perturbation
from herbarium.training.costs import SAMPLE, Trainings

PREDICT = "predict"


def counted(examples: pd.DataFrame, n_prefixes: int, training: dict | None, shards: int) -> dict[str, dict]:
    """Rows by stage, with what is known before a model is run: `sentences` for training, in all epochs, and for
    predictions, by all classifiers.

    examples: table "task_examples". training: settings as in the configuration; None for a published classifier, which
    is not trained. shards: into which the predictions of a classifier are cut.
    """
    n = examples["split"].value_counts()
    runs = training["sets"] if training else 1
    rows = {}
    if training:
        rows[FINETUNE] = trainings(examples, training).counted(FINETUNE, len(FILES) + 1)
    totals = {"sentences": runs * int(n[TEST]) * n_prefixes, "files": runs * shards}
    return rows | {PREDICT: {"stage": PREDICT, "jobs": runs * shards, "sampled": 0, **totals}}


def trainings(examples: pd.DataFrame, training: dict) -> Trainings:
    """The trainings of a model, one per training set. examples, training: as in `counted`."""
    n = examples[examples["split"].isin([TRAIN, VALIDATION])].groupby(["set", "split"]).size().unstack()
    evaluated = n[VALIDATION] * training["evaluations"] * training["epochs"]
    return Trainings(n[TRAIN], evaluated, training["epochs"], training["batch_size"])


def drawn(n_texts: int, prefixes: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Rows `example, prefix`: texts with a prefix each, drawn from all pairs."""
    n = n_texts * len(prefixes)
    pairs = random.choice(n, min(n, SAMPLE), replace=False)
    return pd.DataFrame({"example": pairs % n_texts, "prefix": prefixes["prefix"].to_numpy()[pairs // n_texts]})


def of_predicting(
    texts: Sequence[str],
    prefixes: pd.DataFrame,
    lengths: np.ndarray,
    shards: int,
    device: str,
    pass_tokens: int,
    hours: Callable[[int], float],
) -> dict:
    """The cost of one classifier's predictions.

    lengths: (n_sampled,) tokens of texts with a prefix. device, pass_tokens: as in `answering`. hours: of a job, by its
    tokens, including filler.
    """
    n_passes, of_jobs = 0, []
    for shard in range(shards):
        left, n_tokens = len(prefixes.iloc[shard::shards]), 0
        while left:
            block = min(left, perturbation.prefixes_a_block(texts, prefixes))
            of_block = tokens_run(lengths, block * len(texts), device, pass_tokens)
            n_passes, n_tokens, left = n_passes + of_block[0], n_tokens + of_block[1], left - block
        of_jobs.append(hours(n_tokens))
    tokens = round(lengths.mean() * len(texts) * len(prefixes))
    return {"tokens": tokens, "passes": n_passes, "hours": sum(of_jobs), "longest_job": max(of_jobs)}


def tokens_run(lengths: np.ndarray, n: int, device: str, pass_tokens: int) -> tuple[int, int]:
    """Passes of a classifier over n texts with the lengths of a sample, and their tokens."""
    kinds, of_sample = np.unique(lengths, return_counts=True)
    of_all = np.ceil(of_sample * (n / len(lengths))).astype(int)
    return answering.count_passes(kinds, of_all, device, pass_tokens, fewest=2)
