"""How the jobs of a run share its shards, so that a model is loaded about once per device.

To load a model can take longer than to answer a shard. So a job that has loaded one goes on with the shards that wait
for the same model, and keeps their answers (`archive`); the job of such a shard finds them there, and loads nothing.
"""

import fcntl
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core import store
from herbarium.core.console import log
from herbarium.scoring import answers, archive, quantities


class Shard(NamedTuple):
    """A shard that a run answers: the wildcards and files of its job.

    - record: of the model as it scores these stimuli
    - output: the file with its answers
    - is_planned: before the run began; otherwise, a plan of an earlier run is not the one that it will have
    """

    model: str
    stimuli: str
    shard: str
    record: str
    inputs: str
    requests: str
    output: str
    is_planned: bool

    @property
    def title(self) -> str:
        return f"{self.model} {self.stimuli} shard {self.shard}"


def write(results: str | Path, shards: Iterable[Shard]) -> None:
    """Write down which shards a run answers, before its first job."""
    store.write_json(_place(results), {"shards": [shard._asdict() for shard in shards]})


def others(results: str | Path, one: Shard) -> list[Shard]:
    """The shards that the run answers of the same model as one, those of the same stimuli first."""
    if not _place(results).exists():
        return []
    shards = (Shard(**fields) for fields in store.read_json(_place(results))["shards"])
    of_model = [shard for shard in shards if shard.model == one.model and shard.output != one.output]
    return sorted(of_model, key=lambda shard: (shard.stimuli != one.stimuli, shard.stimuli, int(shard.shard)))


def can_begin(shard: Shard, results: str | Path) -> bool:
    """Whether the files are there that a shard is answered from, and its plan is the one that the run has made or
    found."""
    plan = [Path(shard.inputs), Path(shard.requests)]
    if not all(file.exists() for file in (Path(shard.record), *plan)):
        return False
    begun = _place(results).stat().st_mtime_ns
    return shard.is_planned or all(file.stat().st_mtime_ns >= begun for file in plan)


def _place(results: str | Path) -> Path:
    return Path(results, ".snakemake", "shards.json")


@contextmanager
def claimed(results: str | Path, shard: Shard, waits: bool = False) -> Iterator[bool]:
    """Whether this process alone has a shard within the block. waits: until it does; otherwise, False if another has.

    One at a time in a process. Where a file system has no locks it is False, too: then every job answers its own shard.
    """
    place = Path(results, ".snakemake", "shards.lock")
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place, "a+b") as file:  # a lock ends with it, or with the process
        at = (1, zlib.crc32(os.fsencode(shard.output)))
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *at)
        except BlockingIOError:
            if waits:
                log.info("Waiting for a job that has the model already: it answers this shard, too.")
                fcntl.lockf(file, fcntl.LOCK_EX, *at)
            yield waits
        except OSError:  # its type depends on the file system
            yield False
        else:
            yield True


@dataclass(frozen=True)
class State:
    """What a shard asks, and what is known of it.

    - record: of the model. key: what determines its answers (`archive.determined_by`). place: where they are kept
    - known: (n_requests,) answers by the device that gave them, nan where unknown
    """

    shard: Shard
    record: dict
    key: str
    place: Path
    inputs: pa.Table
    requests: pa.Table
    known: dict[str, np.ndarray]

    def device(self) -> str | None:
        """The device that has given all answers; None if there is none."""
        return next((device for device, values in self.known.items() if not np.isnan(values).any()), None)

    def complete(
        self, device: str, run: Callable[[pa.Table, pa.Table, Callable[[np.ndarray], None]], np.ndarray]
    ) -> None:
        """Have all answers of a device, and keep them. device: its name.

        run: gives the answers to inputs and the requests on them, and from time to time calls its last argument with
        those so far.
        """
        answered = self.known.setdefault(device, np.full(len(self.requests), np.nan))
        missing = np.isnan(answered)
        requests = self.requests.filter(pa.array(missing))
        inputs = self.inputs.filter(pc.is_in(self.inputs["input"], requests["input"]))
        n, n_missing = len(self.inputs), len(inputs)
        log.info("%d of %d inputs have answers already, %d to run.", n - n_missing, n, n_missing)

        def keep(values: np.ndarray) -> None:
            answered[missing] = values
            archive.keep(self.place, device, inputs, requests, values)

        if n_missing:
            keep(run(inputs, requests, keep))

    def finish(self, made: dict) -> None:
        """Write the output of the shard's job, once all answers are known. made: by `step.begin`."""
        device = self.device()
        rows = answers.by_input(self.inputs, self.requests, self.known[device])
        store.write_table(self.shard.output, quantities.ANSWERS, rows, made | {"model": self.record, "device": device})


def read(shard: Shard, code: str, results: str | Path) -> State:
    """A shard as its files say. code: hash of that which answers it."""
    record = store.read_record(shard.record)
    key = archive.determined_by(record, code)
    place = archive.folder(results, key)
    inputs, requests = map(store.read_table, (shard.inputs, shard.requests), ("plan_inputs", "plan_requests"))
    return State(shard, record, key, place, inputs, requests, archive.known(place, inputs, requests))
