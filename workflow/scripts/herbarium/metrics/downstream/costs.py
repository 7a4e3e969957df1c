"""The cost of fine-tuning classifiers and their predictions, from a sample of a task's texts (`scoring.costs`)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from herbarium.metrics.downstream.tasks import TEST, TRAIN, VALIDATION
from herbarium.models.saving import FILES
from herbarium.scoring import answering, perturbation
from herbarium.scoring.costs import timed
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

FINETUNE, PREDICT = "finetune", "predict"
SAMPLE = 2_000  # texts, with a prefix each for predictions
# A forward pass takes about a third of a step of training (Kaplan et al. 2020, Section 2.1).
_FORWARD = 1 / 3
_FLOAT32 = 4  # bytes


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
        learned = {"sentences": int(n[TRAIN]) * training["epochs"], "files": runs * (len(FILES) + 1)}
        rows[FINETUNE] = {"stage": FINETUNE, "jobs": runs, "sampled": 0, **learned}
    totals = {"sentences": runs * int(n[TEST]) * n_prefixes, "files": runs * shards}
    return rows | {PREDICT: {"stage": PREDICT, "jobs": runs * shards, "sampled": 0, **totals}}


def drawn(n_texts: int, prefixes: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Rows `example, prefix`: texts with a prefix each, drawn from all pairs."""
    n = n_texts * len(prefixes)
    pairs = random.choice(n, min(n, SAMPLE), replace=False)
    return pd.DataFrame({"example": pairs % n_texts, "prefix": prefixes["prefix"].to_numpy()[pairs // n_texts]})


def of_training(
    examples: pd.DataFrame, padded: float, training: dict, tokens_a_second: float, start_seconds: float
) -> dict:
    """The cost of training, if no training set stops early.

    padded: tokens of a text in its batch, on average. tokens_a_second: of training. start_seconds: until the model is
    loaded.
    """
    n = examples[examples["split"].isin([TRAIN, VALIDATION])].groupby(["set", "split"]).size().unstack()
    passes_over = {TRAIN: 1, VALIDATION: training["evaluations"] * _FORWARD}
    an_epoch = sum(n[split] * times for split, times in passes_over.items()) * padded / tokens_a_second
    hours = (start_seconds + an_epoch * training["epochs"]) / 3600
    tokens = {"tokens": round(n[TRAIN].sum() * padded * training["epochs"])}
    steps = np.ceil(n[TRAIN] / training["batch_size"]).sum() * training["epochs"]
    return {**tokens, "passes": int(steps), "hours": float(hours.sum()), "longest_job": float(hours.max())}


def of_predicting(
    texts: Sequence[str],
    prefixes: pd.DataFrame,
    lengths: np.ndarray,
    shards: int,
    device: str,
    hours: Callable[[int], float],
) -> dict:
    """The cost of one classifier's predictions.

    lengths: (n_sampled,) tokens of texts with a prefix. hours: of a job, by its tokens, including padding.
    """
    n_passes, of_jobs = 0, []
    for shard in range(shards):
        left, n_tokens = len(prefixes.iloc[shard::shards]), 0
        while left:
            block = min(left, perturbation.prefixes_a_block(texts, prefixes))
            of_block = tokens_run(lengths, block * len(texts), device)
            n_passes, n_tokens, left = n_passes + of_block[0], n_tokens + of_block[1], left - block
        of_jobs.append(hours(n_tokens))
    tokens = round(lengths.mean() * len(texts) * len(prefixes))
    return {"tokens": tokens, "passes": n_passes, "hours": sum(of_jobs), "longest_job": max(of_jobs)}


def tokens_run(lengths: np.ndarray, n: int, device: str) -> tuple[int, int]:
    """Passes of a classifier over n texts with the lengths of a sample, and their tokens."""
    kinds, of_sample = np.unique(lengths, return_counts=True)
    of_all = np.ceil(of_sample * (n / len(lengths))).astype(int)
    return answering.count_passes(kinds, of_all, device, answering.PASS_TOKENS[device], fewest=2)


def padded_length(lengths: np.ndarray, batch_size: int) -> float:
    """Tokens of a text in its batch on average, if batches are padded to their longest text. lengths: in random
    order."""
    batches = np.split(lengths, range(batch_size, len(lengths), batch_size))
    return float(np.average([batch.max() for batch in batches], weights=[len(batch) for batch in batches]))


def training_rate(model: "PreTrainedModel", device: str, encoded: Encoded, batch_size: int) -> float:
    """Tokens of padded batches that a second of training takes, in float32. The model is changed."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0)
    ids = np.split(encoded.token_ids.astype(np.int64), encoded.starts[1:-1])

    def run(n: int) -> None:
        for start in range(0, n, batch_size):
            batch = [torch.from_numpy(array) for array in ids[start : min(n, start + batch_size)]]
            model(**_side_by_side(batch, model.config.pad_token_id, device)).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        if device == "cuda":
            torch.cuda.synchronize()

    model.train()
    n, seconds, _ = timed(run, len(ids))
    model.eval()
    return padded_length(encoded.lengths[:n], batch_size) * n / seconds


def _side_by_side(batch: list["torch.Tensor"], padding: int, device: str) -> dict[str, "torch.Tensor"]:
    import torch

    token_ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=padding)
    lengths = torch.tensor([len(row_ids) for row_ids in batch])
    attention_mask = (torch.arange(token_ids.shape[1]) < lengths[:, None]).long()
    labels = torch.zeros(len(batch), dtype=torch.long)
    given = {"input_ids": token_ids, "attention_mask": attention_mask, "labels": labels}
    return {name: tensor.to(device) for name, tensor in given.items()}


def bytes_of_classifier(model: "PreTrainedModel") -> int:
    """The size of its weights on disk."""
    return _FLOAT32 * sum(parameter.numel() for parameter in model.parameters())
