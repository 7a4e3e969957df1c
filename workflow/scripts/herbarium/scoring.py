"""Answers to requests: natural log-probabilities of tokens at positions of unique inputs.

Inputs of one length run together, so there is no padding and no input can see another. The head is applied at requested
positions only. A matrix product may round differently in another shape, and then a score would depend, in its last
bits, on how many inputs happened to run beside it; so passes are filled up to shapes that round alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from herbarium.console import log, progress
from herbarium.errors import HerbariumError
from herbarium.models import head, hidden_states

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Tokens of one forward pass, and logits (positions x vocabulary) of one pass of the head: enough to keep the device
# busy and, on a CPU, few enough for its caches.
_PASS_TOKENS = {"cpu": 1_024, "cuda": 16_384}
_PASS_LOGITS = {"cpu": 2**23, "cuda": 2**28}
# A pass of fewer rows is filled up. On a CPU only products of very few rows take another way (the tests compare bits);
# on a GPU the kernel, and with it the order of its sums, is chosen by the shape, so every pass of a length has one.
_LEAST_ROWS = {"cpu": 64, "cuda": 16_384}


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

    layout = _lay_out(inputs, requests)
    vocabulary = model.get_output_embeddings().weight.shape[0]
    rows = max(1, min(_PASS_TOKENS[device], _PASS_LOGITS[device] // vocabulary))
    answers, weights = np.full(len(requests), np.nan), np.ones(len(layout.places))
    seen = done = 0  # places whose hidden states, and whose logits, are known
    waiting = torch.empty(0, model.config.get_text_config().hidden_size, dtype=model.dtype, device=device)
    with torch.inference_mode(), progress(len(inputs), "inputs", title) as bar:
        for one in _passes(layout, device):
            states, attention = hidden_states(model, torch.from_numpy(one.token_ids).to(device), one.with_attention)
            at = tuple(torch.from_numpy(index).to(device) for index in (one.row, one.position))
            waiting = torch.cat([waiting, states[at]])
            if one.with_attention:
                weights[seen : seen + len(one.row)] = attention[at].double().cpu().numpy()
            seen += len(one.row)
            bar.update(one.n_inputs)
            while len(waiting) >= rows or (seen == len(layout.places) and len(waiting)):
                now, waiting = waiting[:rows], waiting[rows:]
                at_least = min(rows, _LEAST_ROWS[device])
                log_p = torch.log_softmax(head(model, _filled_up(now, at_least)).float(), dim=-1)
                asked = slice(*layout.first_request[[done, done + len(now)]])
                at = layout.place[asked] - done, layout.target[asked]
                at = tuple(torch.from_numpy(index).to(device) for index in at)
                answers[layout.request[asked]] = log_p[at].double().cpu().numpy()
                done += len(now)
    answers[layout.request] *= weights[layout.place]
    if not np.isfinite(answers).all():
        bad = requests["request"].to_numpy()[~np.isfinite(answers)]
        raise HerbariumError(
            f"{title}: {len(bad)} scores are not finite (the first: request {bad[0]}); the model's weights or its "
            "dtype cannot give them."
        )
    return answers


@dataclass(frozen=True)
class _Layout:
    """Inputs in the order in which they run, and the places (input, position) where the head is applied, likewise.

    Several requests may ask one place for different tokens: it is computed once.
    """

    starts: np.ndarray  # (n_inputs,) where the input's tokens start in token_ids
    lengths: np.ndarray  # (n_inputs,)
    with_attention: np.ndarray  # (n_inputs,)
    token_ids: np.ndarray
    places: np.ndarray  # (n_places, 2) input, position; sorted
    # requests by place: those of place p are first_request[p] ... first_request[p + 1] - 1
    first_request: np.ndarray  # (n_places + 1,)
    request: np.ndarray  # (n_requests,) its row in the table of requests
    place: np.ndarray  # (n_requests,)
    target: np.ndarray  # (n_requests,)


def _lay_out(inputs: pa.Table, requests: pa.Table) -> _Layout:
    lists = inputs["token_ids"].combine_chunks()
    starts, token_ids = lists.offsets.to_numpy(), lists.flatten().to_numpy()
    lengths, with_attention = np.diff(starts), inputs["with_attention"].to_numpy()
    # longest first: a pass too large for the memory is met at once
    order = np.lexsort((-lengths, with_attention))
    number = inputs["input"].to_numpy()
    by_number = np.argsort(number)
    rank = np.argsort(order)  # of each row of `inputs` in the order of running
    owner = rank[by_number[np.searchsorted(number, requests["input"].to_numpy(), sorter=by_number)]]
    longest = int(lengths.max(initial=1))
    place_keys, place = np.unique(owner * longest + requests["position"].to_numpy(), return_inverse=True)
    request = np.argsort(place, kind="stable")
    return _Layout(
        starts=(starts[:-1] - starts[0])[order],
        lengths=lengths[order],
        with_attention=with_attention[order],
        token_ids=token_ids,
        places=np.stack(np.divmod(place_keys, longest), axis=1),
        first_request=np.searchsorted(place[request], np.arange(len(place_keys) + 1)),
        request=request,
        place=place[request],
        target=requests["target"].to_numpy().astype(np.int64)[request],
    )


@dataclass(frozen=True)
class _Pass:
    """One forward pass: inputs of one length, the last of them filling where inputs were lacking."""

    token_ids: np.ndarray  # (n, length)
    with_attention: bool
    n_inputs: int  # how many of the n are not filling
    # the places in it, in their order
    row: np.ndarray
    position: np.ndarray


def _passes(layout: _Layout, device: str) -> Iterator[_Pass]:
    alike = np.stack([layout.with_attention, layout.lengths])
    changes = 1 + np.flatnonzero((alike[:, 1:] != alike[:, :-1]).any(axis=0))
    borders = np.unique([0, *changes, len(layout.lengths)])
    for first, last in pairwise(borders):
        length, with_attention = int(layout.lengths[first]), bool(layout.with_attention[first])
        size, least = (max(1, tokens[device] // length) for tokens in (_PASS_TOKENS, _LEAST_ROWS))
        for start in range(first, last, size):
            stop = min(start + size, last)
            rows = _filled_up(np.arange(start, stop), least)
            places = layout.places[slice(*np.searchsorted(layout.places[:, 0], [start, stop]))]
            yield _Pass(
                token_ids=layout.token_ids[layout.starts[rows, None] + np.arange(length)].astype(np.int64),
                with_attention=with_attention,
                n_inputs=stop - start,
                row=places[:, 0] - start,
                position=places[:, 1],
            )


def _filled_up(rows, least: int):
    """The rows (array or tensor), the first of them repeated at the end until there are `least`."""
    index = np.arange(max(len(rows), least))
    index[len(rows) :] = 0
    return rows[index]
