import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium import store
from herbarium.errors import HerbariumError

TOY = store.schema("toy", ("id", pa.int64()), ("note", pa.string()), nullable=("note",))
ROWS = pd.DataFrame({"note": ["a", None, "c"], "id": [1, 2, 3]})


def test_a_table_comes_back_with_what_its_writer_said(tmp_path):
    path = tmp_path / "deep" / "toy.parquet"
    store.write_table(path, TOY, ROWS, {"code": "abc"})
    assert store.read_table(path, "toy").to_pydict() == {"id": [1, 2, 3], "note": ["a", None, "c"]}
    assert store.read_header(path, "toy") == {"schema": "toy", "version": store.VERSION, "code": "abc"}
    assert store.count_rows(path, "toy") == 3
    assert [len(piece) for piece in store.read_pieces([path, path], "toy")] == [3, 3]
    assert os.listdir(path.parent) == ["toy.parquet"]


def in_pieces(path, *pieces):
    with store.table_writer(path, TOY) as append:
        for ids, note in pieces:
            append(pd.DataFrame({"id": ids, "note": note}))
    return path


def test_chosen_rows_come_in_their_order(tmp_path):
    paths = [in_pieces(tmp_path / "a", ([0, 1, 2], "x"), ([3, 4], "x")), in_pieces(tmp_path / "b", (range(5, 10), "x"))]
    assert store.read_rows(paths, "toy", np.array([9, 0, 4, 3]))["id"].to_pylist() == [0, 3, 4, 9]


def test_pieces_are_found_by_what_they_hold(tmp_path):
    path = in_pieces(tmp_path / "a", ([0, 1], "x"), ([2], "y"), ([3], "x"))
    assert store.read_where(path, "toy", "note", "x")["id"].to_pylist() == [0, 1, 3]
    assert len(store.read_where(path, "toy", "note", "z")) == 0


def test_equal_tables_are_equal_bytes(tmp_path):
    for name in ("a", "b"):
        store.write_table(tmp_path / name, TOY, ROWS, {"z": 1, "a": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_rows_that_break_the_schema_are_not_written(tmp_path):
    with pytest.raises((pa.ArrowException, ValueError)):
        store.write_table(tmp_path / "x", TOY, pd.DataFrame({"id": [None], "note": ["a"]}))
    assert os.listdir(tmp_path) == []


def test_a_writer_that_dies_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = tmp_path / "x"
    store.write_table(path, TOY, ROWS)
    before = path.read_bytes()

    def die_half_way():
        with store.table_writer(path, TOY) as append:
            append(ROWS)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        die_half_way()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x"]


def flip_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (flip_byte, "is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "is damaged"),
        (lambda path: path.write_bytes(b""), "is damaged"),
        (lambda path: path.unlink(), "is not there"),
        (
            lambda path: store.write_table(path, store.Schema("other", TOY.fields), ROWS),
            "holds 'other' version 1, not 'toy'",
        ),
        (lambda path: ROWS.to_parquet(path), "holds 'None'"),
    ],
)
def test_damage_is_refused_with_the_name_of_the_file(tmp_path, damage, message):
    path = tmp_path / "toy.parquet"
    random = np.random.default_rng(0)
    store.write_table(path, TOY, pd.DataFrame({"id": random.integers(0, 2**60, 10_000), "note": "x"}))
    damage(path)
    with pytest.raises(HerbariumError, match=message) as caught:
        store.read_table(path, "toy")
    assert str(path) in str(caught.value)
    assert "run snakemake again" in str(caught.value)


def test_a_table_of_an_older_format_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "VERSION", 0)
    store.write_table(tmp_path / "x", TOY, ROWS)
    monkeypatch.undo()
    with pytest.raises(HerbariumError, match="version 0, not 'toy' version 1"):
        store.read_table(tmp_path / "x", "toy")


def test_json_and_folders_are_whole_or_not_there(tmp_path):
    store.write_json(tmp_path / "a.json", {"ü": [1]})
    assert store.read_json(tmp_path / "a.json") == {"ü": [1]}
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(HerbariumError, match=r"a\.json is damaged"):
        store.read_json(tmp_path / "a.json")

    with store.atomic_folder(tmp_path / "folder") as partial:
        (partial / "new").write_text("1")

    def die_half_way():
        with store.atomic_folder(tmp_path / "folder") as partial:
            (partial / "half").write_text("1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        die_half_way()
    assert os.listdir(tmp_path / "folder") == ["new"]
    assert sorted(os.listdir(tmp_path)) == ["a.json", "folder"]
