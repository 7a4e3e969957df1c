"""Answers to requests: natural log-probabilities of tokens at positions of unique inputs.

Inputs of one length run together, so none is padded unless a quantity asks for it, and no input can see another. A head
over the vocabulary is applied only at requested positions; that of an extractive model, which has two numbers per
token, at all positions. A matrix product may round differently in another shape, and then the last bits of a score
would depend on how many inputs happened to run with it; so passes are filled up to shapes that round in the same way.
The shape follows from the length of an input, the model and the kind of device: not from other inputs, nor from time.

Where an input of a causal model has a prefix, the prefix runs as an input of its own, once; what stands behind it runs
with the kept keys and values, in a shape that follows from the two lengths. Prefixes run in chapters, so that few are
kept at a time.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core.console import log, progress
from herbarium.core.errors import HerbariumError
from herbarium.models import prefixes
from herbarium.models.loading import before_head, forward, is_extractive, logits, span_logits

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

    from herbarium.scoring.planning import Block

# Tokens per forward pass on a CPU: enough to keep it busy, few enough for its caches.
_TOKENS_CPU = 512
# On a GPU a pass is to take about as long as its launch, some milliseconds: a larger one is hardly faster per token and
# needs more filler. So many products of a weight and a token, by the bytes of a number (in half precision, they are
# some eight times as fast); and the fewest tokens that are worth reading the weights for, and the most.
_PRODUCTS_GPU = {4: 2**36, 2: 2**39}
_TOKENS_GPU = (256, 16_384)
# Logits (positions x vocabulary) per pass of the head.
_PASS_LOGITS = {"cpu": 2**22, "cuda": 2**28}
# A pass of fewer rows is filled up. On a CPU, only products of very few rows are computed differently (the tests
# compare bits). On a GPU, the shape determines the kernel and thus the order of its sums, so all passes of a length
# have one.
_LEAST_ROWS_CPU = 64
# In tokens of a pass: the most that prefixes keep at a time, and the most kept ones that the inputs of a pass read.
_KEPT_PASSES, _READ_PASSES = 8, 64
# Seconds between two saves of answers, and the part (one in this many) of the time that saving may take.
_KEEP_AFTER = 60
_KEEP_SHARE = 20


def place(model: "PreTrainedModel", device: str) -> "PreTrainedModel":
    """The model on the device, with its weights in the layout that the device's products read fastest: to be run, not
    to be trained, saved or placed again."""
    from herbarium.models import packing

    model = model.to(device)
    if device == "cpu" and packing.can_pack(model.dtype):
        packing.pack(model, _TOKENS_CPU)
    return model


def tokens_a_pass(model: "PreTrainedModel", device: str) -> int:
    """The tokens of a forward pass: on a GPU a power of two, the smaller the more weights the model has."""
    if device == "cpu":
        return _TOKENS_CPU
    tables = {id(table.weight) for table in (model.get_input_embeddings(), model.get_output_embeddings()) if table}
    n_weights = sum(weights.numel() for weights in model.parameters() if id(weights) not in tables)
    tokens = 2 ** round(math.log2(_PRODUCTS_GPU[model.dtype.itemsize] / n_weights))
    fewest, most = _TOKENS_GPU
    return min(max(tokens, fewest), most)


def answer(
    model: "PreTrainedModel",
    device: str,
    inputs: pa.Table,
    requests: pa.Table,
    title: str,
    pass_tokens: int | None = None,
    keep: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """The natural log-probability that each request asks for: (n_requests,) float64, in the order of `requests`.

    model: on `device` (`place`). inputs, requests: tables of the schemas "plan_inputs" and "plan_requests".
    pass_tokens: tokens of a forward pass, `tokens_a_pass` if none are given; halved until it fits into the device's
    memory.
    keep: called about once a minute with the answers so far, as they will be returned, nan where unknown.
    Raises HerbariumError when an answer is not finite, or a single input does not fit into memory.
    """
    wanted = pass_tokens or tokens_a_pass(model, device)
    cuts = prefixes.able(model)

    positions = prefixes.positions(model) if cuts else None

    def run(tokens: int) -> np.ndarray:
        layout = _lay_out(inputs, requests, _KEPT_PASSES * tokens if cuts else None, positions)
        n_logits = _PASS_LOGITS[device] * tokens // wanted
        at_times = now_and_then(keep) if keep else None
        answers = _span_answers if is_extractive(model) else _answers
        return answers(model, device, layout, _Budget(device, tokens, n_logits), title, at_times)

    longest = pc.max(pc.list_value_length(inputs["token_ids"])).as_py() or 1
    answers = within_memory(run, wanted, longest, title)
    if not np.isfinite(answers).all():
        bad = requests["request"].to_numpy()[~np.isfinite(answers)]
        raise HerbariumError(
            f"{title}: {len(bad)} scores are not finite (the first: request {bad[0]}); the cause is in the model's "
            "weights or its dtype."
        )
    return answers


def now_and_then(keep: Callable[[np.ndarray], None]) -> Callable[[Callable[[], np.ndarray]], None]:
    """A function that calls `keep` with the result of its argument, if it is time to. A value that is not finite counts
    as unknown, so that it is never taken for an answer later."""
    due = time.monotonic() + _KEEP_AFTER

    def at_times(answers: Callable[[], np.ndarray]) -> None:
        nonlocal due
        start = time.monotonic()
        if start < due:
            return
        so_far = answers()
        keep(np.where(np.isfinite(so_far), so_far, np.nan))
        end = time.monotonic()
        due = end + max(_KEEP_AFTER, _KEEP_SHARE * (end - start))

    return at_times


def within_memory(run: Callable[[int], np.ndarray], tokens: int, longest: int, title: str) -> np.ndarray:
    """The result of `run`, called with the tokens of a pass: halved until it fits into the device's memory.

    longest: tokens of the longest input. Runs that begin with the longest inputs lose little time.
    Raises HerbariumError when a single input does not fit.
    """
    import torch

    while True:
        try:
            return run(tokens)
        except torch.OutOfMemoryError as error:
            if tokens <= longest:
                raise HerbariumError(f"{title}: an input of {longest} tokens does not fit into memory.") from error
        # only here is the memory of the failed pass free
        tokens //= 2
        torch.cuda.empty_cache()
        log.info("%s: a pass does not fit into memory; from now on, passes have %d tokens.", title, tokens)


def answer_all(model: "PreTrainedModel", device: str, plan: "Block", title: str) -> np.ndarray:
    """The answers of a plan of one block, (n_requests,) float64 by the number of the request."""
    answers = np.empty(len(plan.requests))
    answers[plan.requests["request"].to_numpy()] = answer(model, device, plan.inputs, plan.requests, title)
    return answers


@dataclass(frozen=True)
class _Budget:
    """The limits of a pass."""

    device: str
    tokens: int
    logits: int


def _span_answers(
    model: "PreTrainedModel",
    device: str,
    layout: "_Layout",
    budget: _Budget,
    title: str,
    at_times: Callable[[Callable[[], np.ndarray]], None] | None,
) -> np.ndarray:
    """As `_answers`, for an extractive model, whose log-probabilities are over all tokens of an input."""
    import torch

    answers = torch.full((len(layout.request),), torch.nan, pin_memory=device == "cuda")
    seen = 0  # places whose answers are known
    with torch.inference_mode(), progress(len(layout.lengths), "inputs", title) as bar:
        for one in _passes(layout, budget):
            of_tokens = span_logits(model, _moved(one.token_ids, device), _moved(one.n_second, device))
            log_p = torch.log_softmax(of_tokens.float(), dim=1)
            requests_of_batch = slice(*layout.first_request[[seen, seen + len(one.row)]])
            place = layout.place[requests_of_batch] - seen
            at = (
                _moved(array, device)
                for array in (one.row[place], one.position[place], layout.target[requests_of_batch])
            )
            answers[requests_of_batch].copy_(log_p[tuple(at)], non_blocking=True)
            seen += len(one.row)
            bar.update(one.n_inputs)
            if at_times:
                at_times(lambda: _in_order(layout, answers, device))
    return _in_order(layout, answers, device)


def _moved(array: np.ndarray, device: str) -> "torch.Tensor":
    import torch

    host = torch.from_numpy(array)
    return host.pin_memory().to(device, non_blocking=True) if device == "cuda" else host


def _in_order(layout: "_Layout", answers: "torch.Tensor", device: str) -> np.ndarray:
    """(n_requests,) float64 the answers by their rows in the table of requests. answers: in the order of the layout."""
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
    by_request = np.empty(len(answers))
    by_request[layout.request] = answers.double().numpy()
    return by_request


def _answers(
    model: "PreTrainedModel",
    device: str,
    layout: "_Layout",
    budget: _Budget,
    title: str,
    at_times: Callable[[Callable[[], np.ndarray]], None] | None,
) -> np.ndarray:
    import torch

    on_gpu = device == "cuda"
    moved = partial(_moved, device=device)
    how = forward(model)
    most = budget.logits // how.vocabulary
    rows = max(_LEAST_ROWS_CPU, min(budget.tokens, most))
    if not how.in_two:  # then every token of a pass has logits
        budget = replace(budget, tokens=min(budget.tokens, most))
    answers = torch.full((len(layout.request),), torch.nan, pin_memory=on_gpu)
    weights = torch.ones(len(layout.places), pin_memory=on_gpu)
    seen = n_answered = 0  # places whose hidden states, and whose logits, are known

    def in_order() -> np.ndarray:
        return _in_order(layout, answers, device) * _in_order(layout, weights[layout.place], device)

    waiting, kept, chapter = None, None, -1
    with torch.inference_mode(), progress(len(layout.lengths), "inputs", title) as bar:
        for one in _passes(layout, budget):
            token_ids, attention = moved(one.token_ids), None
            if one.chapter != chapter:
                kept, chapter = prefixes.Kept(), one.chapter
            if one.kept is not None:
                states = prefixes.go_on(model, kept, moved(one.kept), token_ids, moved(one.n_tokens))
            elif chapter >= 0:
                states = prefixes.begin(model, token_ids, kept, one.n_inputs)
            else:
                mask = None if one.attention_mask is None else moved(one.attention_mask)
                states, attention = before_head(model, token_ids, one.with_attention, mask)
            at = moved(one.row), moved(one.position)
            waiting = states[at] if waiting is None else torch.cat([waiting, states[at]])
            if one.with_attention:
                weights[seen : seen + len(one.row)].copy_(attention[at], non_blocking=True)
            seen += len(one.row)
            bar.update(one.n_inputs)
            while len(waiting) >= rows or (seen == len(layout.places) and len(waiting)):
                now, waiting = waiting[:rows], waiting[rows:]
                of_places = logits(model, filled_up(now, rows if on_gpu else _LEAST_ROWS_CPU))
                log_p = torch.log_softmax(of_places.float(), dim=-1)
                batch_requests = slice(*layout.first_request[[n_answered, n_answered + len(now)]])
                at = moved(layout.place[batch_requests] - n_answered), moved(layout.target[batch_requests])
                answers[batch_requests].copy_(log_p[at], non_blocking=True)
                n_answered += len(now)
            if at_times:
                at_times(in_order)
    return in_order()


@dataclass(frozen=True)
class _Layout:
    """Inputs in the order in which they run, and the requested places (input, position) in the same order.

    Several requests may ask for different tokens at one place: it is computed once. An input that has a prefix comes
    behind it, in the same chapter; its tokens and positions are those behind the prefix.
    """

    starts: np.ndarray  # (n_inputs,) where the input's tokens start in token_ids
    lengths: np.ndarray  # (n_inputs,)
    filled: np.ndarray  # (n_inputs,) the tokens with what fills it up
    n_kept: np.ndarray  # (n_inputs,) those of its prefix with what fills that up
    n_prefix: np.ndarray  # (n_inputs,) those of its prefix
    n_padding: np.ndarray  # (n_inputs,)
    n_second: np.ndarray  # (n_inputs,)
    with_attention: np.ndarray  # (n_inputs,)
    chapter: np.ndarray  # (n_inputs,) -1 if it neither is a prefix nor has one
    kept: np.ndarray  # (n_inputs,) the first token of its prefix among those that its chapter keeps
    token_ids: np.ndarray
    places: np.ndarray  # (n_places, 2) input, position; sorted
    # requests by place: those of place p are first_request[p] ... first_request[p + 1] - 1
    first_request: np.ndarray  # (n_places + 1,)
    request: np.ndarray  # (n_requests,) its row in the table of requests
    place: np.ndarray  # (n_requests,)
    target: np.ndarray  # (n_requests,)


def _lay_out(inputs: pa.Table, requests: pa.Table, kept_tokens: int | None, positions: int | None = None) -> _Layout:
    """kept_tokens: of the prefixes of a chapter; None if all inputs run whole. positions: that the model has; None if
    nothing limits them."""
    rows = rows_with_prefixes(inputs, cuts=kept_tokens is not None)
    chapter, is_prefix = _chapters(rows.prefix, rows.lengths, kept_tokens)
    n_kept, n_behind = filled_shape(rows.n_prefix, rows.lengths - rows.n_prefix, kept_tokens is not None)
    if positions is not None:  # filler has none of its own behind a prefix
        n_behind = np.where(rows.n_prefix > 0, n_behind, np.minimum(n_behind, np.maximum(positions, rows.lengths)))
    # in each chapter, prefixes first; longest first: a pass that does not fit into memory is met at once
    order = np.lexsort((rows.n_padding > 0, -n_behind, -n_kept, rows.with_attention, n_kept > 0, chapter))
    number = inputs["input"].to_numpy()
    by_number = np.argsort(number)
    asked = by_number[np.searchsorted(number, requests["input"].to_numpy(), sorter=by_number)]
    rank = np.argsort(order)  # of each row, in the order of running
    longest = int(rows.lengths.max(initial=1))
    position = requests["position"].to_numpy() - rows.n_prefix[asked]
    place_keys, place = np.unique(rank[asked] * longest + position, return_inverse=True)
    request = np.argsort(place, kind="stable")
    return _Layout(
        starts=(rows.starts + rows.n_prefix)[order],
        lengths=(rows.lengths - rows.n_prefix)[order],
        filled=n_behind[order],
        n_kept=n_kept[order],
        n_prefix=rows.n_prefix[order],
        n_padding=rows.n_padding[order],
        n_second=rows.n_second[order],
        with_attention=rows.with_attention[order],
        chapter=chapter[order],
        kept=_kept(order, chapter, np.where(is_prefix, n_behind, 0))[rows.prefix][order],
        token_ids=rows.token_ids,
        places=np.stack(np.divmod(place_keys, longest), axis=1),
        first_request=np.searchsorted(place[request], np.arange(len(place_keys) + 1)),
        request=request,
        place=place[request],
        target=requests["target"].to_numpy().astype(np.int64)[request],
    )


class _Rows(NamedTuple):
    """Inputs as arrays, (n_inputs,) each; behind them, prefixes that are no inputs of their own."""

    starts: np.ndarray  # where the tokens start in token_ids, those of the prefix included
    lengths: np.ndarray  # with the prefix
    n_prefix: np.ndarray
    prefix: np.ndarray  # the row of its prefix, -1 if it has none
    n_padding: np.ndarray
    n_second: np.ndarray
    with_attention: np.ndarray
    token_ids: np.ndarray  # (n_tokens,)


def rows_with_prefixes(inputs: pa.Table, cuts: bool) -> _Rows:
    """What runs for inputs. inputs: of the schema "plan_inputs". cuts: whether any are cut, or all run whole."""
    lists = inputs["token_ids"].combine_chunks()
    starts, token_ids = lists.offsets.to_numpy(), lists.flatten().to_numpy()
    starts, lengths = starts[:-1] - starts[0], np.diff(starts)
    columns = ("n_padding", "n_second", "with_attention", "n_prefix")
    *counts, n_prefix = (inputs[name].to_numpy() for name in columns)
    if not cuts:
        n_prefix = np.zeros_like(n_prefix)
    prefix, added = np.full(len(inputs), -1), []
    of_length = np.isin(lengths, n_prefix[n_prefix > 0]) & (n_prefix == 0)
    may_be = np.flatnonzero(of_length & ~np.any(counts, axis=0))
    row_of = {token_ids[starts[row] : starts[row] + lengths[row]].tobytes(): row for row in may_be}
    for row in np.flatnonzero(n_prefix):
        key = token_ids[starts[row] : starts[row] + n_prefix[row]].tobytes()
        if key not in row_of:
            row_of[key] = len(inputs) + len(added)
            added.append(row)
        prefix[row] = row_of[key]
    none = np.zeros(len(added), dtype=int)
    return _Rows(
        np.concatenate([starts, starts[added]]).astype(int),
        np.concatenate([lengths, n_prefix[added]]),
        np.concatenate([n_prefix, none]),
        np.concatenate([prefix, none - 1]),
        *(np.concatenate([values, none.astype(values.dtype)]) for values in counts),
        token_ids,
    )


def _chapters(prefix: np.ndarray, lengths: np.ndarray, kept_tokens: int | None) -> tuple[np.ndarray, np.ndarray]:
    """(n_inputs,) the chapter of each, -1 if it has none, and whether it is a prefix. Arguments as in `_Rows` and
    `_lay_out`."""
    chapter, has_prefix = np.full(len(prefix), -1), prefix >= 0
    kept = np.unique(prefix[has_prefix])
    if len(kept):
        kept = kept[np.argsort(-lengths[kept], kind="stable")]
        chapter[kept] = (np.cumsum(lengths[kept]) - lengths[kept]) // kept_tokens
        chapter[has_prefix] = chapter[prefix[has_prefix]]
    return chapter, (chapter >= 0) & ~has_prefix


def _kept(order: np.ndarray, chapter: np.ndarray, n_kept: np.ndarray) -> np.ndarray:
    """(n_inputs,) the first token of each prefix among those that its chapter keeps, after one that is none.

    order: of running. n_kept: (n_inputs,) the tokens of a prefix with what fills it up, 0 for any other input.
    """
    before = np.cumsum(n_kept[order]) - n_kept[order]
    _, first, which = np.unique(chapter[order], return_index=True, return_inverse=True)
    kept = np.empty(len(order), dtype=int)
    kept[order] = 1 + before - before[first][which]
    return kept


def filled_shape(n_prefix: np.ndarray, n_behind: np.ndarray, cuts: bool) -> tuple[np.ndarray, np.ndarray]:
    """The tokens to which prefixes, and inputs or what stands of them behind a prefix, are filled up, so that those of
    about the same length run together.

    n_prefix: 0 for an input without a prefix. cuts: of a model whose inputs are cut; one of any other kind sees what
    fills an input up. At least one place before a prefix is filler: a pass without any might be computed in another
    way.
    """
    if not cuts:
        return n_prefix, n_behind
    kept = np.where(n_prefix < 64, 2 ** _power_above(np.maximum(n_prefix, 7)), _filled(n_prefix + 1, 2))
    has_prefix = n_prefix > 0
    return np.where(has_prefix, kept, 0), np.where(has_prefix, _filled(n_behind, 1), _filled(n_behind, 3))


def _filled(n: np.ndarray, steps: int) -> np.ndarray:
    """Filled up to the next of 2 ** steps numbers between two powers of two."""
    step = 2 ** np.maximum(_power_above(n) - 1 - steps, 0)
    return -(-n // step) * step


def _power_above(n: np.ndarray) -> np.ndarray:
    """The exponent of the first power of two that is greater than each number."""
    return np.frexp(n)[1]


@dataclass(frozen=True)
class _Pass:
    """One forward pass: inputs of one shape, the last of them filler if there were too few."""

    token_ids: np.ndarray  # (n, length)
    attention_mask: np.ndarray | None  # (n, length), 0 for padding; None if no input of the pass has any
    n_tokens: np.ndarray  # (n,) how many are not what fills an input up
    n_second: np.ndarray  # (n,) how many of the last tokens are of the second type
    with_attention: bool
    chapter: int
    kept: np.ndarray | None  # (n, n_kept) the tokens of the prefixes among those that are kept; None without prefixes
    n_inputs: int  # how many of the n are not filler
    # the places in it, in their order
    row: np.ndarray
    position: np.ndarray


def _passes(layout: _Layout, budget: _Budget) -> Iterator[_Pass]:
    padded = layout.n_padding > 0
    alike = np.stack([layout.chapter, layout.n_kept, layout.filled, layout.with_attention, padded])
    changes = 1 + np.flatnonzero((alike[:, 1:] != alike[:, :-1]).any(axis=0))
    borders = np.unique([0, *changes, len(layout.lengths)])
    for first, last in pairwise(borders):
        length, before = int(layout.filled[first]), np.arange(layout.n_kept[first]) - layout.n_kept[first]
        size, least = inputs_a_pass(budget.device, budget.tokens, length, len(before))
        for start in range(first, last, size):
            stop = min(start + size, last)
            rows = filled_up(np.arange(start, stop), least)
            n_prefix, n_padding = layout.n_prefix[rows, None], layout.n_padding[rows, None]
            columns = np.arange(length)
            # what fills an input up is on its right, where it does not see it
            at = layout.starts[rows, None] + np.minimum(columns, layout.lengths[rows, None] - 1)
            kept = np.where(before >= -n_prefix, layout.kept[rows, None] + before + n_prefix, 0)
            places = layout.places[slice(*np.searchsorted(layout.places[:, 0], [start, stop]))]
            yield _Pass(
                token_ids=layout.token_ids[at].astype(np.int64),
                attention_mask=(columns < length - n_padding).astype(np.int64) if n_padding.any() else None,
                n_tokens=layout.lengths[rows],
                n_second=layout.n_second[rows],
                with_attention=bool(layout.with_attention[first]),
                chapter=int(layout.chapter[first]),
                kept=kept if len(before) else None,
                n_inputs=stop - start,
                row=places[:, 0] - start,
                position=places[:, 1],
            )


def inputs_a_pass(device: str, tokens: int, length: int, n_kept: int = 0) -> tuple[int, int]:
    """The number of inputs of a length in one pass, and the number to which it is filled up so that all passes round in
    the same way. n_kept: tokens of the prefix of each, filled up."""
    most = max(1, tokens // length)
    if n_kept:
        most = min(most, max(1, _READ_PASSES * tokens // (n_kept + length)))
    return most, most if device == "cuda" else max(1, _LEAST_ROWS_CPU // length)


def count_passes(
    lengths: np.ndarray, n: np.ndarray, device: str, tokens: int, fewest: int = 1, n_kept: np.ndarray | None = None
) -> tuple[int, int]:
    """The number of forward passes for inputs, and of tokens in them, including filler.

    lengths, n: (n_kinds,) for each kind of inputs that run together: the tokens of one, and their number. tokens: of a
    pass. fewest: smallest number of rows to which every pass is filled up. n_kept: (n_kinds,) the tokens of the prefix
    of one, which are not counted; None if there are none. Chapters are left aside.
    """
    kinds = zip(lengths.tolist(), np.zeros_like(lengths) if n_kept is None else n_kept, strict=True)
    limits = np.array([inputs_a_pass(device, tokens, *map(int, kind)) for kind in kinds], dtype=int).reshape(-1, 2)
    most, least = limits[:, 0], np.maximum(limits[:, 1], fewest)
    whole, rest = np.divmod(n, most)
    rows = whole * np.maximum(most, least) + np.where(rest > 0, np.maximum(rest, least), 0)
    return int((whole + (rest > 0)).sum()), int((rows * lengths).sum())


def filled_up(rows, least: int):
    """The rows (array or tensor), the first of them repeated at the end until there are `least`."""
    index = np.arange(max(len(rows), least))
    index[len(rows) :] = 0
    return rows[index]
