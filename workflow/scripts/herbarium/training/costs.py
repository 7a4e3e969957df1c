"""The expected cost of trainings, from some seconds of training on a sample of their texts (`scoring.costs`)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from herbarium.core.console import log
from herbarium.core.costs import timed
from herbarium.models import loading
from herbarium.scoring import classifiers
from herbarium.scoring.costs import named
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

SAMPLE = 2_000  # texts
# A forward pass takes about a third of a step of training (Kaplan et al. 2020, Section 2.1).
_FORWARD = 1 / 3
_FLOAT32 = 4  # bytes


class Started(NamedTuple):
    """A model as training begins. model: in float32, on its device. seconds: until it is loaded."""

    record: dict
    tokenizer: "PreTrainedTokenizerFast"
    model: "PreTrainedModel"
    device: str
    seconds: float

    @property
    def bytes(self) -> int:
        """The size of the weights on disk."""
        return _FLOAT32 * sum(parameter.numel() for parameter in self.model.parameters())


class Trainings(NamedTuple):
    """Trainings of one model, which differ only in their texts.

    texts: (n_trainings,) those that each learns from, in one epoch. evaluated: (n_trainings,) those that only pass
    through its model, in all. batch_size: texts of a step.
    """

    texts: Sequence[int]
    evaluated: Sequence[int]
    epochs: int
    batch_size: int

    def counted(self, stage: str, files: int) -> dict:
        """The row of a stage, with what is known before a model is run. files: of each training."""
        n = np.array(self.texts)
        return {
            "stage": stage,
            "jobs": len(n),
            "files": files * len(n),
            "sentences": int(n.sum()) * self.epochs,
            "sampled": 0,
            "passes": int(np.ceil(n / self.batch_size).sum()) * self.epochs,
        }

    def taking(self, padded: float, tokens_a_second: float, start_seconds: float) -> dict:
        """Tokens and hours, if no training stops early.

        padded: tokens of a text in its batch, on average. tokens_a_second: of training. start_seconds: until the model
        is loaded.
        """
        n, n_evaluated = np.array(self.texts), np.array(self.evaluated)
        seconds = (n * self.epochs + n_evaluated * _FORWARD) * padded / tokens_a_second
        hours = (start_seconds + seconds) / 3600
        tokens = round(n.sum() * padded * self.epochs)
        return {"tokens": tokens, "hours": float(hours.sum()), "longest_job": float(hours.max())}

    def measured(
        self,
        train: Callable[[int], object],
        tokens: Callable[[int], float],
        n_sample: int,
        started: "Started",
        title: str,
        evaluates: bool = False,
    ) -> dict:
        """What is added to `counted` once some of it has run.

        train: called with the number of texts of the sample to train on, the first ones. tokens: of these, in padded
        batches. n_sample: texts of the sample. started: the model that `train` changes. evaluates: `train` also
        evaluates each text once.
        """
        n, seconds, _ = timed(train, n_sample, min(n_sample, self.batch_size))
        tokens_a_second = tokens(n) * (1 + evaluates * _FORWARD) / seconds
        log.info("%s: training runs at %.0f tokens per second.", title, tokens_a_second)
        n_texts = int(sum(self.texts))
        return {
            **self.taking(tokens(n_sample) / n_sample, tokens_a_second, started.seconds),
            "sampled": n_texts * self.epochs * min(n_sample, n_texts) // n_texts,
            "device": named(started.device, 1),
        }


def language_model(record: dict, device: str, **options: object) -> Started:
    """A model that is trained as it is. record: of the model. options: of its configuration that training sets."""
    return _started(record, device, lambda folder, _: loading.load_recorded(record, folder, **options))


def classifier(record: dict, device: str, classes: Sequence[str], by_token: bool = False) -> Started:
    """A model that becomes a classifier of texts or tokens (`classifiers.begin`)."""
    name = record["name"]
    return _started(
        record,
        device,
        lambda folder, tokenizer: classifiers.begin(
            folder, tokenizer, name, 0, classes, by_token, record["unused_tensors"]
        ),
    )


def _started(
    record: dict, device: str, load: Callable[[Path, "PreTrainedTokenizerFast"], "PreTrainedModel"]
) -> Started:
    import torch

    torch.set_num_threads(1)  # as it will be
    folder = loading.folder_of(record)
    tokenizer = loading.load_tokenizer(folder, record["name"], record["tokenizer"])
    begin = time.perf_counter()
    model = load(folder, tokenizer).to(device)
    return Started(record, tokenizer, model, device, time.perf_counter() - begin)


def drawn(texts: pd.Series, random: np.random.Generator) -> pd.Series:
    """A sample of texts, in random order."""
    return texts.iloc[random.permutation(len(texts))[:SAMPLE]]


def first(encoded: Encoded, n: int) -> Encoded:
    """The first n texts."""
    return replace(
        encoded,
        starts=encoded.starts[: n + 1],
        **{
            name: getattr(encoded, name)[: encoded.starts[n]]
            for name in ("token_ids", "is_special", "spans", "begins_word")
        },
    )


def in_order(n: int, batch_size: int) -> list[np.ndarray]:
    """The texts of each step, as row numbers, if they are not sorted."""
    return np.split(np.arange(n), range(batch_size, n, batch_size))


def padded_tokens(lengths: np.ndarray, batches: Sequence[np.ndarray]) -> int:
    """Tokens that run, padding included, if batches are padded to their longest text. lengths: (n_texts,) in tokens.
    batches: row numbers of the texts of each step."""
    return sum(len(rows) * int(lengths[rows].max()) for rows in batches)


def unsorted(encoded: Encoded, batch_size: int) -> Callable[[int], int]:
    """The tokens of the first texts in padded batches, by their number, if batches are as the texts stand."""
    return lambda n: padded_tokens(encoded.lengths, in_order(n, batch_size))


def classifying(started: Started, encoded: Encoded, batch_size: int, by_token: bool = False) -> Callable[[int], None]:
    """Training of a classifier, in float32, as `Trainings.measured` calls it. Parameters that require no gradient do
    not change. by_token: it classifies tokens, not texts."""
    import torch

    model, device = started.model, started.device
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=0.0)
    ids = np.split(encoded.token_ids.astype(np.int64), encoded.starts[1:-1])

    def train(n: int) -> None:
        model.train()
        for rows in in_order(n, batch_size):
            batch = [torch.from_numpy(ids[row]) for row in rows]
            model(**_side_by_side(batch, model.config.pad_token_id, device, by_token)).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        if device == "cuda":
            torch.cuda.synchronize()
        model.eval()

    return train


def _side_by_side(batch: list["torch.Tensor"], padding: int, device: str, by_token: bool) -> dict[str, "torch.Tensor"]:
    import torch

    token_ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=padding)
    lengths = torch.tensor([len(row_ids) for row_ids in batch])
    attention_mask = (torch.arange(token_ids.shape[1]) < lengths[:, None]).long()
    labels = torch.zeros(token_ids.shape if by_token else len(batch), dtype=torch.long)
    given = {"input_ids": token_ids, "attention_mask": attention_mask, "labels": labels}
    return {name: tensor.to(device) for name, tensor in given.items()}
