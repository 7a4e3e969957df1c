"""The answers of models, kept by what determines them: weights, number format, the code that computes them, the device,
and the input.

A shard's answers are looked up here before its model is loaded: whatever shard, stimuli or name of a model they were
given for, and also if the job that had them was killed. Deleting the folder costs time, not results.
"""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.files import placed
from herbarium.core.provenance import value_hash
from herbarium.core.shared import ARCHIVE
from herbarium.models import folders
from herbarium.scoring import answers, quantities

# What a record says about how weights become answers to token ids.
_HOW = ("kind", "dtype", "classes", "architecture", "cuts")
_LIBRARIES = ("torch", "transformers")
# What may differ between records of one server that gives the same answers.
_NAMES = ("name", "path")


def determined_by(record: dict, code: str) -> str:
    """Hash of what determines a model's answer to an input on a device.

    record: of the model in the number format in which it scores. code: hash of the code that answers.
    """
    if record["served"]:
        return value_hash([code, {key: value for key, value in record.items() if key not in _NAMES}])
    how = {key: record[key] for key in _HOW}
    libraries = {name: record["libraries"][name] for name in _LIBRARIES}
    return value_hash([code, how, libraries, folders.of_weights(record["files"])])


def folder(results: str | Path, key: str) -> Path:
    """Where answers that are `determined_by` the same are."""
    return Path(placed(ARCHIVE, str(results)), key)


def known(place: Path, inputs: pa.Table, requests: pa.Table) -> dict[str, np.ndarray]:
    """(n_requests,) the answers to requests that are kept in a folder, by the device that gave them; nan where unknown.

    inputs, requests: tables of a plan.
    """
    by_device: dict[str, np.ndarray] = {}
    for file in sorted(place.glob("*.parquet")):
        try:
            header, digests = store.read_header(file), store.read_table(file, "answers", ["digest"])
            if header["determined_by"] != place.name:
                raise HerbariumError(f"{file} belongs in the folder {header['determined_by']}.")
            device = header["device"]
            asked = inputs.filter(pc.is_in(inputs["digest"], digests["digest"].combine_chunks()))
            if len(asked):
                values = answers.looked_up(store.read_table(file, "answers"), asked, requests)
                before = by_device.get(device, values)
                by_device[device] = np.where(np.isnan(before), values, before)
        except HerbariumError as error:
            log.warning("%s Its answers are not used.", error)
    return by_device


def keep(place: Path, device: str, inputs: pa.Table, requests: pa.Table, values: np.ndarray) -> None:
    """Keep the answers of a device in a folder, in place of those kept before to fewer of the same requests.

    inputs, requests: what was asked in one go. values: (n_requests,), nan where not yet known.
    """
    asked = hashlib.blake2b(device.encode(), digest_size=16)
    for column in (inputs["digest"], *(requests[name] for name in ("input", "position", "target"))):
        for buffer in column.combine_chunks().buffers():
            asked.update(buffer or b"")
    is_known = ~np.isnan(values)
    requests = requests.filter(pa.array(is_known))
    inputs = inputs.filter(pc.is_in(inputs["input"], requests["input"].combine_chunks()))
    rows = answers.by_input(inputs, requests, values[is_known])
    store.write_table(
        place / f"{asked.hexdigest()}.parquet",
        quantities.ANSWERS,
        rows,
        {"determined_by": place.name, "device": device},
    )
