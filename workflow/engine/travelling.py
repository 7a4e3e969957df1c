"""Snakemake's records of what made each file travel with the results, so that a folder of results that is copied into a
fresh clone is as good as one that was made there (docs/reruns.md).

results: the folder of the results.
"""

import filecmp
import json
import math
import os
import shutil
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path

from herbarium.core import store
from herbarium.core.files import partial_of

RECORDS = Path(".snakemake", "metadata")
# Files that came along count as three centuries older than they are, and so as older than any input that did not come
# with them: Snakemake compares by content only inputs that are newer than the file they made.
AGES = 10_000_000_000  # s
# A record that came along is dated this long before its file. Snakemake does not look at the dates of records, and
# those that it writes are younger than their files.
CAME_ALONG = 1_000_000_000  # s


def records(folder: Path, results: str) -> Iterator[tuple[Path, str]]:
    """The records of the results in a folder, each with the path of its file: Snakemake names them by that, encoded and
    cut. Other files there, by chance or by malice, are ignored."""
    inside = f"{os.path.abspath(results)}{os.sep}"  # noqa: PTH100 - what it links to is named as the link is
    for path in sorted(folder.rglob("[!.]*")):
        if path.is_file():
            parts = path.relative_to(folder).parts
            try:
                file = urlsafe_b64decode("".join(part.removeprefix("@") for part in parts)).decode()
                is_ours = os.path.abspath(file).startswith(inside)  # noqa: PTH100
            except ValueError:  # not an encoded name of a file
                continue
            if is_ours:
                yield path.relative_to(folder), file


def give(results: str) -> None:
    """After a run: put the records of the results next to them. Raises OSError where they cannot be written."""
    for name, _ in records(RECORDS, results):
        known = Path(results) / RECORDS / name
        if not (known.exists() and filecmp.cmp(RECORDS / name, known)):
            _copy(name, RECORDS, Path(results) / RECORDS)


def take(results: str) -> dict[str, float]:
    """Before Snakemake looks at records: take those that came with results which were not made in this folder.

    Returns the date, in seconds since 1970, that Snakemake is to remember for each file that came along: their order is
    that in which they were made. Those that were made again or edited since are left out.
    """
    dates = {}
    for name, file in records(Path(results) / RECORDS, results):
        travelling, known, path = Path(results) / RECORDS / name, RECORDS / name, Path(file)
        if not path.exists() or _made(travelling) == -math.inf:  # a file, or a folder that a rule makes
            continue
        date = path.stat().st_mtime
        is_new = not (known.exists() and filecmp.cmp(travelling, known))
        # a record of a file that was made here is kept, unless another file took its place
        if is_new and not _is_same_time(date, _made(known)):
            _copy(name, Path(results) / RECORDS, RECORDS, date - CAME_ALONG)
        if _is_same_time(date - CAME_ALONG, known.stat().st_mtime):
            dates[file] = _made(known) - AGES
    return dates


def _copy(name: Path, source: Path, target: Path, date: float | None = None) -> None:
    """Copy a record completely or not at all: a run can be killed at any time. date: of the copy, in seconds since
    1970."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    partial = partial_of(target / name)
    try:
        shutil.copy2(source / name, partial)
        store.share(partial)
        if date is not None:
            os.utime(partial, (date, date))
        os.replace(partial, target / name)
    finally:
        partial.unlink(missing_ok=True)


def _made(record: Path) -> float:
    """When the file of a record was made, in seconds since 1970; never if the record cannot be read."""
    try:
        return float(json.loads(record.read_text())["endtime"])
    except (OSError, ValueError, LookupError, TypeError):
        return -math.inf


def _is_same_time(one: float, other: float) -> bool:
    return abs(one - other) < 1  # s; some network file systems round
