"""The answers of a served model, and whether they are what they should be."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

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
_AT_ONCE = 256  # prompts between two rounds of probes
_PROBES = 8


class Probe(NamedTuple):
    """A prompt that is asked again, to see whether the server still answers as it did when it was checked."""

    token_ids: list[int]
    positions: list[int]  # in the prompt, of the tokens that count
    log_p: list[float]  # their log-probabilities then


class Checked(NamedTuple):
    """What was measured of a server."""

    changes: dict[str, dict[str, float]]
    probes: list[Probe]


def answer(
    server: Server,
    inputs: pa.Table,
    requests: pa.Table,
    title: str,
    keep: Callable[[np.ndarray], None] | None = None,
    probes: Sequence[Probe] = (),
    accepted: dict | None = None,
) -> np.ndarray:
    """As `answering.answer`, for a causal model on a server. On an error, the answers so far are kept, too.

    probes: asked before the inputs, again among them, and at the end; answers count only once the probes after them
    are what they were. accepted: largest "max" and "mean" change of a probe's mean log-probability per token.
    Raises HerbariumError if there is a larger one.
    """
    order = np.argsort(requests["input"].to_numpy(), kind="stable")
    owner, position = requests["input"].to_numpy()[order], requests["position"].to_numpy()[order]
    numbers = inputs["input"].to_numpy()
    first, last = np.searchsorted(owner, [numbers, numbers + 1])
    answers = np.full(len(requests), np.nan)
    confirmed = answers.copy() if probes else answers
    at_times = now_and_then(keep) if keep else None
    at_once = max(_AT_ONCE, 4 * server.concurrent)
    with ThreadPoolExecutor(server.concurrent) as pool, progress(len(inputs), "inputs", title) as bar:
        try:
            _require_same(server, pool, probes, accepted)
            for start in range(0, len(inputs), at_once):
                token_ids = inputs["token_ids"].slice(start, at_once).to_pylist()
                for row, log_p in enumerate(pool.map(server.log_probabilities, token_ids), start):
                    of_input = slice(first[row], last[row])
                    # a causal model predicts a token at the position before it
                    answers[order[of_input]] = np.array(log_p)[position[of_input] + 1]
                    bar.update(1)
                    if at_times:
                        at_times(lambda: confirmed)
                _require_same(server, pool, probes, accepted)
                confirmed[:] = answers
        except HerbariumError:
            pool.shutdown(cancel_futures=True)
            if keep:
                keep(confirmed)
            raise
    return answers


def _require_same(server: Server, pool: Executor, probes: Sequence[Probe], accepted: dict | None) -> None:
    """Raise HerbariumError if the server does not answer probes as it did when it was checked."""
    if not probes:
        return
    now = pool.map(server.log_probabilities, [probe.token_ids for probe in probes])
    changes = np.array(
        [abs(np.mean(np.array(log_p)[probe.positions] - probe.log_p)) for probe, log_p in zip(probes, now, strict=True)]
    )
    change = {"max": float(changes.max()), "mean": float(changes.mean())}
    if not tuning.is_accepted(change, accepted):
        raise HerbariumError(
            f"models.{server.name}.served: {server.url} no longer answers as it did when it was checked: the same "
            f"{len(probes)} prompts now have other means, {_in_words(change)}. Answers since the last check that it "
            f"passed are not used. Does it serve the same weights? If these are the right ones, delete "
            f"results/work/models/{server.name}/ and run the same command again."
        )


def _in_words(change: dict[str, float]) -> str:
    return f"max |Δ| {change['max']:.2g}, mean |Δ| {change['mean']:.2g}"


def check(server: Server, sample: "Block", accepted: dict, exact: Callable[[], np.ndarray] | None = None) -> Checked:
    """Changes in a sentence's mean log-probability per token on a server: "max" and "mean" |Δ| of each; and probes.

    "asking again": the same prompts, each on its own, and twice among others. "the server": its answers against those
    of the weights. sample: planned sentences of the study. accepted: largest "max" and "mean". exact: gives the values
    of the weights; None if there are none to compare with. Empty if every sentence of the sample is refused.
    Raises HerbariumError if a change is larger than accepted.
    """
    if not len(sample.requests):
        log.warning("%s: every sentence of the sample is refused, so its server is not checked.", server.name)
        return Checked({}, [])

    def ask(connection: Server) -> np.ndarray:
        answers = np.empty(len(sample.requests))
        in_order = answer(connection, sample.inputs, sample.requests, f"{server.name} on its server")
        answers[sample.requests["request"].to_numpy()] = in_order
        return answers

    rounds = [ask(replace(server, concurrent=1)), ask(server), ask(server)]
    alone, *among = (tuning.sentence_means(answers, sample) for answers in rounds)
    differences = {"asking again": np.abs(np.stack(among) - alone).max(axis=0)}
    if exact is not None:
        differences["the server"] = np.abs(among[0] - exact())
    changes = {
        what: {"max": float(difference.max()), "mean": float(difference.mean())}
        for what, difference in differences.items()
    }
    for what, change in changes.items():
        log.info(
            "%s: %s changes a sentence's mean by: %s, %d sentences.", server.name, what, _in_words(change), len(alone)
        )
        if not tuning.is_accepted(change, accepted):
            raise HerbariumError(
                f"models.{server.name}.served: {what} changes the scores of this study by more than `precision` "
                f"accepts (max {accepted['max']:g}, mean {accepted['mean']:g}): {_in_words(change)}. Does {server.url} "
                "serve these weights, in a number format that is precise enough? If so, accept larger changes."
            )
    return Checked(changes, _probes(sample, rounds[0]))


def _probes(sample: "Block", answers: np.ndarray) -> list[Probe]:
    """Some prompts of a sample, evenly spaced. answers: by request."""
    requests = sample.requests.to_pandas()
    asked = sample.inputs.to_pandas().set_index("input")["token_ids"]
    asked = asked[asked.index.isin(requests["input"])]
    chosen = np.unique(np.linspace(0, len(asked) - 1, _PROBES).round().astype(int))
    probes = []
    for number, token_ids in asked.iloc[chosen].items():
        input_requests = requests[requests["input"] == number]
        # a causal model predicts a token at the position before it
        positions = (input_requests["position"] + 1).tolist()
        probes.append(Probe(list(map(int, token_ids)), positions, answers[input_requests["request"]].tolist()))
    return probes
