"""Imports third-party libraries once, then forks a process for each client that asks (`client.py`).

Argument: the number of the open socket to answer on. Ends when its standard input does, once all forks have ended.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import struct
import sys
import weakref
from contextlib import suppress

import fork

# What the jobs of a study import. Those that this environment lacks are left out.
LIBRARIES = (
    *("snakemake.cli", "snakemake.script", "snakemake.executors.local", "yte", "pulp"),
    *("yaml", "pydantic", "jinja2", "tqdm", "psutil", "threadpoolctl", "joblib", "plotly.offline"),
    *("numpy", "pandas", "pyarrow.parquet", "pyarrow.csv", "pyarrow.compute"),
    *(
        "scipy.stats",
        "scipy.sparse",
        "scipy.optimize",
        "scipy.special",
    ),
    *("sklearn.linear_model", "sklearn.cluster", "sklearn.decomposition", "matplotlib.pyplot"),
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_pdf"),
    *("torch", "torch._dynamo", "safetensors.torch", "datasets"),
    *("transformers.models.bert.modeling_bert", "transformers.models.auto.tokenization_auto", "transformers.trainer"),
)


def import_libraries() -> fork.Imports:
    """Import the libraries in a process that can be forked: with one thread, and no GPU in use."""
    del sys.path[0]  # this folder
    environment = dict(os.environ)
    os.environ.update(dict.fromkeys(fork.THREADS, "1"))  # a fork has none of the others
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # to count GPUs otherwise initialises CUDA
    before = dict(os.environ)
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    for finalizer in [*weakref.finalize._registry]:  # a fork need not take apart what it was given
        finalizer.atexit = False
    gc.collect()
    gc.freeze()  # forks share this memory as long as it is not looked through
    return fork.Imports(
        environment=environment,
        changes=dict(os.environ.items() - before.items()),
        path=[*sys.path],
        n_threads=len(os.listdir("/proc/self/task")),
        modules={name.partition(".")[0] for name in sys.modules} - {"__main__", "fork"},
    )


class Server:
    """clients: the connection to the client of each running fork."""

    def __init__(self, listener: socket.socket):
        self.clients: dict[int, socket.socket] = {}
        self.listener = listener
        self.selector = selectors.DefaultSelector()

    def serve(self) -> "tuple[fork.Request, list[int]] | None":
        """Answer clients. Returns in each fork, with the request and the streams of its client; in the server, None."""
        ended, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler, the pipe gets nothing
        signal.set_wakeup_fd(wakes)
        for file in (0, ended, self.listener):
            self.selector.register(file, selectors.EVENT_READ)
        while self.clients or self.listener.fileno() >= 0:
            for key, _ in self.selector.select():
                if key.fileobj is self.listener:
                    if work := self.answer(self.listener.accept()[0]):
                        for file in (ended, wakes):
                            os.close(file)
                        return work
                elif key.fileobj == ended:
                    os.read(ended, 4096)
                    self.report_ends()
                elif key.fileobj == 0:
                    for file in (0, self.listener):
                        self.selector.unregister(file)
                    self.listener.close()
                elif key.data in self.clients:  # whose client was killed
                    self.forget(key.data)
                    os.kill(key.data, signal.SIGKILL)
        return None

    def answer(self, client: socket.socket) -> "tuple[fork.Request, list[int]] | None":
        """Fork for a client. As for `serve`, but None in the server."""
        try:
            size, streams, *_ = socket.recv_fds(client, 4, 3)
            content = client.recv(*struct.unpack("i", size), socket.MSG_WAITALL)
        except (OSError, struct.error):  # it was killed
            client.close()
            return None
        process = os.fork()
        if process == 0:
            for file in (client, *self.clients.values(), self.listener, self.selector):
                file.close()
            return json.loads(content), streams
        for file in streams:
            os.close(file)
        self.clients[process] = client
        self.selector.register(client, selectors.EVENT_READ, process)
        tell(client, process)
        return None

    def report_ends(self) -> None:
        """Tell clients how their forks have ended."""
        with suppress(ChildProcessError):
            while (end := os.waitpid(-1, os.WNOHANG))[0]:
                process, status = end
                if process in self.clients:
                    client = self.forget(process)
                    tell(client, os.waitstatus_to_exitcode(status))
                    client.close()

    def forget(self, process: int) -> socket.socket:
        self.selector.unregister(self.clients[process])
        return self.clients.pop(process)


def tell(client: socket.socket, number: int) -> None:
    with suppress(OSError):  # it was killed, which `serve` will notice
        client.sendall(struct.pack("i", number))


if __name__ == "__main__":
    libraries = import_libraries()
    if work := Server(socket.socket(fileno=int(sys.argv[1]))).serve():
        try:
            fork.run(*work, libraries)
        except SystemExit as end:
            fork.leave(end.code)
        else:
            fork.leave(None)
