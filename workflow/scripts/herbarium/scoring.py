"""Answers to requests: natural log-probabilities of tokens at positions of unique inputs.

Inputs of one length run together, so there is no padding and no input can see another. The head is applied at requested
positions only. A matrix product may round differently in another shape, and then a score would depend, in its last
bits, on how many inputs happened to run beside it; so passes are filled up to shapes that round alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
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
    answers = np.full(len(requests), np.nan)
    done = 0  # places whose logits are known
    waiting = torch.empty(0, model.config.get_text_config().hidden_size, dtype=model.dtype, device=device)
    with torch.inference_mode(), progress(len(inputs), "inputs", title) as bar:
        for token_ids, n_inputs, row, position in _passes(layout, _PASS_TOKENS[device], _LEAST_ROWS[device]):
            states = hidden_states(model, torch.from_numpy(token_ids).to(device))
            waiting = torch.cat(
                [waiting, states[torch.from_numpy(row).to(device), torch.from_numpy(position).to(device)]]
            )
            bar.update(n_inputs)
            is_last = done + len(waiting) == len(layout.places)
            while len(waiting) >= rows or (is_last and len(waiting)):
                now, waiting = waiting[:rows], waiting[rows:]
                at_least = min(rows, _LEAST_ROWS[device])
                log_p = torch.log_softmax(head(model, _filled_up(now, at_least)).float(), dim=-1)
                asked = slice(*layout.first_request[[done, done + len(now)]])
                at = (
                    torch.from_numpy(layout.place[asked] - done).to(device),
                    torch.from_numpy(layout.target[asked]).to(device),
                )
                answers[layout.request[asked]] = log_p[at].double().cpu().numpy()
                done += len(now)
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
    lengths: np.ndarray  # (n_inputs,) longest first: a pass too large for the memory is met at once
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
    lengths = np.diff(starts)
    order = np.argsort(-lengths, kind="stable")
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
        token_ids=token_ids,
        places=np.stack(np.divmod(place_keys, longest), axis=1),
        first_request=np.searchsorted(place[request], np.arange(len(place_keys) + 1)),
        request=request,
        place=place[request],
        target=requests["target"].to_numpy().astype(np.int64)[request],
    )


def _passes(layout: _Layout, tokens: int, least: int) -> Iterator[tuple[np.ndarray, int, np.ndarray, np.ndarray]]:
    """The forward passes, each of one length: token ids (n, length), how many of the n are not filling, and the row and
    position of each place in them, in the order of the places.

    tokens: of a pass. least: a pass of fewer tokens repeats its first input until it has them.
    """
    for length in np.unique(layout.lengths)[::-1]:
        size, least_inputs = (max(1, n // int(length)) for n in (tokens, least))
        first, last = np.searchsorted(-layout.lengths, [-length, -length + 1])
        for start in range(first, last, size):
            stop = min(start + size, last)
            rows = _filled_up(np.arange(start, stop), least_inputs)
            token_ids = layout.token_ids[layout.starts[rows, None] + np.arange(length)].astype(np.int64)
            places = layout.places[slice(*np.searchsorted(layout.places[:, 0], [start, stop]))]
            yield token_ids, stop - start, places[:, 0] - start, places[:, 1]


def _filled_up(rows, least: int):
    """The rows (array or tensor), the first of them repeated at the end until there are `least`."""
    index = np.arange(max(len(rows), least))
    index[len(rows) :] = 0
    return rows[index]
