"""The answers of a shard as they are kept: by input, so that another plan can use those of its inputs that it knows."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import log


def by_input(inputs: pa.Table, requests: pa.Table, log_probability: np.ndarray) -> pa.Table:
    """Answers as a table of the schema "answers", one row per input.

    inputs, requests: tables of a plan. log_probability: (n_requests,) in the order of `requests`.
    """
    order, counts = _by_input(inputs, requests)
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = {
        "position": requests["position"].to_numpy(),
        "target": requests["target"].to_numpy(),
        "log_probability": log_probability,
    }
    lists = {name: pa.ListArray.from_arrays(ends, pa.array(values[order])) for name, values in columns.items()}
    return pa.table({"digest": inputs["digest"], **lists})


def by_request(answers: pa.Table, inputs: pa.Table, requests: pa.Table) -> np.ndarray:
    """(n_requests,) the answer to each request, in the order of `requests`; nan where `answers` does not have it.

    answers: of the same plan or of another. An input that was asked for anything else than here counts as unknown.
    """
    log_probability = np.full(len(requests), np.nan)
    order, counts = _by_input(inputs, requests)
    known = pd.Index(answers["digest"].to_numpy()).get_indexer(inputs["digest"].to_numpy())
    offsets = answers["position"].combine_chunks().offsets.to_numpy()
    flat = {name: answers[name].combine_chunks().flatten().to_numpy() for name in answers.column_names[1:]}
    kept = np.append(np.diff(offsets), -1)  # the last one for an input that is not known
    same_number = kept[known] == counts
    owner = np.repeat(np.arange(len(counts)), counts)  # of each request, in `order`
    rank = np.arange(len(order)) - (np.cumsum(counts) - counts)[owner]
    rows = np.flatnonzero(same_number[owner])
    at = offsets[known[owner[rows]]] + rank[rows]
    differs = np.zeros(len(rows), dtype=bool)
    for name in ("position", "target"):
        differs |= requests[name].to_numpy()[order[rows]] != flat[name][at]
    asked_otherwise = np.zeros(len(counts), dtype=bool)
    asked_otherwise[owner[rows[differs]]] = True
    used = ~asked_otherwise[owner[rows]]
    log_probability[order[rows[used]]] = flat["log_probability"][at[used]]
    return log_probability


def devices(headers: Iterable[dict], title: str) -> str:
    """The device that all shards were answered on; of several, all of them, which is said: last digits may differ.

    headers: what each shard says of itself.
    """
    found = sorted({header["device"] for header in headers})
    if len(found) > 1:
        log.warning(
            "%s: shards were answered on different devices, and last digits may differ: %s.", title, "; ".join(found)
        )
    return "; ".join(found)


def _by_input(inputs: pa.Table, requests: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """The order that sorts requests by the row of their input, and how many each input has."""
    row = pd.Index(inputs["input"].to_numpy()).get_indexer(requests["input"].to_numpy())
    return np.argsort(row, kind="stable"), np.bincount(row, minlength=len(inputs))
