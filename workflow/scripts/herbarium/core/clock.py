"""Whether this machine's clock is behind: then what is made now looks older than what it is made from."""

import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from herbarium.core.errors import HerbariumError
from herbarium.core.files import partial_of

_LEAST = 2  # s; no job takes less


def now(folder: Path) -> float:
    """Seconds since 1970, by this machine's clock or that of the file system, whichever is later. folder: in it a file
    is made for that, and removed, if it can be."""
    probe = partial_of(folder / "clock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        return max(time.time(), probe.stat().st_mtime)
    except OSError:
        return time.time()
    finally:
        with suppress(OSError):
            probe.unlink()


def require_past(files: Iterable[str], at: float) -> None:
    """Raise HerbariumError if a file is dated after now: Snakemake would find what is made from it older, and delete
    that.

    at: the present, in seconds since 1970.
    """
    dates = {file: Path(file).stat().st_mtime for file in files if Path(file).exists()}
    ahead = sorted((file for file, date in dates.items() if date > at + _LEAST), key=lambda file: (-dates[file], file))
    if not ahead:
        return
    last, others = ahead[0], f" So are {len(ahead) - 1:,} others." if len(ahead) > 1 else ""
    raise HerbariumError(
        f"{last}: it is dated {_in_words(dates[last] - at)} after now, {datetime.fromtimestamp(at):%Y-%m-%d %H:%M}."
        f"{others} What is made from it would look older, and Snakemake would delete it. Set this machine's clock, or "
        "wait until then; if the date is wrong, `touch` the file."
    )


def _in_words(seconds: float) -> str:
    return f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"
