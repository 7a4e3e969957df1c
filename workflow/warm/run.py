"""Run a command whose Python jobs start warm: forked from one process that has imported what takes seconds to import.

    python workflow/warm/run.py snakemake --cores 2 --configfile config/demo.yaml

On Linux, the command finds in HERBARIUM_PYTHON what starts Python so (`client.py`). Elsewhere, where forks of such a
process may not be safe, it just runs.
"""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent.absolute()
PYTHON = "HERBARIUM_PYTHON"  # the variable with the path of the Python that starts warm


class Warm:
    """The process that jobs are forked from, from the beginning to the end of a `with` block, in a private folder.

    python: an executable that takes the arguments of Python's. Only jobs with the same environment are forked.
    """

    def __init__(self, environment: Mapping[str, str]):
        self.environment = environment

    def __enter__(self) -> "Warm":
        self.folder = Path(tempfile.mkdtemp(prefix="herbarium-warm-"))  # nobody else's, by its mode
        self.python, path = self.folder / "python", str(self.folder / "socket")
        client = shlex.join([sys.executable, "-I", "-S", str(HERE / "client.py"), path, sys.executable])
        self.python.write_text(f'#!/bin/sh\nexec {client} "$0" "$@"\n')
        self.python.chmod(0o700)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(128)  # clients wait in it for the imports
            self.server = subprocess.Popen(
                [sys.executable, HERE / "server.py", str(listener.fileno())],
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,  # ends with this process, however it ends
                start_new_session=True,  # Ctrl-C is for the jobs, which hear of it from their clients
                env=self.environment,
            )
        return self

    def __exit__(self, *_) -> None:
        self.server.stdin.close()
        self.server.wait()
        shutil.rmtree(self.folder)


def main(command: list[str]) -> int:
    if sys.platform != "linux":
        return subprocess.run(command).returncode
    with Warm(os.environ) as warm:
        running = subprocess.Popen(command, env={**os.environ, PYTHON: str(warm.python)})
        while True:
            try:
                return running.wait()
            except KeyboardInterrupt:  # the command has heard it too, and decides how it ends
                continue


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.exit(code if code >= 0 else 128 - code)
