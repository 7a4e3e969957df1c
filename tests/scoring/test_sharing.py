"""Shards of a run: which of them wait for a model, whose they are, and what is known of them."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from herbarium.core import store
from herbarium.scoring import quantities, sharing

RECORD = {
    "name": "m",
    "path": "m",
    "kind": "masked",
    "dtype": "float32",
    "served": None,
    "classes": None,
    "architecture": "BertForMaskedLM",
    "cuts": False,
    "libraries": {"torch": "2", "transformers": "5", "tokenizers": "1"},
    "files": {"config.json": "c", "model.safetensors": "w", "tokenizer.json": "t"},
}
CODE = "a"
# Claims a shard, says so, and holds it until its input ends.
HOLDER = """
import sys
from herbarium.scoring import sharing
with sharing.claimed(sys.argv[1], sharing.Shard(*sys.argv[2:8], sys.argv[8], True)) as is_ours:
    print(is_ours, flush=True)
    sys.stdin.read()
assert "torch" not in sys.modules
"""


def shard_in(folder, number=0, model="m", stimuli="s", is_planned=True):
    name = f"{model}-{stimuli}-{number}"
    record, inputs, requests, answers = (
        str(folder / f"{name}-{what}") for what in ("record", "inputs", "requests", "answers")
    )
    return sharing.Shard(model, stimuli, str(number), record, inputs, requests, answers, is_planned)


def plan(shard, asked, record=RECORD):
    """Write a shard's record and plan. asked: digest -> targets."""
    store.write_record(shard.record, record)
    inputs = [(n, [n], 0, 0, 0, False, digest.ljust(16).encode()) for n, digest in enumerate(asked)]
    requests = [(n, 0, target) for n, targets in enumerate(asked.values()) for target in targets]
    for path, schema, rows in (
        (shard.inputs, quantities.INPUTS, inputs),
        (shard.requests, quantities.REQUESTS, [(number, *row) for number, row in enumerate(requests)]),
    ):
        columns = zip(*rows, strict=True)
        store.write_table(path, schema, pa.table(dict(zip(schema.fields.names, map(list, columns), strict=True))))


def by_target(inputs, requests, keep):
    """Answers of a model: minus the target of a request."""
    return -requests["target"].to_numpy().astype(float)


def values(shard):
    return store.read_table(shard.output, "answers")["log_probability"].to_pylist()


@pytest.fixture
def shard(tmp_path):
    shard = shard_in(tmp_path)
    plan(shard, {"a": [1, 2], "b": [3]})
    return shard


def test_the_others_of_a_model_are_those_of_its_stimuli_first(tmp_path):
    assert sharing.others(tmp_path, shard_in(tmp_path)) == []
    places = [(10, "m", "s"), (2, "m", "s"), (0, "m", "r"), (1, "n", "s"), (0, "m", "s")]
    sharing.write(tmp_path, [shard_in(tmp_path, *place) for place in places])
    others = sharing.others(tmp_path, shard_in(tmp_path))
    assert others == [shard_in(tmp_path, *place) for place in (places[1], places[0], places[2])]


def test_a_shard_can_begin_once_its_own_plan_is_there(tmp_path, shard):
    missing, anew = shard_in(tmp_path, 1), shard._replace(is_planned=False)
    sharing.write(tmp_path, [shard, missing, anew])
    place = sharing._place(tmp_path)
    begun = place.stat().st_mtime_ns
    for file in (shard.inputs, shard.requests):
        os.utime(file, ns=(begun - 1, begun - 1))
    assert [sharing.can_begin(one, tmp_path) for one in (shard, missing, anew)] == [True, False, False]
    os.utime(shard.inputs, ns=(begun + 1, begun + 1))
    assert not sharing.can_begin(anew, tmp_path)  # its requests are still those of an earlier plan
    os.utime(shard.requests, ns=(begun + 1, begun + 1))
    assert sharing.can_begin(anew, tmp_path)


@pytest.mark.slow
def test_a_shard_is_of_one_process(tmp_path, shard):
    command = [sys.executable, "-c", HOLDER, str(tmp_path), *shard[:-1]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "True\n"
        with sharing.claimed(tmp_path, shard) as is_ours:
            assert not is_ours
        with sharing.claimed(tmp_path, shard_in(tmp_path, 1)) as is_ours:
            assert is_ours
        other.stdin.close()
        with sharing.claimed(tmp_path, shard, waits=True) as is_ours:
            assert is_ours
    assert other.returncode == 0
    with sharing.claimed(tmp_path, shard) as is_ours:
        assert is_ours


def test_without_locks_a_job_has_no_shard_but_its_own(tmp_path, shard, monkeypatch):
    def without(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", without)
    with sharing.claimed(tmp_path, shard) as is_ours:
        assert not is_ours


def read(shard, code=CODE):
    return sharing.read(shard, code, Path(shard.output).parent)


def test_what_one_job_keeps_another_finishes(shard):
    begun = read(shard)
    assert begun.device() is None
    begun.complete("GPU", by_target)
    assert not Path(shard.output).exists()
    state = read(shard)
    assert state.device() == "GPU"
    state.finish({})
    assert values(shard) == [[-1, -2], [-3]]


def test_only_what_is_missing_is_run(shard):
    def interrupted(inputs, requests, keep):
        keep(np.array([-1.0, np.nan, np.nan]))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(shard).complete("GPU", interrupted)
    asked = []

    def rest(inputs, requests, keep):
        asked.append((len(inputs), requests["target"].to_pylist()))
        return by_target(inputs, requests, keep)

    read(shard).complete("GPU", rest)
    assert asked == [(2, [2, 3])]
    plan(shard, {"b": [3], "c": [4]})  # a later plan
    read(shard).complete("GPU", rest)
    assert asked[1:] == [(1, [4])]


def test_answers_of_another_device_do_not_count(shard):
    read(shard).complete("GPU", by_target)
    plan(shard, {"a": [1, 2], "d": [5]})
    state = read(shard)
    assert state.device() is None
    asked = []

    def all_of_it(inputs, requests, keep):
        asked.extend(requests["target"].to_pylist())
        return by_target(inputs, requests, keep)

    state.complete("CPU", all_of_it)
    assert asked == [1, 2, 5]
