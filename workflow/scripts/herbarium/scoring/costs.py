"""The expected cost of jobs that run a model, from a sample of their work: inputs, tokens, passes, hours, bytes.

Times measured by the clock differ each time, so nothing but the estimate may be made from them.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core import store
from herbarium.core.costs import ONE_CORE, timed
from herbarium.models import devices, loading
from herbarium.scoring import answering, answers, quantities
from herbarium.scoring.planning import Block, Planner, joined

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PLAN, SCORE, GATHER = "plan", "score", "gather"
# Up to this number, all sentences are planned; otherwise a sample: runs of neighbours, which share inputs.
WHOLE, SAMPLE, _RUN = 250_000, 100_000, 2_500


def placed(record: dict, device: str, dtype: str) -> tuple["PreTrainedModel", float]:
    """The model of a record on a device, as it is when it runs, and the seconds until it is there."""
    folder = loading.folder_of(record)
    start = time.perf_counter()
    model = answering.place(loading.load_recorded(record, folder, dtype), device)
    return model, time.perf_counter() - start


def sample_rows(counts: Sequence[int], random: np.random.Generator) -> list[np.ndarray]:
    """Which sentences of each shard are planned, ascending: all, or runs of neighbours at random places.

    counts: sentences of each shard. Runs begin at even positions, so that no pair is split, and every shard has its
    share of them, at least one.
    """
    if sum(counts) <= WHOLE:
        return [np.arange(n) for n in counts]
    chosen = []
    for n in counts:
        borders = np.linspace(0, n, max(1, round(n / sum(counts) * SAMPLE / _RUN)) + 1).astype(int)
        starts = [random.integers(a, max(a + 1, b - _RUN)) // 2 * 2 for a, b in pairwise(borders)]
        chosen.append(np.unique(np.concatenate([np.arange(start, min(start + _RUN, n)) for start in starts])))
    return chosen


@dataclass(frozen=True)
class Shard:
    """The planned part of a shard of stimuli. Seconds and bytes are those of the sample."""

    n_sentences: int
    n_sampled: int
    plan: Block
    plan_seconds: float
    plan_bytes: int

    def extrapolated(self, figure: float) -> float:
        """A figure for the sample, extrapolated to the whole shard."""
        return figure * self.n_sentences / self.n_sampled


def plan(
    planner: Planner, asked: dict, shard: str | Path, n_sentences: int, rows: np.ndarray, folder: Path, made: dict
) -> Shard:
    """Plan some rows of a shard, and write the plan into a folder, as it will be.

    asked: from `planning.asked_of`. n_sentences: of the whole shard. made: what a file says about how it was made.
    """
    start = time.perf_counter()
    pieces = store.read_pieces_of_rows([shard], rows)
    planned = joined(planner.add_stimuli(piece, asked) for piece in pieces if len(piece))
    paths = [folder / "inputs", folder / "requests", folder / "sentences"]
    for path, table in zip(paths, (quantities.INPUTS, quantities.REQUESTS, quantities.SENTENCES), strict=True):
        store.write_table(path, table, getattr(planned, path.name), made)
    seconds = time.perf_counter() - start
    return Shard(n_sentences, len(rows), planned, seconds, sum(path.stat().st_size for path in paths))


def gather(shard: Shard, results: np.ndarray, folder: Path, made: dict) -> tuple[float, int, int]:
    """Write the answers to a plan and the scores from them, as they will be. Returns the seconds for the scores, and
    the bytes of both.

    results: answers to any requests; they are repeated for the others.
    """
    inputs, requests = shard.plan.inputs, shard.plan.requests
    answered = answers.by_input(inputs, requests, np.resize(results, len(requests)))
    store.write_table(folder / "answers", quantities.ANSWERS, answered, made)
    start = time.perf_counter()
    by_request = np.empty(len(requests))
    by_request[requests["request"].to_numpy()] = answers.by_request(answered, inputs, [requests])
    quantities.write_scores(folder / "scores", [(by_request, shard.plan.sentences)], made)
    seconds = time.perf_counter() - start
    return seconds, *((folder / name).stat().st_size for name in ("answers", "scores"))


def kinds_of_inputs(inputs: pa.Table, cuts: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The kinds of inputs that run together, (n_kinds,) each: the tokens of one with what fills it up, their number,
    and the tokens of its prefix, which runs as an input of its own. cuts: as in `answering.filled_shape`."""
    rows = answering.rows_with_prefixes(inputs, cuts)
    n_kept, lengths = answering.filled_shape(rows.n_prefix, rows.lengths - rows.n_prefix, cuts)
    kinds = np.stack([lengths, n_kept, rows.with_attention, rows.n_padding > 0])
    (lengths, n_kept, *_), counts = np.unique(kinds, axis=1, return_counts=True)
    return lengths, counts, n_kept


def named(device: str, threads: int) -> str:
    """What hours are for: the name of a device, and for a CPU the number of threads."""
    on_cpu = f", {threads} thread{'s' * (threads > 1)}" if device == devices.CPU else ""
    return devices.name(device) + on_cpu


def rate(
    answer: Callable[[pa.Table, pa.Table], np.ndarray],
    block: Block,
    device: str,
    pass_tokens: int,
    random: np.random.Generator,
    cuts: bool,
) -> tuple[float, np.ndarray]:
    """Tokens per second, including filler, and the answers that were found on the way.

    answer: gives the answers to requests on inputs. block: a plan from which inputs are drawn, pass by pass. cuts:
    whether inputs of the model are cut.
    """
    if not len(block.inputs):  # every sentence was refused
        return np.inf, np.empty(0)
    lengths = pc.list_value_length(block.inputs["token_ids"]).to_numpy()
    order = pass_by_pass(lengths, device, pass_tokens, random)

    def chosen(n: int) -> tuple[pa.Table, pa.Table]:
        inputs = block.inputs.take(np.sort(order[:n]))
        return inputs, block.requests.filter(pc.is_in(block.requests["input"], inputs["input"].combine_chunks()))

    n, seconds, result = timed(lambda n: answer(*chosen(n)), len(order))
    lengths, counts, n_kept = kinds_of_inputs(chosen(n)[0], cuts)
    _, tokens = answering.count_passes(lengths, counts, device, pass_tokens, n_kept=n_kept)
    return tokens / seconds, result


def pass_by_pass(lengths: np.ndarray, device: str, pass_tokens: int, random: np.random.Generator) -> np.ndarray:
    """The numbers of inputs, (n,), in an order in which those of a pass are neighbours and passes come at random, so
    that the first of them run in passes as full as all do. lengths: (n,) in tokens."""
    order = random.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    passes = []
    for alike in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        most, _ = answering.inputs_a_pass(device, pass_tokens, int(lengths[alike[0]]))
        passes += np.split(alike, range(most, len(alike), most))
    return np.concatenate([passes[number] for number in random.permutation(len(passes))])


def counted(n_sentences: int, n_shards: int) -> dict[str, dict]:
    """Rows for a set of stimuli by stage, with what is known before any sentence is planned."""
    jobs = {PLAN: n_shards, SCORE: n_shards, GATHER: 1}
    files = {PLAN: 3 * n_shards, SCORE: n_shards, GATHER: 2}
    return {
        stage: {"stage": stage, "jobs": jobs[stage], "files": files[stage], "sentences": n_sentences, "sampled": 0}
        for stage in jobs
    }


def of_planning(shards: Sequence[Shard]) -> dict:
    """The cost of the jobs that plan. shards: those that have sentences, here and below."""
    hours = [shard.extrapolated(shard.plan_seconds) / 3600 for shard in shards]
    return _row(shards, hours, ONE_CORE, bytes=[shard.plan_bytes for shard in shards])


def of_gathering(shards: Sequence[Shard], seconds: Sequence[float], n_bytes: Sequence[int]) -> dict:
    """The cost of the job that gathers scores. seconds, n_bytes: for the sample of each shard."""
    hours = sum(shard.extrapolated(duration) / 3600 for shard, duration in zip(shards, seconds, strict=True))
    return _row(shards, [hours], ONE_CORE, bytes=n_bytes)


def of_scoring(
    shards: Sequence[Shard],
    n_bytes: Sequence[int],
    hours: Callable[[int], float],
    device: str,
    pass_tokens: int,
    name: str,
    cuts: bool,
) -> dict:
    """The cost of the jobs that run a model.

    n_bytes: of the answers to the sample of each shard. hours: of a job, by the tokens that run in it, including
    filler. device, pass_tokens: as in `answering`. name: of the device. cuts: as in `rate`.
    """
    kinds = [kinds_of_inputs(shard.plan.inputs, cuts) for shard in shards]
    passes = [
        answering.count_passes(lengths, np.ceil(shard.extrapolated(n)).astype(int), device, pass_tokens, n_kept=n_kept)
        for shard, (lengths, n, n_kept) in zip(shards, kinds, strict=True)
    ]
    row = _row(
        shards,
        [hours(n_tokens) for _, n_tokens in passes],
        name,
        inputs=[len(shard.plan.inputs) for shard in shards],
        requests=[len(shard.plan.requests) for shard in shards],
        tokens=[int(lengths @ n) for lengths, n, _ in kinds],
        bytes=n_bytes,
    )
    return row | {"passes": sum(n for n, _ in passes)}


def _row(shards: Sequence[Shard], hours: Sequence[float], device: str, **of_sample: Sequence[float]) -> dict:
    """hours: of each job. of_sample: figures for the sample of each shard, which are extrapolated and added up."""
    added = {
        name: round(sum(shard.extrapolated(figure) for shard, figure in zip(shards, figures, strict=True)))
        for name, figures in of_sample.items()
    }
    n_sampled = sum(shard.n_sampled for shard in shards)
    return {
        **added,
        "sampled": n_sampled,
        "hours": sum(hours),
        "longest_job": max(hours, default=0.0),
        "device": device,
    }
