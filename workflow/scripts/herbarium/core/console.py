"""What people see while a step runs: messages on the terminal and in the log, and a progress bar."""

import atexit
import logging
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from herbarium.core.errors import HerbariumError, of_the_machine

log = logging.getLogger("herbarium")
# With what a log ends, or what it has, unless its process was killed.
_ENDED, _REPORTED = "Ended.", (" Error: ", " Interrupted. ", " Traceback ")


def start_log(path: str) -> None:
    """Send messages to the terminal and to the file at `path`, including the error that stops the process.

    A HerbariumError, an error of the machine or an interruption (Ctrl-C) shows only its message; anything else shows
    its traceback.
    """
    log.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a log that cannot be written, on a full disk, stops nothing
    to_file = logging.FileHandler(path, mode="w", encoding="utf-8")
    for handler in (logging.StreamHandler(sys.stderr), to_file):
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        log.addHandler(handler)

    def end() -> None:
        to_file.handle(log.makeRecord(log.name, logging.INFO, path, 0, _ENDED, (), None))

    def report(kind, error, trace) -> None:
        atexit.unregister(end)
        if issubclass(kind, HerbariumError):
            log.error("Error: %s", error)
        elif issubclass(kind, KeyboardInterrupt):
            log.error("Interrupted. Run the same command again; it continues from here.")
        elif words := of_the_machine(error):
            log.error(
                "Error: %s. Nothing is lost: fix that and run the same command again; it continues from here.", words
            )
        else:
            log.error("".join(traceback.format_exception(kind, error, trace)).rstrip())

    atexit.register(end)
    sys.excepthook = report


def is_cut(path: str | Path, since: float) -> bool:
    """Whether the process that wrote a log since a time, in seconds since 1970, was killed: it neither ended nor said
    what was wrong."""
    try:
        text, written = Path(path).read_text(encoding="utf-8", errors="replace"), Path(path).stat().st_mtime
    except OSError:
        return False
    return written >= since and not text.rstrip().endswith(_ENDED) and not any(mark in text for mark in _REPORTED)


def progress(total: int, unit: str, title: str) -> tqdm:
    """A progress bar with rate and time left: redrawn in place on a terminal, a new line every ten seconds
    elsewhere."""
    on_terminal = sys.stderr.isatty()
    return tqdm(
        total=total,
        unit=unit,
        unit_scale=True,
        desc=title,
        mininterval=0.2 if on_terminal else 10,
        ascii=not on_terminal,
        leave=on_terminal,
    )


def tracked(items: Iterable, total: int, unit: str, title: str) -> Iterable:
    """`items`, with a progress bar that counts them."""
    with progress(total, unit, title) as bar:
        for item in items:
            yield item
            bar.update()
