"""Python files that run each in a fork of one process, which has imported what takes seconds to import."""

import multiprocessing
import os
import runpy
import sys
from pathlib import Path

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["pandas", "torch", "transformers.models.bert.modeling_bert", "transformers.trainer"])


def run(file: Path, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Run a file as `python file` would: its exit status, and what it writes to the two outputs, by way of a folder."""
    outputs = [folder / "stdout", folder / "stderr"]
    process = _FORKS.Process(target=_run, args=(str(file), outputs, environment))
    process.start()
    process.join()
    return process.exitcode, *(output.read_text(encoding="utf-8") for output in outputs)


def _run(file: str, outputs: list[Path], environment: dict[str, str]) -> None:
    for number, output in enumerate(outputs, start=1):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), number)
    os.environ.update(environment)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    sys.argv = [file]
    runpy.run_path(file, run_name="__main__")
