"""Answers to requests: natural log-probabilities of tokens at positions of unique inputs.

Inputs of one length run together, so there is no padding and no input can see another; the head is applied at requested
positions only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from herbarium.console import log, progress
from herbarium.errors import HerbariumError
from herbarium.models import model_inputs, trunk

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

# Tokens of one forward pass: enough to keep the device busy, few enough for its memory and caches.
_BATCH_TOKENS = {"cpu": 4_096, "cuda": 65_536}
# Logits of one forward pass (positions x vocabulary): on a CPU they are gone through while they are in its caches.
_BATCH_LOGITS = {"cpu": 2**23, "cuda": 2**30}


def choose_device() -> str:
    """The device to score on: "cuda" when there is one, else "cpu"."""
    import torch

    if torch.cuda.is_available():
        log.info("Scoring on %s.", torch.cuda.get_device_name())
        return "cuda"
    log.info("Scoring on the CPU (%d threads): no CUDA device was found.", torch.get_num_threads())
    return "cpu"


def answer(model: "PreTrainedModel", device: str, inputs: pa.Table, requests: pa.Table, title: str) -> np.ndarray:
    """The natural log-probability that each request asks for: (n_requests,) float64, in the order of `requests`.

    model: on `device`. inputs, requests: tables of the schemas "plan_inputs" and "plan_requests".
    Raises HerbariumError when an answer is not finite.
    """
    import torch

    vocabulary = model.get_output_embeddings().weight.shape[0]
    answers = np.full(len(requests), np.nan)
    with torch.inference_mode(), progress(len(inputs), "inputs", title) as bar:
        for token_ids, at_request, row, position, target in _batches(inputs, requests, device, vocabulary):
            # several requests may ask one position for different tokens: it is computed once
            places, place_of = np.unique(np.stack([row, position]), axis=1, return_inverse=True)
            logits = _logits_at(model, torch.from_numpy(token_ids).to(device), torch.from_numpy(places).to(device))
            place_of, wanted = (torch.from_numpy(index).to(device) for index in (place_of.ravel(), target))
            log_p = torch.log_softmax(logits, dim=-1)[place_of, wanted]
            answers[at_request] = log_p.double().cpu().numpy()
            bar.update(len(token_ids))
    if not np.isfinite(answers).all():
        bad = requests["request"].to_numpy()[~np.isfinite(answers)]
        raise HerbariumError(
            f"{title}: {len(bad)} scores are not finite (the first: request {bad[0]}); the model's weights or its "
            "dtype cannot give them."
        )
    return answers


def _batches(inputs: pa.Table, requests: pa.Table, device: str, vocabulary: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Batches of inputs of one length, longest first, so that one too large for the memory is met at once.

    Yields token_ids (n, length) int64, and for each request on them its index in `requests`, its row in the batch, its
    position and its target token.
    """
    lists = inputs["token_ids"].combine_chunks()
    starts, flat = lists.offsets.to_numpy(), lists.flatten().to_numpy()
    starts = starts - starts[0]
    lengths = np.diff(starts)
    row_of = np.argsort(inputs["input"].to_numpy())
    number = inputs["input"].to_numpy()[row_of]
    owner = row_of[np.searchsorted(number, requests["input"].to_numpy())]
    position, target = (requests[name].to_numpy().astype(np.int64) for name in ("position", "target"))
    by_owner = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[by_owner], np.arange(len(lengths) + 1))
    for length in np.unique(lengths)[::-1]:
        rows = np.flatnonzero(lengths == length)
        most_requests = int(np.diff(first)[rows].max())
        size = max(
            1, min(_BATCH_TOKENS[device] // length, _BATCH_LOGITS[device] // (vocabulary * min(length, most_requests)))
        )
        for batch in np.split(rows, range(size, len(rows), size)):
            at_request = np.concatenate([by_owner[first[row] : first[row + 1]] for row in batch])
            row_in_batch = np.searchsorted(batch, owner[at_request])
            token_ids = flat[starts[batch, None] + np.arange(length)].astype(np.int64)
            yield token_ids, at_request, row_in_batch, position[at_request], target[at_request]


def _logits_at(model: "PreTrainedModel", token_ids: "torch.Tensor", places: "torch.Tensor") -> "torch.Tensor":
    """Logits (n_places, vocabulary), float32, of the positions `places` (2, n_places: row, position) alone."""
    with _only_at(model, places):
        return model(**model_inputs(model, token_ids)).logits[0].float()


@contextmanager
def _only_at(model: "PreTrainedModel", places: "torch.Tensor") -> Iterator[None]:
    """Let the head see only these hidden states: whatever it is, it works position by position.

    The trunk's output (batch, length, hidden) becomes (1, n_places, hidden) on its way to the head.
    """

    def keep(_module, _inputs, output):
        output.last_hidden_state = output.last_hidden_state[places[0], places[1]].unsqueeze(0)
        return output

    handle = trunk(model).register_forward_hook(keep)
    try:
        yield
    finally:
        handle.remove()
