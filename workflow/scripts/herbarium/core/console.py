"""What people see while a step runs: messages on the terminal and in the log, and a progress bar."""

import logging
import sys
import traceback
from collections.abc import Iterable

from tqdm import tqdm

from herbarium.core.errors import HerbariumError, of_the_machine

log = logging.getLogger("herbarium")


def start_log(path: str) -> None:
    """Send messages to the terminal and to the file at `path`, including the error that stops the process.

    A HerbariumError, an error of the machine or an interruption (Ctrl-C) shows only its message; anything else shows
    its traceback.
    """
    log.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a log that cannot be written, on a full disk, stops nothing
    for handler in (logging.StreamHandler(sys.stderr), logging.FileHandler(path, mode="w", encoding="utf-8")):
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        log.addHandler(handler)

    def report(kind, error, trace) -> None:
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

    sys.excepthook = report


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
