"""Where files stand in the results."""

import uuid
from pathlib import Path

WORK = "work"  # in the results, the folder for what stands between the sentences and the tables, figures and report
SIDECAR = "-metadata.json"  # the end of its name, after the table's
_SIDECARS = ".metadata"  # their folder, in the table's


def figure_at(place: str) -> list[str]:
    """All files of a figure. place: their path, without a suffix."""
    return [*(f"{place}.{suffix}" for suffix in ("svg", "pdf", "png", "csv")), *sidecars(f"{place}.csv")]


def placed(file: str, results: str) -> str:
    """The path of a file, in that folder for results."""
    return file.replace("<work>", f"{results}/{WORK}").replace("<results>", results)


def sidecars(*tables: str) -> list[str]:
    """The sidecars of tables for people."""
    return [str(Path(table).parent / _SIDECARS / f"{Path(table).name}{SIDECAR}") for table in tables]


def table_with(sidecar: Path) -> Path:
    """The table that a sidecar belongs to."""
    return sidecar.parents[1] / sidecar.name.removesuffix(SIDECAR)


def partial_of(path: Path) -> Path:
    """A new name beside a file, to write it to before it is moved into place: no process has it, on any machine."""
    return path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex}.partial")
