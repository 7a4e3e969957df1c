"""What people see while a step runs: messages on the terminal and in the log, and a progress bar."""

import logging
import sys
import traceback
from collections.abc import Iterable

from tqdm import tqdm

from herbarium.errors import HerbariumError

log = logging.getLogger("herbarium")


def start_log(path: str) -> None:
    """Send messages to the terminal and to the file at `path`, and whatever stops the process too.

    A HerbariumError shows as its message alone, anything else with its traceback.
    """
    log.setLevel(logging.INFO)
    for handler in (logging.StreamHandler(sys.stderr), logging.FileHandler(path, mode="w", encoding="utf-8")):
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        log.addHandler(handler)

    def report(kind, error, trace) -> None:
        if issubclass(kind, HerbariumError):
            log.error("Error: %s", error)
        else:
            log.error("".join(traceback.format_exception(kind, error, trace)).rstrip())

    sys.excepthook = report


def progress(total: int, unit: str, title: str) -> tqdm:
    """A progress bar with rate and time left: redrawn in place on a terminal, a line each ten seconds elsewhere."""
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
