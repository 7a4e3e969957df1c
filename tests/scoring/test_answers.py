"""Answers by input: they come back to the requests they belong to, whatever plan asks."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from herbarium.scoring import answers


def plan(of_input, order=None):
    """A plan. of_input: digest -> [(position, target), ...]. order: of the requests."""
    numbers = np.arange(len(of_input)) + 7
    rows = [(n, *request) for n, asked in zip(numbers, of_input.values(), strict=True) for request in asked]
    rows = [rows[i] for i in (range(len(rows)) if order is None else order)]
    number, position, target = zip(*rows, strict=True) if rows else ([], [], [])
    digests = pa.array([digest.ljust(16).encode() for digest in of_input], pa.binary(16))
    requests = {"request": range(len(rows)), "input": number, "position": position, "target": target}
    types = {"request": pa.int64(), "input": pa.int64(), "position": pa.int32(), "target": pa.int32()}
    return (
        pa.table({"input": numbers, "digest": digests}),
        pa.table({name: pa.array(list(values), types[name]) for name, values in requests.items()}),
    )


OLD = {"a": [(1, 10), (2, 20)], "b": [(1, 11)], "c": [(3, 30)]}


@pytest.fixture
def kept():
    inputs, requests = plan(OLD, order=[3, 1, 0, 2])
    return answers.by_input(inputs, requests, np.array([-3.0, -0.2, -0.1, -1.0]))


def test_one_row_an_input(kept):
    assert kept.to_pylist()[:2] == [
        {"digest": b"a".ljust(16), "position": [2, 1], "target": [20, 10], "log_probability": [-0.2, -0.1]},
        {"digest": b"b".ljust(16), "position": [1], "target": [11], "log_probability": [-1.0]},
    ]


def test_a_shard_that_had_no_input_knows_no_answer():
    inputs, requests = plan({})
    nothing = answers.by_input(inputs, requests, np.empty(0))
    inputs, requests = plan(OLD)
    assert np.isnan(answers.by_request(nothing, inputs, [requests])).all()


def test_another_plan_finds_what_it_shares(kept):
    inputs, requests = plan({"new": [(1, 1)], "c": [(3, 30)], "a": [(2, 20), (1, 10)]}, order=[2, 1, 0, 3])
    np.testing.assert_array_equal(answers.by_request(kept, inputs, [requests]), [-0.2, -3.0, np.nan, -0.1])


@pytest.mark.parametrize("asked", [[(1, 12)], [(2, 11)], [(1, 11), (2, 11)], []])
def test_an_input_asked_for_anything_else_is_unknown(kept, asked):
    inputs, requests = plan({"b": asked, "c": [(3, 30)]})
    expected = [*[np.nan] * len(asked), -3.0]
    np.testing.assert_array_equal(answers.by_request(kept, inputs, [requests]), expected)


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.tuples(*[st.integers(1, 5)] * 2), max_size=4)), st.data())
@pytest.mark.slow
def test_the_same_plan_has_all_its_answers(of_input, data):
    n = sum(map(len, of_input.values()))
    inputs, requests = plan(of_input, data.draw(st.permutations(range(n))))
    values = np.arange(n, dtype=float)
    cut = data.draw(st.integers(0, n))
    pieces = [requests[:cut], requests[cut:]]
    np.testing.assert_array_equal(
        answers.by_request(answers.by_input(inputs, requests, values), inputs, pieces), values
    )


def test_shards_of_several_devices_are_said(caplog):
    assert answers.devices([{"device": "H100"}] * 3, "tiny herb") == "H100"
    assert not caplog.records
    mixed = [{"device": "H100"}, {"device": "CPU (x AVX2)"}, {"device": "H100"}]
    assert answers.devices(mixed, "tiny herb") == "CPU (x AVX2); H100"
    assert "tiny herb: shards were answered on different devices" in caplog.text


def test_answers_are_found_with_little_more_memory_than_they_take():
    n_inputs, each = 50_000, 10
    n = n_inputs * each
    number = np.arange(n_inputs)
    inputs = pa.table({"input": number, "digest": pa.array([f"{i:016}".encode() for i in number], pa.binary(16))})
    columns = {
        "request": pa.array(np.arange(n)),
        "input": pa.array(np.repeat(number, each)),
        "position": pa.array(np.tile(np.arange(each, dtype=np.int32), n_inputs)),
        "target": pa.array(np.arange(n, dtype=np.int32)),
    }
    requests = pa.table(columns)
    kept = answers.by_input(inputs, requests, np.arange(n, dtype=float))
    tracemalloc.start()
    result = answers.by_request(kept, inputs, (requests[at : at + n // 20] for at in range(0, n, n // 20)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(result, np.arange(n))
    assert peak < 40 * n  # bytes: an answer takes 8
