"""One run at a time in a results folder, also when they are of different clones, which Snakemake's own lock does not
cover."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from herbarium.core.errors import HerbariumError


def claim(results: str | Path) -> str | None:
    """Claim a results folder until this process ends, however it does.

    Returns a warning if its file system has no locks. Raises HerbariumError if it cannot be written, or another run has
    claimed it.
    """
    lock = Path(results, ".snakemake", "lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        claimed = _opened(lock)  # never closed
    except PermissionError as error:
        raise HerbariumError(
            f"{error.filename}: {error.strerror}. Snakemake must be able to write there; {results} is "
            f"{_owner(results)}'s, who can share it (`chmod -R g+w {results}`, and `umask 002` from then on). To use "
            "another folder, set `results:` in the configuration."
        ) from None
    except OSError as error:
        raise HerbariumError(
            f"{error.filename}: {error.strerror}. Snakemake must be able to write there; to use another folder, set "
            "`results:` in the configuration."
        ) from None
    try:
        fcntl.flock(claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise HerbariumError(
            f"Another run is writing into {results}. Wait until it ends: what it makes will not be made again."
        ) from None
    except OSError as error:  # its type depends on the file system
        return (
            f"{results}: its file system has no locks ({error.strerror}), so two runs at once would not be noticed: do "
            "not start another one from another clone before this one has ended."
        )
    return None


def _opened(lock: Path) -> int:
    """The descriptor of a file that locks a folder, for everybody who may write there: whoever made it may have allowed
    others only to read it, which is enough for a lock."""
    try:
        claimed = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        if not os.access(lock.parent, os.W_OK):
            raise
        return os.open(lock, os.O_RDONLY)
    with suppress(OSError):  # another's
        os.fchmod(claimed, 0o666)
    return claimed


def _owner(folder: str | Path) -> str:
    try:
        return Path(folder).owner()
    except (KeyError, OSError):
        return "another user"
