"""The answers of a shard as they are kept: by input, so that another plan can reuse those for inputs that it shares."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core.console import log


def by_input(inputs: pa.Table, requests: pa.Table, log_probability: np.ndarray) -> pa.Table:
    """Answers as a table of the schema "answers", one row per input.

    inputs, requests: tables of a plan. log_probability: (n_requests,) in the order of `requests`.
    """
    row = pd.Index(inputs["input"].to_numpy()).get_indexer(requests["input"].to_numpy())
    order, counts = np.argsort(row, kind="stable"), np.bincount(row, minlength=len(inputs))
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = {
        "position": requests["position"].to_numpy(),
        "target": requests["target"].to_numpy(),
        "log_probability": log_probability,
    }
    lists = {name: pa.ListArray.from_arrays(ends, pa.array(values[order])) for name, values in columns.items()}
    return pa.table({"digest": inputs["digest"], **lists})


def by_request(answers: pa.Table, inputs: pa.Table, requests: Iterable[pa.Table]) -> np.ndarray:
    """(n_requests,) the answer to each request, in the order of `requests`; nan where `answers` does not have it.

    answers: of the same plan or another. An input with any other requests than here counts as unknown.
    requests: those of a plan in pieces, one at a time in memory.
    """
    lists = {name: answers[name].combine_chunks() for name in answers.column_names[1:]}
    offsets = lists["position"].offsets.to_numpy()
    flat = {name: column.flatten().to_numpy() for name, column in lists.items()}
    known = pc.index_in(inputs["digest"], value_set=answers["digest"].combine_chunks()).fill_null(-1).to_numpy()
    # for each input, the position in `flat` of the answer to its next request, and the end of its answers
    place, end = (np.where(known < 0, 0, offsets[known + step]) for step in (0, 1))
    row_of = pd.Index(inputs["input"].to_numpy())
    asked_otherwise = np.zeros(len(inputs), dtype=bool)
    parts, owners = [], []
    for piece in requests:
        owner = row_of.get_indexer(piece["input"].to_numpy()).astype(np.int32)
        order = np.argsort(owner, kind="stable")
        counts = np.bincount(owner, minlength=len(inputs))
        at = (place - np.cumsum(counts) + counts)[owner[order]] + np.arange(len(order))
        place += counts
        is_there = at < end[owner[order]]
        order, at = order[is_there], at[is_there]
        for name in ("position", "target"):
            asked_otherwise[owner[order[piece[name].to_numpy()[order] != flat[name][at]]]] = True
        values = np.full(len(piece), np.nan)
        values[order] = flat["log_probability"][at]
        parts.append(values)
        owners.append(owner)
    asked_otherwise |= place != end
    log_probability = np.concatenate([np.empty(0), *parts])
    log_probability[asked_otherwise[np.concatenate([np.empty(0, dtype=np.int32), *owners])]] = np.nan
    return log_probability


def looked_up(answers: pa.Table, inputs: pa.Table, requests: pa.Table) -> np.ndarray:
    """(n_requests,) the answer to each request, in the order of `requests`; nan where `answers` does not have it.

    answers: of any plan. inputs: those of a plan that may be among them; requests on any others are unknown.
    """
    value = np.full(len(requests), np.nan)
    of_input = pc.index_in(answers["digest"], value_set=inputs["digest"].combine_chunks())
    answers, of_input = answers.filter(of_input.is_valid()), of_input.drop_null().to_numpy()
    lists = {name: answers[name].combine_chunks() for name in answers.column_names[1:]}
    there = [np.repeat(of_input, np.diff(lists["position"].offsets.to_numpy())).astype(np.int64)]
    there += [lists[name].flatten().to_numpy().astype(np.int64) for name in ("position", "target")]
    row = pd.Index(inputs["input"].to_numpy()).get_indexer(requests["input"].to_numpy())
    here = [row[row >= 0], *(requests[name].to_numpy()[row >= 0].astype(np.int64) for name in ("position", "target"))]
    if len(there[0]) and len(here[0]):
        # one number for each triple
        sizes = [1 + max(one.max(), other.max()) for one, other in zip(there, here, strict=True)]
        known, asked = np.ravel_multi_index(there, sizes), np.ravel_multi_index(here, sizes)
        order = np.argsort(known, kind="stable")
        at = order[np.minimum(np.searchsorted(known, asked, sorter=order), len(order) - 1)]
        value[row >= 0] = np.where(known[at] == asked, lists["log_probability"].flatten().to_numpy()[at], np.nan)
    return value


def devices(headers: Iterable[dict], title: str) -> str:
    """The device on which all shards were answered; if there are several, all of them, with a warning: last digits may
    differ.

    headers: what each shard says about itself.
    """
    names = sorted({header["device"] for header in headers})
    if len(names) > 1:
        log.warning(
            "%s: shards were answered on different devices, so last digits may differ: %s.", title, "; ".join(names)
        )
    return "; ".join(names)
