"""Files that pass between stages: parquet with a written schema, whole or not there, refused when damaged.

Each file carries, under the metadata key ``herbarium``, the name and version of its schema and whatever provenance its
writer gives (code hash, configuration, model). Data pages have checksums, which every read verifies.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from herbarium.errors import HerbariumError

VERSION = 1  # of the format of every table
REMEDY = "Delete it and run snakemake again: it will be made anew."


@dataclass(frozen=True)
class Schema:
    """The name and columns of a kind of table. Each is defined beside the code that writes it."""

    name: str
    fields: pa.Schema


def schema(name: str, *columns: tuple[str, pa.DataType], nullable: tuple[str, ...] = ()) -> Schema:
    """A schema whose columns hold no null, but for those named in `nullable`."""
    return Schema(name, pa.schema([pa.field(column, kind, column in nullable) for column, kind in columns]))


@contextmanager
def atomic(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary sibling of `path` to write to: moved into place when the block ends well, else removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with open(partial, "rb") as written:
            os.fsync(written.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    with atomic(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_json(path: str | os.PathLike, value: object) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n")


def read_json(path: str | os.PathLike) -> dict:
    """The JSON object at `path`; raises HerbariumError, with its name, when it is damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HerbariumError(f"{path} is damaged ({error}). {REMEDY}") from error


@contextmanager
def atomic_folder(path: str | os.PathLike) -> Iterator[Path]:
    """As `atomic`, for a folder, which replaces one that is there."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.mkdir(parents=True)
    try:
        yield partial
        shutil.rmtree(path, ignore_errors=True)
        os.replace(partial, path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def table_writer(
    path: str | os.PathLike, schema: Schema, provenance: dict | None = None
) -> Iterator[Callable[[pa.Table | pd.DataFrame], None]]:
    """Write a table of a schema piece by piece: yields a function that appends one row group."""
    header = {"schema": schema.name, "version": VERSION, **(provenance or {})}
    wanted = schema.fields.with_metadata({b"herbarium": json.dumps(header, sort_keys=True).encode()})
    with (
        atomic(path) as partial,
        pq.ParquetWriter(partial, wanted, compression="zstd", write_page_checksum=True) as writer,
    ):

        def append(rows: pa.Table | pd.DataFrame) -> None:
            if isinstance(rows, pd.DataFrame):
                rows = pa.Table.from_pandas(rows.reindex(columns=wanted.names), preserve_index=False, schema=wanted)
            writer.write_table(rows.select(wanted.names).cast(wanted))

        yield append


def write_table(
    path: str | os.PathLike, schema: Schema, rows: pa.Table | pd.DataFrame, provenance: dict | None = None
) -> None:
    with table_writer(path, schema, provenance) as append:
        append(rows)


@contextmanager
def _open(path: str | os.PathLike, schema: str) -> Iterator[pq.ParquetFile]:
    """The parquet file at `path`, checked to be a table of the named schema.

    Raises HerbariumError, with the file's name, when it is missing, damaged, or a table of another kind or version.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            header = json.loads((file.schema_arrow.metadata or {}).get(b"herbarium", b"{}"))
            if (header.get("schema"), header.get("version")) != (schema, VERSION):
                raise HerbariumError(
                    f"{path} holds '{header.get('schema')}' version {header.get('version')}, "
                    f"not '{schema}' version {VERSION}. {REMEDY}"
                )
            yield file
    except FileNotFoundError:
        raise HerbariumError(f"{path} is not there. {REMEDY}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise HerbariumError(f"{path} is damaged ({error}). {REMEDY}") from error


def read_table(path: str | os.PathLike, schema: str, columns: list[str] | None = None) -> pa.Table:
    """The whole table at `path`; raises HerbariumError, with its name, when it is not what it should be."""
    with _open(path, schema) as file:
        return file.read(columns=columns)


def read_frame(path: str | os.PathLike, schema: str, columns: list[str] | None = None) -> pd.DataFrame:
    """As `read_table`, for pandas."""
    return read_table(path, schema, columns).to_pandas()


def read_frames(paths: Iterable[str | os.PathLike], schema: str) -> pd.DataFrame:
    """The tables of one schema, one below the other."""
    return pd.concat([read_frame(path, schema) for path in paths], ignore_index=True)


def read_pieces(paths: Iterable[str | os.PathLike], schema: str) -> Iterator[pa.Table]:
    """Tables piece by piece, as they were appended, so that large ones never stand in memory whole."""
    for path in paths:
        with _open(path, schema) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)


def read_where(path: str | os.PathLike, schema: str, column: str, value: str) -> pa.Table:
    """Those pieces of the table at `path`, as they were appended, whose first row has the value in the column."""
    with _open(path, schema) as file:
        firsts = [file.read_row_group(group, [column])[column][0].as_py() for group in range(file.num_row_groups)]
        return file.read_row_groups([group for group, first in enumerate(firsts) if first == value])


def read_rows(paths: Iterable[str | os.PathLike], schema: str, rows: np.ndarray) -> pa.Table:
    """The rows of the given numbers, counted over all tables, in their order; never are all others in memory."""
    rows, taken, first = np.sort(rows), [], 0
    for piece in read_pieces(paths, schema):
        taken.append(piece.take(rows[(rows >= first) & (rows < first + len(piece))] - first))
        first += len(piece)
    return pa.concat_tables(taken)


def count_rows(path: str | os.PathLike, schema: str) -> int:
    with _open(path, schema) as file:
        return file.metadata.num_rows


def read_header(path: str | os.PathLike, schema: str) -> dict:
    """What the file at `path` says of itself: schema, version, and the provenance its writer gave."""
    with _open(path, schema) as file:
        return json.loads(file.schema_arrow.metadata[b"herbarium"])
