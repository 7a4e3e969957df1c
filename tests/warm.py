"""A Python that starts warm (workflow/warm/), one for all tests of a process."""

import atexit
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.conftest import ENVIRONMENT

FOLDER = Path(__file__).parents[1] / "workflow/warm"


@cache
def module() -> ModuleType:
    """workflow/warm/run.py."""
    spec = importlib.util.spec_from_file_location("herbarium_warm_run", FOLDER / "run.py")
    result = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(result)
    return result


@cache
def python() -> str:
    """The path of a Python that starts warm; of Python itself where a fork is not safe."""
    if sys.platform != "linux":
        return sys.executable
    warm = module().Warm(ENVIRONMENT)
    atexit.register(warm.__exit__)
    return str(warm.__enter__().python)
