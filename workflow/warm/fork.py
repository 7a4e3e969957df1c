"""What a fork does: all that a new Python process would have done differently, then the file or module.

Where it cannot be as a new process it becomes one: where what libraries read at their import (variables, folders with
modules) differs, or where the server had a thread or a GPU, which a fork does not have.
"""

import atexit
import ctypes
import io
import os
import resource
import runpy
import signal
import sys
import tempfile
import threading
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any, NamedTuple

Request = dict[str, Any]  # of client.py

THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
# Variables that none of the imported libraries reads at its import, or that are seen to here. The last is set by
# polars, which Snakemake imports itself.
MAY_DIFFER = {
    *(*THREADS, "PYTHONPATH", "TMPDIR", "TMP", "TEMP", "TEMPDIR"),
    *("PATH", "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "TERM", "HERBARIUM_PYTHON"),
    *("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR", "PYTEST_CURRENT_TEST"),
    "_RJEM_MALLOC_CONF",
    # R sets these in a process that it runs in; cuBLAS reads its own when a GPU is first used.
    *("EDITOR", "LN_S", "MAKE", "PAGER", "PYTHON_SESSION_INITIALIZED", "SED", "TAR", "CUBLAS_WORKSPACE_CONFIG"),
}
OF_R = ("R_", "_R_CHECK_")
PR_SET_PDEATHSIG = 1


class Imports(NamedTuple):
    """How the server imported libraries.

    - environment: before it. changes: variables that they set
    - path: where Python looks for modules in any process
    - n_threads: of the server after it. modules: the names of the top modules and packages that it has
    """

    environment: dict[str, str]
    changes: dict[str, str]
    path: list[str]
    n_threads: int
    modules: set[str]


def run(request: Request, streams: list[int], libraries: Imports) -> None:
    """Run a file or a module as a new process would."""
    take_over(request, streams)
    python, arguments = sys.executable, request["arguments"]
    own_folders = own_path(arguments, request["environment"])
    if not can_run(request["environment"], own_folders, libraries):
        os.execve(python, [python, *arguments], request["environment"])
    os.environ.clear()
    os.environ.update(libraries.changes | request["environment"])
    sys.path[:] = [*own_folders, *libraries.path]
    sys.executable = request["executable"]
    sys.orig_argv = [sys.executable, *arguments]
    tempfile.tempdir = None
    draw_anew()
    start_threads(request["environment"])
    del sys.modules[__name__]
    main = sys.modules["__main__"] = ModuleType("__main__")
    if arguments[0] == "-m":
        sys.argv[:] = ["-m", *arguments[2:]]
        runpy._run_module_as_main(arguments[1])
    else:
        sys.argv[:] = arguments
        run_file(os.path.abspath(arguments[0]), main)


def leave(code: object) -> None:
    """End a process as `sys.exit` does, but for taking the interpreter apart, which takes longer than many a job: so
    do processes of multiprocessing end. code: of SystemExit."""
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    os._exit((code or 0) & 0xFF)


def run_file(path: str, main: ModuleType) -> None:
    loader = SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __loader__=loader, __cached__=None, __annotations__={})
    with io.open_code(path) as file:
        content = file.read()
    try:
        exec(compile(content, path, "exec", dont_inherit=True), main.__dict__)
    except BaseException:
        hook = sys.excepthook
        sys.excepthook = lambda kind, error, trace: hook(kind, error.with_traceback(inner(trace)), inner(trace))
        raise


def inner(trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the file that runs on."""
    while trace and os.path.dirname(trace.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        trace = trace.tb_next
    return trace


def take_over(request: Request, streams: list[int]) -> None:
    """What a process has from the one that starts it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # the server ends before its forks only if it is killed
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in request["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    os.umask(request["mask"])
    os.nice(request["niceness"] - os.nice(0))
    for limit, *values in request["limits"]:
        if values != [*resource.getrlimit(limit)]:
            resource.setrlimit(limit, values)
    os.chdir(request["folder"])


def own_path(arguments: list[str], environment: dict[str, str]) -> list[str]:
    """Where a process looks for modules before the places that all look in."""
    first = os.getcwd() if arguments[0] == "-m" else os.path.dirname(os.path.realpath(arguments[0]))
    given = environment.get("PYTHONPATH", "")
    return [first, *(os.path.abspath(folder) for folder in given.split(os.pathsep) if given)]


def can_run(environment: dict[str, str], own_folders: list[str], libraries: Imports) -> bool:
    """Whether libraries would have been imported just as they were."""
    different = (environment.items() ^ libraries.environment.items()) - libraries.changes.items()
    threads = {environment.get(name) for name in THREADS}
    torch = sys.modules.get("torch")
    return (
        all(name in MAY_DIFFER or name.startswith(OF_R) for name, _ in different)
        and len(threads) == 1
        and not any(has_one_of(libraries.modules, folder) for folder in own_folders)
        and libraries.n_threads == 1
        and not (torch and torch.cuda._is_in_bad_fork())
    )


def has_one_of(modules: set[str], folder: str) -> bool:
    """Whether a folder has a module with one of these names, which would have been imported in its place."""
    try:
        entries = [*os.scandir(folder)]
    except OSError:
        return False
    return any(
        entry.name.partition(".")[0] in modules and (entry.is_dir() or entry.name.endswith((".py", ".pyc", ".so")))
        for entry in entries
    )


def draw_anew() -> None:
    """Give generators that begin at random another beginning; Python's own has one."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def start_threads(environment: dict[str, str]) -> None:
    """Let libraries use as many threads as if they had been loaded now."""
    n_threads = int(environment.get(THREADS[0], 0)) or len(os.sched_getaffinity(0))
    if "threadpoolctl" in sys.modules and n_threads > 1:  # one is what they have
        sys.modules["threadpoolctl"].threadpool_limits(n_threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(n_threads)
