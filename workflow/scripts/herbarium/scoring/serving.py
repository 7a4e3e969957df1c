"""The answers of a served model, and whether they are what they should be."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from herbarium.core.console import log, progress
from herbarium.core.errors import HerbariumError
from herbarium.models.servers import Server
from herbarium.scoring import tuning
from herbarium.scoring.answering import now_and_then

if TYPE_CHECKING:
    from herbarium.scoring.planning import Block

# The device of answers: what the server runs on is unknown.
DEVICE = "a server"
_AT_ONCE = 1024  # prompts given to the threads at the same time


def answer(
    server: Server,
    inputs: pa.Table,
    requests: pa.Table,
    title: str,
    keep: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """As `answering.answer`, for a causal model on a server. On an error, the answers so far are kept, too."""
    order = np.argsort(requests["input"].to_numpy(), kind="stable")
    owner, position = requests["input"].to_numpy()[order], requests["position"].to_numpy()[order]
    numbers = inputs["input"].to_numpy()
    first, last = np.searchsorted(owner, [numbers, numbers + 1])
    answers = np.full(len(requests), np.nan)
    at_times = now_and_then(keep) if keep else None
    with ThreadPoolExecutor(server.concurrent) as pool, progress(len(inputs), "inputs", title) as bar:
        try:
            for start in range(0, len(inputs), _AT_ONCE):
                token_ids = inputs["token_ids"].slice(start, _AT_ONCE).to_pylist()
                for row, log_p in enumerate(pool.map(server.log_probabilities, token_ids), start):
                    of_input = slice(first[row], last[row])
                    # a causal model predicts a token at the position before it
                    answers[order[of_input]] = np.array(log_p)[position[of_input] + 1]
                    bar.update(1)
                    if at_times:
                        at_times(lambda: answers)
        except HerbariumError:
            pool.shutdown(cancel_futures=True)
            if keep:
                keep(answers)
            raise
    return answers


def check(
    server: Server, sample: "Block", accepted: dict, exact: Callable[[], np.ndarray] | None = None
) -> dict[str, dict[str, float]]:
    """Changes in a sentence's mean log-probability per token on a server: "max" and "mean" |Δ| of each.

    "asking again": the same prompts, each on its own, and twice among others. "the server": its answers against those
    of the weights. sample: planned sentences of the study. accepted: largest "max" and "mean". exact: gives the values
    of the weights; None if there are none to compare with. Empty if every sentence of the sample is refused.
    Raises HerbariumError if a change is larger than accepted.
    """
    if not len(sample.requests):
        log.warning("%s: every sentence of the sample is refused, so its server is not checked.", server.name)
        return {}

    def values(of: Server) -> np.ndarray:
        answers = np.empty(len(sample.requests))
        found = answer(of, sample.inputs, sample.requests, f"{server.name} on its server")
        answers[sample.requests["request"].to_numpy()] = found
        return tuning.sentence_means(answers, sample)

    alone, *among = values(replace(server, concurrent=1)), values(server), values(server)
    differences = {"asking again": np.abs(np.stack(among) - alone).max(axis=0)}
    if exact is not None:
        differences["the server"] = np.abs(among[0] - exact())
    changes = {what: {"max": float(of.max()), "mean": float(of.mean())} for what, of in differences.items()}
    for what, change in changes.items():
        said = f"max |Δ| {change['max']:.2g}, mean |Δ| {change['mean']:.2g}"
        log.info("%s: %s changes a sentence's mean by: %s, %d sentences.", server.name, what, said, len(alone))
        if not tuning.is_accepted(change, accepted):
            raise HerbariumError(
                f"models.{server.name}.served: {what} changes the scores of this study by more than `precision` "
                f"accepts (max {accepted['max']:g}, mean {accepted['mean']:g}): {said}. Does {server.url} serve these "
                "weights, in a number format that is precise enough? If so, accept larger changes."
            )
    return changes
