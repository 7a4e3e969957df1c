"""Answers are found again by what determines them, and only then."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.test_sharing import RECORD

from herbarium.core import store
from herbarium.scoring import answers, archive

CODE = "a"
FILES, LIBRARIES, SERVED = RECORD["files"], RECORD["libraries"], RECORD | {"served": {"id": "s"}, "dtype": "served"}
# What may change of a model without another answer, and what may not.
SAME = {
    "its name": {"name": "n", "path": "n"},
    "its source": {"source": "path", "hub": None, "revision": "main"},
    "the sample that its number format was chosen on": {"tuned": {"n": 3}},
    "its tokenizer": {"files": FILES | {"tokenizer.json": "u", "chat_template.jinja": "j", "spiece.model": "s"}},
    "how texts are split": {"lowercase": True, "tokenizer": "file", "start": "bos", "chat_template": {"role": "user"}},
    "the version of tokenizers": {"libraries": LIBRARIES | {"tokenizers": "2"}},
}
OTHER = {
    "weights": {"files": FILES | {"model.safetensors": "v"}},
    "configuration": {"files": FILES | {"config.json": "d"}},
    "weights in more files": {"files": FILES | {"model-2.safetensors": "v"}},
    "number format": {"dtype": "bfloat16"},
    "kind": {"kind": "causal"},
    "class": {"architecture": "BertLMHeadModel"},
    "classes": {"classes": "library"},
    "shared beginnings": {"cuts": True},
    "transformers": {"libraries": LIBRARIES | {"transformers": "6"}},
    "torch": {"libraries": LIBRARIES | {"torch": "3"}},
    "a server": {"served": {"id": "s"}},
}
TARGETS, DIGESTS = st.integers(0, 3), st.sampled_from("abcdef")
ASKED = st.dictionaries(DIGESTS, st.lists(st.tuples(TARGETS, TARGETS), min_size=1, unique=True), max_size=6)


def plan(asked):
    """Inputs and requests. asked: digest -> (position, target) of each request."""
    inputs = pa.table(
        {
            "input": pa.array([7 + 3 * n for n in range(len(asked))], pa.int64()),
            "digest": pa.array([digest.ljust(16).encode() for digest in asked], pa.binary(16)),
        }
    )
    rows = [(n, 7 + 3 * number, *one) for number, ones in enumerate(asked.values()) for n, one in enumerate(ones)]
    names = ("request", "input", "position", "target")
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    return inputs, pa.table({name: pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)})


def value_of(digest, position, target):
    return -(ord(digest) + position / 10 + target / 100)


def values_of(asked):
    return np.array([value_of(digest, *one) for digest, ones in asked.items() for one in ones])


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_what_does_not_determine_an_answer_finds_it_again(change):
    assert archive.determined_by(RECORD | change, CODE) == archive.determined_by(RECORD, CODE)


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_what_determines_an_answer_asks_for_another(change):
    assert archive.determined_by(RECORD | change, CODE) != archive.determined_by(RECORD, CODE)


def test_other_code_gives_other_answers():
    assert archive.determined_by(RECORD, "b") != archive.determined_by(RECORD, CODE)


def test_a_server_is_all_that_its_record_says_but_its_name():
    key = archive.determined_by(SERVED, CODE)
    assert archive.determined_by(SERVED | {"name": "n"}, CODE) == key
    assert archive.determined_by(SERVED | {"tuned": {"changes": 0.1}}, CODE) != key


@given(ASKED, ASKED)
def test_each_request_is_looked_up_on_its_own(kept, asked):
    """Whatever else was asked of the same input."""
    known = answers.by_input(*plan(kept), values_of(kept))
    there = {(digest, one) for digest, ones in kept.items() for one in ones}
    expected = [
        value_of(digest, *one) if (digest, one) in there else np.nan for digest, ones in asked.items() for one in ones
    ]
    np.testing.assert_array_equal(answers.looked_up(known, *plan(asked)), expected)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(ASKED, max_size=4), ASKED)
def test_answers_of_any_division_are_found(tmp_path_factory, kept, asked):
    place = tmp_path_factory.mktemp("answers") / archive.determined_by(RECORD, CODE)
    for part in kept:
        archive.keep(place, "CPU", *plan(part), values_of(part))
    there = {(digest, one) for part in kept for digest, ones in part.items() for one in ones}
    known = archive.known(place, *plan(asked)).get("CPU", np.full(len(values_of(asked)), np.nan))
    is_there = [(digest, one) in there for digest, ones in asked.items() for one in ones]
    np.testing.assert_array_equal(known, np.where(is_there, values_of(asked), np.nan))


def test_what_was_asked_otherwise_of_the_same_inputs_stays(tmp_path):
    first, then = {"a": [(0, 1)]}, {"a": [(0, 2)]}
    for asked in (first, then):
        archive.keep(tmp_path, "CPU", *plan(asked), values_of(asked))
    both = {"a": [(0, 1), (0, 2)]}
    np.testing.assert_array_equal(archive.known(tmp_path, *plan(both))["CPU"], values_of(both))


def test_what_is_damaged_or_out_of_place_is_not_used(tmp_path, caplog):
    asked = {"a": [(0, 1)], "b": [(0, 2)]}
    place, elsewhere = tmp_path / "key", tmp_path / "other"
    for digest, ones in asked.items():
        archive.keep(place, "CPU", *plan({digest: ones}), values_of({digest: ones}))
    one, other = sorted(place.iterdir())
    elsewhere.mkdir()
    (elsewhere / one.name).write_bytes(one.read_bytes())
    assert archive.known(elsewhere, *plan(asked)) == {}
    content = other.read_bytes()
    other.write_bytes(content[: len(content) // 2] + b"?" + content[len(content) // 2 + 1 :])
    (values,) = archive.known(place, *plan(asked)).values()
    assert np.isnan(values).sum() == 1
    assert str(other) in caplog.text


def test_answers_so_far_are_replaced_by_all(tmp_path):
    asked = {"a": [(0, 1), (1, 1)], "b": [(0, 2)]}
    for so_far in (np.array([-1.0, np.nan, np.nan]), np.array([-1.0, -2.0, np.nan]), np.array([-1.0, -2.0, -3.0])):
        archive.keep(tmp_path, "CPU", *plan(asked), so_far)
        np.testing.assert_array_equal(archive.known(tmp_path, *plan(asked))["CPU"], so_far)
    (file,) = tmp_path.iterdir()
    assert store.count_rows(file) == 2
