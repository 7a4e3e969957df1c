"""Waiting for what happens elsewhere, on a machine of any speed."""

import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache


@cache
def seconds() -> float:
    """As long as fifty processes take, one after the other, to import what jobs import."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", "import torch, transformers"], check=True)
    return 50 * (time.monotonic() - start)


def until(condition: Callable[[], bool]) -> None:
    start = time.monotonic()
    while not condition():
        waited = time.monotonic() - start
        # measured only when it matters: meanwhile, what is waited for could have come and gone
        assert waited < 10 or waited < seconds(), "it does not happen"
        time.sleep(0.02)
