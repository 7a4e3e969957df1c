import contextlib
import csv
import html
import os
import resource
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from safetensors.numpy import save_file
from tests.refusals import refused
from tests.users import AS_ANYONE

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.files import figure_at
from herbarium.core.provenance import file_hash
from herbarium.drawing import style

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


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0o002, 0o664)])
def test_files_have_the_permissions_that_the_user_chose(tmp_path, mask, mode):
    """Some libraries write files that only their owner may read, as temporary files are."""
    before = os.umask(mask)
    try:
        with store.atomic(tmp_path / "a") as partial:
            os.close(os.open(partial, os.O_CREAT | os.O_WRONLY, 0o600))
        with store.atomic_folder(tmp_path / "b") as partial:
            save_file({"a": np.zeros(2)}, partial / "model.safetensors")
            (partial / "text").write_text("")
        store.write_table(tmp_path / "c", TOY, ROWS)
        assert os.umask(mask) == mask  # as it was
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name: path.stat().st_mode & 0o777 for path in files} == dict.fromkeys(
        ("a", "model.safetensors", "text", "c"), mode
    )


@pytest.mark.slow
def test_a_file_that_one_may_not_read_is_not_called_damaged(tmp_path):
    path = tmp_path / "a.parquet"
    store.write_table(path, TOY, ROWS)
    path.chmod(0)
    code = f"""
from herbarium.core import provenance, store
from herbarium.core.errors import HerbariumError
for read in (lambda: store.read_table({str(path)!r}, "toy"), lambda: provenance.file_hash({str(path)!r})):
    try:
        read()
    except HerbariumError as error:
        print(error)
"""
    if AS_ANYONE and not shutil.which("setpriv"):
        pytest.skip("root may read everything, and setpriv, which takes that away, is not here")
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    done = subprocess.run(
        [*AS_ANYONE, sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(f"{path}: permission denied" in line for line in lines)


def test_chosen_rows_come_in_their_order(tmp_path):
    paths = [in_pieces(tmp_path / "a", ([0, 1, 2], "x"), ([3, 4], "x")), in_pieces(tmp_path / "b", (range(5, 10), "x"))]
    assert store.read_rows(paths, np.array([9, 0, 4, 3]))["id"].to_pylist() == [0, 3, 4, 9]


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


def every_byte(path):
    """A file once for each of its bytes, with one bit of it flipped."""
    whole = path.read_bytes()
    for place, bit in enumerate(np.random.default_rng(0).integers(8, size=len(whole))):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        yield place
    path.write_bytes(whole)


def test_one_flipped_bit_anywhere_in_a_table_is_refused(tmp_path):
    path = tmp_path / "toy.parquet"
    store.write_table(path, TOY, ROWS, {"code": "abc"})
    for place in every_byte(path):
        with refused("toy.parquet", "damaged"):
            pytest.fail(f"byte {place}: {store.read_table(path, 'toy').to_pydict()}")
    assert store.count_rows(path, "toy") == 3


def test_one_flipped_bit_changes_no_value_of_a_record(tmp_path):
    path, record = tmp_path / "record.json", {"tiny": 0.5, "of": ["a", None]}
    store.write_record(path, record, {"code": "abc"})
    refused = 0
    for _ in every_byte(path):
        with contextlib.suppress(HerbariumError):
            assert store.read_record(path) == record  # white space
            continue
        refused += 1
    assert refused > 0.7 * path.stat().st_size


def test_one_flipped_bit_anywhere_in_a_csv_is_refused(tmp_path):
    path = tmp_path / "toy.csv"
    store.write_csv(path, ROWS, {"code": "abc"})
    for _ in every_byte(path):
        with refused("toy.csv", "damaged"):
            store.examine(path)
    assert store.examine(path)[1] == {"version": store.VERSION, "code": "abc"}
    assert path.read_text() == "note,id\na,1\n,2\nc,3\n"


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "damaged"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.unlink(), "missing"),
        (lambda path: store.write_table(path, store.Schema("other", TOY.fields), ROWS), "'other'"),
        (lambda path: ROWS.to_parquet(path), "checksum"),
    ],
)
def test_damage_is_refused_with_the_name_of_the_file(tmp_path, damage, fault):
    path = tmp_path / "toy.parquet"
    store.write_table(path, TOY, ROWS)
    damage(path)
    with refused("toy.parquet", fault, "run snakemake again"):
        store.read_table(path, "toy")


def test_a_table_of_an_older_format_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "VERSION", 0)
    store.write_table(tmp_path / "x", TOY, ROWS)
    monkeypatch.undo()
    with refused("x", "version 0", 2):
        store.read_table(tmp_path / "x", "toy")


def test_a_file_knows_its_place_in_the_results_folder(tmp_path):
    """That of another model, put in its place, is refused; a results folder may be moved as a whole."""
    results = tmp_path / "results"
    made = {"results": str(results)}
    files = [
        results / "work/scores" / model / f"herb.{kind}" for model in ("one", "other") for kind in ("parquet", "json")
    ]
    for path in files:
        if path.suffix == ".json":
            store.write_record(path, {"a": 1}, made)
        else:
            store.write_table(path, TOY, ROWS, made)
    moved = results.rename(tmp_path / "elsewhere")
    files = [moved / path.relative_to(results) for path in files]
    assert store.read_header(files[0], "toy")["file"] == "work/scores/one/herb.parquet"
    assert [store.examine(path)[1]["file"] for path in files] == [path.relative_to(moved).as_posix() for path in files]
    for file, foreign in zip(files[:2], files[2:], strict=True):
        file.write_bytes(foreign.read_bytes())
        with refused(f"one/{file.name}", f"work/scores/other/{file.name}"):
            store.examine(file)


def test_json_and_folders_are_whole_or_not_there(tmp_path):
    store.write_json(tmp_path / "a.json", {"ü": [1]})
    assert store.read_json(tmp_path / "a.json") == {"ü": [1]}
    (tmp_path / "a.json").write_text("{")
    with refused("a.json", "damaged"):
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


# --- no room ---


@pytest.fixture(params=["full disk", "limited files"])
def no_room(request, tmp_path):
    """A folder that takes no megabyte, and what people are told."""
    folder = tmp_path / "results"
    folder.mkdir()
    if request.param == "full disk":
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", str(folder)], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip("no disk to fill here")
        yield folder, "No space left on device: the disk is full"
        subprocess.run(["umount", str(folder)], check=True)
    else:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, limits[1]))
        yield folder, "File too large"
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def _draw(path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 10), dpi=200)
    figure.subplots().imshow(MANY["x"].to_numpy().reshape(500, 600), interpolation="none")
    with store.atomic(path) as partial:
        figure.savefig(partial, format=path.suffix[1:])


def _save(path):
    from safetensors.numpy import save_file

    with store.atomic_folder(path) as partial:
        save_file({"x": MANY["x"].to_numpy()}, partial / "model.safetensors")


MANY = pd.DataFrame({"x": np.random.default_rng(0).random(300_000)})
WRITERS = {
    "a.parquet": lambda path: store.write_table(path, store.schema("many", ("x", pa.float64())), MANY),
    "a.csv": lambda path: store.write_csv(path, MANY),
    "a.json": lambda path: store.write_json(path, MANY["x"].tolist()),
    "a.png": _draw,
    "a.svg": _draw,
    "a": _save,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_without_room_is_told_with_the_file(no_room, name):
    folder, text = no_room
    with refused(name, text):
        WRITERS[name](folder / name)
    assert list(folder.iterdir()) == []


def test_a_library_that_does_not_say_so_changes_nothing(no_room):
    folder, text = no_room
    if "full" not in text:
        pytest.skip("only a disk can be looked at")
    with refused("a", text), store.atomic(folder / "a") as partial:
        with contextlib.suppress(OSError), open(partial, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        raise zlib.error("Error -2 while compressing data")


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(ZeroDivisionError), store.atomic(tmp_path / "a"):
        raise ZeroDivisionError


# --- what a spreadsheet would run ---

FORMULAS = ["=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "\rx", "=cmd|'/c calc'!A1", "-1+1"]
HARMLESS = ["-0.5", "+3", "1e-7", "-.5", "-", "'s-Hertogenbosch", "a=b", "NA", "", "x\n=1"]
AS_TEXT = {"keep_default_na": False, "dtype": str}


@pytest.mark.parametrize("is_safe", [True, False])
def test_formulas_in_tables_to_read(tmp_path, is_safe):
    texts = [*FORMULAS, *(f"'{text}" for text in FORMULAS), *HARMLESS]
    table = pd.DataFrame({"text": texts, "=name": texts, "n": -np.arange(len(texts)), "mixed": [-1.5, *texts[1:]]})
    table["category"] = pd.Categorical(texts)
    table["arrow"] = pd.Series(texts, dtype=pd.ArrowDtype(pa.string()))
    before = table.copy()
    store.write_csv(tmp_path / "t.csv", table, {"spreadsheet_safe": is_safe})
    pd.testing.assert_frame_equal(table, before)
    with open(tmp_path / "t.csv", newline="") as file:
        head, *rows = csv.reader(file)
    cells = [cell for name, *column in zip(head, *rows, strict=True) if name != "n" for cell in (name, *column)]
    begin = {cell[:1] for cell in cells if cell not in HARMLESS and cell != "-1.5"}
    assert begin.isdisjoint("=+-@\t\n") == is_safe
    assert set(HARMLESS) <= set(cells)
    assert [int(row[head.index("n")]) for row in rows] == table["n"].tolist()
    read = store.read_csv((tmp_path / "t.csv").read_bytes(), **AS_TEXT)
    for name in ("text", "=name", "arrow", "category"):
        assert read[name].tolist() == [text.replace("\r", "\n") for text in texts]
    assert "spreadsheet_safe" not in (tmp_path / ".metadata/t.csv-metadata.json").read_text()


def test_a_table_without_formulas_is_written_as_pandas_writes_it(tmp_path):
    table = pd.DataFrame({"a": ["x", None, "y"], "b": [1, None, 2.5], "c": pd.array([1, None, 3], "Int64")})
    table["d"] = [1, None, "z"]
    store.write_csv(tmp_path / "t.csv", table)
    assert (tmp_path / "t.csv").read_text() == table.to_csv(index=False, lineterminator="\n")


def test_no_script_reads_its_tables_in_another_way():
    for script in Path("workflow/scripts").glob("*.py"):
        assert "pd.read_csv" not in script.read_text(), script


@pytest.fixture
def figure(tmp_path):
    """All files of a figure, in a results folder: three pictures, their table, its sidecar."""
    files = [Path(file) for file in figure_at(str(tmp_path / "results/map"))]
    style.keep([str(file) for file in files], ROWS, style.note("nothing"), {"results": str(tmp_path / "results")})
    return files


def test_every_file_of_a_figure_says_its_place(figure):
    assert [store.examine_result(file)[1]["file"] for file in figure] == [
        *("map.svg", "map.pdf", "map.png", "map.csv"),
        ".metadata/map.csv-metadata.json",
    ]


@pytest.mark.parametrize("at", range(5))
def test_a_byte_of_a_figure_that_is_another_is_refused(figure, at):
    content = figure[at].read_bytes()
    places = range(0, len(content), max(1, len(content) // 200))
    for place in places:
        figure[at].write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with refused(figure[at].name):
            store.examine(figure[at])
    for spoilt in (content + b" ", content[:-1], b"", content.replace(b"}", b"}<script>", 1) + b"<script>"):
        if at < 4 or spoilt.strip() != content.strip():  # white space around a record says nothing
            figure[at].write_bytes(spoilt)
            with refused(figure[at].name):
                store.examine(figure[at])


def test_a_key_of_a_sidecar_that_is_gone_or_another_is_refused(figure):
    sidecar = store.read_json(figure[-1])
    assert sidecar["pictures"].keys() == {file.name for file in figure[:3]}
    others = [{key: value for key, value in sidecar.items() if key != gone} for gone in sidecar]
    others += [sidecar | {key: value} for key in sidecar for value in (None, "x", {})]
    for other in others:
        store.write_json(figure[-1], other)
        for file in figure:
            with pytest.raises(HerbariumError):
                store.examine(file)


def test_a_figure_without_a_sidecar_does_not_say_what_made_it(figure):
    figure[-1].unlink()
    for file in figure[:-1]:
        assert store.examine(file)[1] is None
        with refused(file, "what made it"):
            store.examine_result(file)


def test_a_page_that_is_another_is_refused(tmp_path):
    path, text = tmp_path / "index.html", '{"rule": "write_report"}'
    store.write_page(path, f'<meta name="herbarium" content="{html.escape(text)}"><p>1 &amp; ü</p></html>\n')
    assert store.examine_result(path)[1] == {"rule": "write_report"}
    page = path.read_text(encoding="utf-8")
    for spoilt in (page.replace("1", "2", 1), page + " ", page[:-5], page.replace("<!-- sha256", "<!-- sha255")):
        path.write_text(spoilt, encoding="utf-8")
        with refused("index.html", "damaged"):
            store.examine(path)


def test_a_parquet_table_of_the_users_is_none_of_ours(tmp_path):
    table = tmp_path / "texts.parquet"
    pd.DataFrame({"text": ["a"], "label": [1]}).to_parquet(table)
    assert store.examine(table) == (file_hash(table), None)
    with refused("texts.parquet", "what made it"):
        store.examine_result(table)
    table.write_bytes(table.read_bytes()[:-9])
    with refused("texts.parquet", "damaged"):
        store.examine(table)


@pytest.mark.parametrize("write", [store.atomic, store.atomic_folder])
@pytest.mark.parametrize("name", ["a.csv", "x" * 255, "é" * 127])
def test_processes_of_one_number_write_apart_whatever_a_file_is_called(tmp_path, monkeypatch, write, name):
    monkeypatch.setattr(os, "getpid", lambda: 7)  # as in two containers
    with write(tmp_path / name) as one, write(tmp_path / name) as other:
        assert one != other
        for partial in (one, other):
            (partial / "a" if partial.is_dir() else partial).write_text("whole")
    (path,) = tmp_path.iterdir()
    assert path.name == name
