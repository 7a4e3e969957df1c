"""Files that pass between stages: complete or absent, naming what made them, rejected when damaged or out of place.

Each says, under the key ``herbarium`` of its metadata, its path in the results folder, the name and version of its
schema, and how it was made (`step.begin`: rule, code, configuration, inputs, models, libraries). Every reader compares
the content with the checksum that was written with it: a parquet file, a JSON record and the page hold their own; that
of a CSV is in a sidecar, ``.metadata/{name}.csv-metadata.json``, as "CSV on the Web" says what a table is. The sidecar
also holds the checksums of the table's pictures, and its own.
"""

import errno
import hashlib
import html
import io
import json
import mmap
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from herbarium.core.errors import HerbariumError, require_readable, system_number
from herbarium.core.files import SIDECAR, partial_of, sidecars, table_with
from herbarium.core.provenance import file_hash, text_hash, value_hash

VERSION = 2  # of the format of every file
REMEDY = "Delete it and run snakemake again to make it again."
_METADATA = "herbarium"
# What a step says about everything that it makes (`step.begin`).
MAKING = ("rule", "run", "code", "config", "inputs", "models", "libraries")
_IN_PAGE = re.compile(f'<meta name="{_METADATA}" content="([^"]*)">')
_PAGE_END = re.compile(r"<!-- sha256 ([0-9a-f]{64}) -->\n\Z")
# A parquet file ends with its own checksum: sha256 of the file with these zeros in place of the checksum.
_CHECKSUM = b"herbarium.sha256"
_BLANK = b"0" * 64
# Errors of a system without space left, in words.
_FULL = {
    errno.ENOSPC: "No space left on device: the disk is full",
    errno.EDQUOT: "Disk quota exceeded: you cannot write any more there",
    errno.EFBIG: "File too large: this machine limits the size of a file (`ulimit -f`)",
}
# Texts that a spreadsheet reads as formulas, after any number of apostrophes; and those of them with an apostrophe.
_FORMULA = re.compile(r"'*[=+\-@\t\n].", re.DOTALL)
_MARKED = re.compile(r"'+[=+\-@\t\n].", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_LEAST_ROOM = 64 * 1024  # bytes; a disk with less is full


@dataclass(frozen=True)
class Schema:
    """The name and columns of a kind of table. Each is defined with the code that writes it."""

    name: str
    fields: pa.Schema


def schema(name: str, *columns: tuple[str, pa.DataType], nullable: tuple[str, ...] = ()) -> Schema:
    """A schema whose columns have no nulls, except those named in `nullable`."""
    return Schema(name, pa.schema([pa.field(column, kind, column in nullable) for column, kind in columns]))


# --- writing ---


@contextmanager
def atomic(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary sibling of `path` to write to: moved into place when the block succeeds, otherwise removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_of(path)
    try:
        with _told_when_full(path):
            yield partial
            share(partial)
            with open(partial, "rb") as written:
                os.fsync(written.fileno())
            os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | os.PathLike, stays: Callable[[], bool] = lambda: False) -> Iterator[Path]:
    """As `atomic`, for a folder, which replaces any existing one, unless that stays."""
    path = Path(path)
    partial = partial_of(path)
    partial.mkdir(parents=True)
    try:
        with _told_when_full(path):
            yield partial
            for written in partial.rglob("*"):
                share(written)
            _move_folder(partial, path, stays)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _move_folder(source: Path, target: Path, stays: Callable[[], bool]) -> None:
    """Move a folder to where another may be; another process may move one there meanwhile. stays: as in
    `atomic_folder`."""
    while True:
        try:
            return os.replace(source, target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        if stays():
            return None
        shutil.rmtree(target)


def share(path: Path) -> None:
    """Give a file the permissions of any other new file, as far as it lacks them: some libraries write files that only
    their owner may read."""
    mask = os.umask(0o077)
    os.umask(mask)
    usual, mode = 0o666 & ~mask, path.stat().st_mode
    if path.is_file() and usual & ~mode:
        path.chmod(usual)


@contextmanager
def _told_when_full(path: Path) -> Iterator[None]:
    """Turn a full disk into a HerbariumError with the file's name, whatever the writing library raises: some only say
    that their encoder failed."""
    try:
        yield
    except HerbariumError:
        raise
    except Exception as error:
        number = system_number(error)
        if number in _FULL or (number is None and _is_full(path.parent)):
            raise HerbariumError(
                f"{path}: {_FULL.get(number, _FULL[errno.ENOSPC])}. Nothing is lost: fix that and run the same command "
                "again; it continues from here."
            ) from error
        raise


def _is_full(folder: Path) -> bool:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < _LEAST_ROOM


def header(path: str | os.PathLike, made: dict | None) -> dict:
    """What a file says about itself: how it was made, with anything that its writer adds, and its path in the results.

    made: from `step.begin`. Without "results" it does not belong to a study, and the file has no path.
    """
    metadata = {"version": VERSION, **(made or {})}
    metadata.pop("spreadsheet_safe", None)
    if not metadata.get("rows"):
        metadata.pop("rows", None)
    if results := metadata.pop("results", None):
        metadata["file"] = Path(os.path.relpath(path, results)).as_posix()
    return metadata


def write_text(path: str | os.PathLike, text: str) -> None:
    with atomic(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_json(path: str | os.PathLike, value: object) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n")


def write_record(path: str | os.PathLike, record: dict, made: dict | None = None) -> None:
    """Write a JSON object, with what it says about itself and its checksum."""
    _write_checked(path, record | {_METADATA: header(path, made)})


def _write_checked(path: str | os.PathLike, record: dict) -> None:
    record = json.loads(json.dumps(record))  # as it will be read back
    write_json(path, record | {"checksum": value_hash(record)})


def write_page(path: str | os.PathLike, page: str) -> None:
    """Write a page, followed by its checksum. page: with the content of `header` in its element `meta`."""
    write_text(path, f"{page}<!-- sha256 {_text_checksum(page)} -->\n")


def _text_checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_csv(
    path: str | os.PathLike, table: pd.DataFrame, made: dict | None = None, pictures: Iterable[str | os.PathLike] = ()
) -> None:
    """Write a table for people, and its sidecar. pictures: files that show the table, in the same folder, already
    written.

    Texts that a spreadsheet would read as formulas get an apostrophe in front, unless `made` says otherwise; `read_csv`
    removes it. Every line break is a line feed: a carriage return on its own would begin a new row.
    """
    starts = _FORMULA if (made or {}).get("spreadsheet_safe", True) else _MARKED

    def safe(text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return f"'{text}" if starts.match(text) and not _NUMBER.fullmatch(text) else text

    table = _with_texts(table, safe)
    with atomic(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n", encoding="utf-8")
        record = {
            "@context": "http://www.w3.org/ns/csvw",
            "url": f"../{Path(path).name}",
            _METADATA: header(path, made),
            "sha256": file_hash(partial),
            "pictures": {picture.name: file_hash(picture) for picture in map(Path, pictures)},
        }
        # first: a table without its own sidecar is rejected, never taken for another one's
        _write_checked(_sidecar(path), record)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """The table with each text in it changed, including column names; all that is not text is unchanged."""

    def changed(value: object) -> object:
        return change(value) if isinstance(value, str) else value

    table = table.rename(columns=changed)
    for name in table.columns:
        values = [changed(value) for value in table[name]] if not pd.api.types.is_numeric_dtype(table[name]) else []
        if any(new is not old for new, old in zip(values, table[name], strict=False)):
            table[name] = pd.Series(values, table.index, dtype=object)
    return table


def _sidecar(path: str | os.PathLike) -> Path:
    return Path(*sidecars(str(path)))


@contextmanager
def table_writer(
    path: str | os.PathLike, schema: Schema, made: dict | None = None
) -> Iterator[Callable[[pa.Table | pd.DataFrame], None]]:
    """Write a table of a schema piece by piece: yields a function that appends one row group."""
    metadata = {"schema": schema.name, **header(path, made)}
    wanted = schema.fields.with_metadata({_METADATA: json.dumps(metadata, sort_keys=True)})
    with atomic(path) as partial:
        with pq.ParquetWriter(partial, wanted, compression="zstd") as writer:

            def append(rows: pa.Table | pd.DataFrame) -> None:
                if isinstance(rows, pd.DataFrame):
                    rows = pa.Table.from_pandas(rows.reindex(columns=wanted.names), preserve_index=False, schema=wanted)
                writer.write_table(rows.select(wanted.names).cast(wanted))

            yield append
            writer.add_key_value_metadata({_CHECKSUM: _BLANK})
        _fill_checksum(partial)


def write_table(
    path: str | os.PathLike, schema: Schema, rows: pa.Table | pd.DataFrame, made: dict | None = None
) -> None:
    with table_writer(path, schema, made) as append:
        append(rows)


def _fill_checksum(path: Path) -> None:
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        place = _checksum_place(content)
        content[place : place + len(_BLANK)] = hashlib.sha256(content).hexdigest().encode()


def _checksum_place(content: mmap.mmap) -> int:
    """The position of a parquet file's checksum: after its key and the few bytes that give its length."""
    place = content.rfind(_CHECKSUM)
    if place < 0:
        raise ValueError("it ends without the checksum that was written last")
    return place + len(_CHECKSUM) + 2


# --- reading ---


@lru_cache(maxsize=4096)
def _require_whole(path: str, _mtime: int, _size: int) -> str:
    """The checksum of a parquet file; ValueError when it does not match the content. Checked once per state of a
    file."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = _checksum_place(content)
        with memoryview(content) as view:
            digest = hashlib.sha256(view[:place])
            digest.update(_BLANK)
            digest.update(view[place + len(_BLANK) :])
            written = bytes(view[place : place + len(_BLANK)])
    if digest.hexdigest().encode() != written:
        raise ValueError("its content does not match its checksum")
    return digest.hexdigest()


def _whole(path: str | os.PathLike) -> str:
    state = Path(path).stat()
    return _require_whole(os.fspath(path), state.st_mtime_ns, state.st_size)


@contextmanager
def _named(path: str | os.PathLike) -> Iterator[None]:
    """Turn any sign that a file is damaged into a HerbariumError with its name."""
    try:
        yield
    except FileNotFoundError:
        raise HerbariumError(f"{path} is missing. {REMEDY}") from None
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        require_readable(path)
        raise HerbariumError(f"{path} is damaged ({error}). {REMEDY}") from error


def _require_place(path: str | os.PathLike, metadata: dict) -> None:
    """Raise HerbariumError for a file from another path, or of a version of the format that is not read here."""
    place, version = metadata.get("file"), metadata.get("version")
    if version != VERSION:
        raise HerbariumError(f"{path} has version {version} of the format; it should be {VERSION}. {REMEDY}")
    if place is not None and Path(path).absolute().parts[-len(Path(place).parts) :] != Path(place).parts:
        raise HerbariumError(f"{path} holds what belongs in {place}. {REMEDY}")


@contextmanager
def _open(path: str | os.PathLike, schema: str | None = None) -> Iterator[tuple[pq.ParquetFile, dict]]:
    """The parquet file at `path` and what it says about itself, checked to be complete, in place, and of the schema.

    Raises HerbariumError, with the file's name, when it is not.
    """
    with _named(path):
        _whole(path)
        with pq.ParquetFile(path) as file:
            metadata = json.loads(file.schema_arrow.metadata[_METADATA.encode()])
            _require_place(path, metadata)
            if schema not in (None, metadata["schema"]):
                raise HerbariumError(f"{path} holds '{metadata['schema']}', not '{schema}'. {REMEDY}")
            yield file, metadata


def read_table(path: str | os.PathLike, schema: str, columns: list[str] | None = None) -> pa.Table:
    """The whole table at `path`; raises HerbariumError, with its name, when it is not what it should be."""
    with _open(path, schema) as (file, _):
        return file.read(columns=columns)


def read_frame(path: str | os.PathLike, schema: str, columns: list[str] | None = None) -> pd.DataFrame:
    """As `read_table`, for pandas."""
    return read_table(path, schema, columns).to_pandas()


def read_frames(paths: Iterable[str | os.PathLike], schema: str) -> pd.DataFrame:
    """The tables of one schema, one below the other."""
    return pd.concat([read_frame(path, schema) for path in paths], ignore_index=True)


def read_pieces(paths: Iterable[str | os.PathLike], schema: str | None = None) -> Iterator[pa.Table]:
    """Tables piece by piece, as they were appended, so that large ones are never in memory as a whole.

    schema: to check, if given; here and below.
    """
    for path in paths:
        with _open(path, schema) as (file, _):
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)


def read_where(path: str | os.PathLike, schema: str, column: str, value: str) -> pa.Table:
    """The pieces of the table at `path`, as they were appended, whose first row has the value in the column."""
    with _open(path, schema) as (file, _):
        firsts = [file.read_row_group(group, [column])[column][0].as_py() for group in range(file.num_row_groups)]
        return file.read_row_groups([group for group, first in enumerate(firsts) if first == value])


def read_rows(paths: Iterable[str | os.PathLike], rows: np.ndarray) -> pa.Table:
    """The rows with the given numbers, counted over all tables, in their order; other rows are not all held in
    memory."""
    return pa.concat_tables(read_pieces_of_rows(paths, rows))


def read_pieces_of_rows(paths: Iterable[str | os.PathLike], rows: np.ndarray) -> Iterator[pa.Table]:
    """As `read_rows`, separately for each piece, as it was appended; a piece may give no rows."""
    rows, first = np.sort(rows), 0
    for piece in read_pieces(paths):
        yield piece.take(rows[(rows >= first) & (rows < first + len(piece))] - first)
        first += len(piece)


def count_rows(path: str | os.PathLike, schema: str | None = None) -> int:
    with _open(path, schema) as (file, _):
        return file.metadata.num_rows


def read_schema(path: str | os.PathLike) -> Schema:
    """The schema of the table at `path`, so that another one like it can be written."""
    with _open(path) as (file, metadata):
        return Schema(metadata["schema"], file.schema_arrow)


def read_header(path: str | os.PathLike, schema: str | None = None) -> dict:
    """What the table at `path` says about itself: schema, version, path, and how it was made."""
    with _open(path, schema) as (_, metadata):
        return metadata


def read_json(path: str | os.PathLike) -> dict:
    """The JSON object at `path`; raises HerbariumError, with its name, when it cannot be read."""
    with _named(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


def read_record(path: str | os.PathLike) -> dict:
    """The record that `write_record` wrote; raises HerbariumError, with its name, when it is not what it should be."""
    return _checked_record(path)[0]


def _checked_record(path: str | os.PathLike, source: str | os.PathLike | None = None) -> tuple[dict, dict]:
    """A record and what it says about itself. source: the file that it describes, if that is another one."""
    with _named(path):
        record = read_json(path)
        if record.pop("checksum") != value_hash(record):
            raise ValueError("its content does not match its checksum")
        metadata = record.pop(_METADATA)
        _require_place(source or path, metadata)
        return record, metadata


def read_csv(content: bytes, **options: object) -> pd.DataFrame:
    """The table in a CSV that `write_csv` wrote, with its original texts. options: of pandas."""
    table = pd.read_csv(io.BytesIO(content), **options)
    return _with_texts(table, lambda text: text[1:] if _MARKED.match(text) else text)


def examine(path: str | os.PathLike) -> tuple[str, dict | None]:
    """The checksum of any file, and what it says about itself: None if no step wrote it.

    A figure is made together with the table that it shows, and shares what that says. Raises HerbariumError, with its
    name, when a file is not what it should be.
    """
    path = Path(path)
    if path.suffix == ".parquet":
        with _named(path):
            if _METADATA.encode() not in (pq.read_schema(path).metadata or {}):  # a user's own table
                return file_hash(path), None
        with _open(path) as (_, metadata):
            return _whole(path), metadata
    if path.name.endswith(SIDECAR) or path.suffix in (".csv", ".svg", ".pdf", ".png"):
        return _examine_beside(path)
    with _named(path):
        checksum = file_hash(path)
        if path.suffix == ".json" and _METADATA in read_json(path):
            return checksum, _checked_record(path)[1]
        if path.suffix == ".html" and (match := _IN_PAGE.search(page := path.read_text(encoding="utf-8"))):
            end = _PAGE_END.search(page)
            if end is None or end[1] != _text_checksum(page[: end.start()]):
                raise ValueError("its content does not match its checksum")
            return checksum, json.loads(html.unescape(match[1]))
    return checksum, None


def _examine_beside(path: Path) -> tuple[str, dict | None]:
    """As `examine`, for a table for people, a picture of it, and the sidecar that holds the checksums of both."""
    table = table_with(path) if path.name.endswith(SIDECAR) else path.with_suffix(".csv")
    sidecar = _sidecar(table)
    with _named(path):
        checksum = file_hash(path)
        if not sidecar.exists():
            return checksum, None
        record, metadata = _checked_record(sidecar, table)
        known = {table.name: record["sha256"], sidecar.name: checksum, **record["pictures"]}
        if known.get(path.name) != checksum:
            raise ValueError(f"its content does not match {sidecar.name}")
        if "file" in metadata:
            folder = Path(metadata["file"]).parent
            metadata |= {"file": (folder / path.relative_to(table.parent)).as_posix()}
        return checksum, metadata


def examine_result(path: str | os.PathLike) -> tuple[str, dict]:
    """As `examine`, for a file in the results, which must say what made it. Raises HerbariumError for one that does
    not."""
    checksum, metadata = examine(path)
    if metadata is None:
        raise HerbariumError(f"{path} does not say what made it, as every file in the results should. {REMEDY}")
    return checksum, metadata


def examine_text(path: str | os.PathLike) -> str:
    """The checksum of a handwritten text (`provenance.text_hash`)."""
    with _named(path):
        return text_hash(Path(path))
