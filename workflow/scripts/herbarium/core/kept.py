"""What is kept in a cache, and whether it is still what was put there.

Beside it lies a note: its digest, and its state when that was last found to be right. As long as nobody writes to it,
its content is not read again for that.
"""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from herbarium.core.files import partial_of
from herbarium.core.provenance import file_hash

# Size in bytes, dates of content and entry in nanoseconds, inode. `touch` cannot set back the date of the entry.
State = list[int]


def state(path: Path) -> State | dict[str, State]:
    """By what a file is known that nobody has written to since; of a folder, by the path of each file in it."""
    if path.is_dir():
        return {file.relative_to(path).as_posix(): _state(file) for file in _files(path)}
    return _state(path)


def _state(file: Path) -> State:
    entry = file.lstat()
    return [entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns, entry.st_ino]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def digest_of(path: Path) -> str:
    """sha256 of a file, or of the paths and contents of all files in a folder."""
    if not path.is_dir():
        return file_hash(path)
    contents = hashlib.sha256()
    for file in _files(path):
        content = file.readlink() if file.is_symlink() else file_hash(file)
        contents.update(f"{file.relative_to(path).as_posix()}\0{content}\n".encode(errors="surrogateescape"))
    return contents.hexdigest()


def keep(path: Path, note: Path, digest: str, **more: str) -> None:
    """Note what is kept. digest: its own. more: what else the note says."""
    _write(note, {**more, "digest": digest, "state": state(path)})


def _write(note: Path, content: dict) -> None:
    """A cache that cannot be written has no notes: then all is read each time."""
    partial = partial_of(note)
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_text(json.dumps(content), encoding="utf-8")
            os.replace(partial, note)
        finally:
            partial.unlink(missing_ok=True)


def read(note: Path) -> dict:
    """What a note says; empty if there is none, or it is damaged."""
    with suppress(OSError, ValueError):
        content = json.loads(note.read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else {}
    return {}


def is_kept(path: Path, note: Path, digest: str, digest_by: Callable[[Path], str] = digest_of, **more: str) -> bool:
    """Whether a file or folder is there, and what it must be, which is noted as by `keep`. digest_by: how `digest` is
    worked out."""
    try:
        expected = {**more, "digest": digest, "state": state(path)}  # before it is read: later changes are noticed
        if read(note) == expected:
            return True
        if digest_by(path) != digest:
            return False
    except FileNotFoundError:  # never there, or taken away by another process just now
        return False
    _write(note, expected)
    return True
