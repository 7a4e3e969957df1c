"""Where the workflow itself is, and how its files are found from a study in any folder."""

import hashlib
import os
from pathlib import Path

from herbarium.core import kept

_LIBRARY = Path(__file__).resolve().parents[1]
# The folder of the workflow (rules, lists, configurations): the clone, or its copy inside an installed library.
CLONE = _LIBRARY / "clone" if (_LIBRARY / "clone").is_dir() else _LIBRARY.parents[2]
SNAKEFILE = str(CLONE / "workflow/Snakefile")
_OURS = ("resources", "config")
# In the folder of files that were fetched (`downloads`): the address of each.
ADDRESSES = ".addresses"
# The workflow's own, wherever the study is: a study can have its own, which nothing here reads.
_CITATION = Path("CITATION.cff")
# What Snakemake takes for a pattern, or a shell for the end of a quoted name, or for part of a command.
_ODD = set("{}<>'\"$`\\")
# Bytes that file systems take: of the name of a file; of a path, with what the workflow appends to it.
_LONGEST_NAME, _LONGEST_PATH = 255, 3500


def expanded(path: str) -> str:
    """A path with the home folder for `~`; unchanged if there is no such folder."""
    return os.path.expanduser(path)  # noqa: PTH111 - Path's raises an error then, and drops a final slash


def located(path: Path) -> Path:
    """Where a path in the configuration leads, relative to the study's folder, in which Snakemake works.

    `~` is the home folder. A path that begins with `resources/` or `config/` and is not in the study's folder is the
    clone's.
    """
    path = Path(expanded(str(path)))
    if path == _CITATION:
        return CLONE / path
    if path.parts[:1] in [(ours,) for ours in _OURS] and not _is_there(path) and _is_there(CLONE / path):
        return CLONE / path
    return path


def address_note(path: Path, folder: Path) -> Path:
    """Where it is noted by which address a file was fetched. folder: that of what the address gave."""
    return folder / ADDRESSES / f"{hashlib.sha256(path.relative_to(folder).as_posix().encode()).hexdigest()}.json"


def named(path: str) -> str:
    """The name of a file in records: one that was fetched by its address, one of the workflow's own by its path there,
    so that both are found on any machine; any other by the given path."""
    for folder in Path(path).parents:
        if (folder / ADDRESSES).is_dir():
            return kept.read(address_note(Path(path), folder)).get("address", path)
    is_ours = any(Path(path).is_relative_to(CLONE / ours) for ours in (*_OURS, _CITATION))
    return Path(path).relative_to(CLONE).as_posix() if is_ours else path


def fault_of_name(path: str) -> str:
    """Why a path is more than a name to Snakemake or a shell, or too long for one, in words; empty if it is plain.

    Snakemake puts names of files into the commands by which jobs start on a cluster. It quotes them as Python does:
    a character that is not printed would be another there, and a name that begins with - is an option.
    """
    begins = "-" if path.startswith("-") else None
    odd = next((character for character in path if character in _ODD or not character.isprintable()), begins)
    if odd:
        return f"{path!r}: a path with {odd!r} could be read as a pattern or a command; rename it"
    if longest := next((part for part in path.split("/") if len(part.encode()) > _LONGEST_NAME), None):
        return f"'{longest[:20]}…' has more than the {_LONGEST_NAME} bytes that a name of a file can have; shorten it"
    return (
        f"'{path[:20]}…' has more than {_LONGEST_PATH:,} bytes; shorten it"
        if len(path.encode()) > _LONGEST_PATH
        else ""
    )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # its name is too long, for example
        return False
