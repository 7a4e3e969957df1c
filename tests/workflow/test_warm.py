"""Python that starts warm does what Python does: the same script is run by both."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import warm
from tests.conftest import THREADS
from tests.patience import until

pytestmark = [
    pytest.mark.slow,  # starts three servers
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing starts warm"),
]

IS_WARM = "import sys\nprint('torch' in sys.modules)\n"
# Each prints what a script may ask, and ends in a way of its own.
SCRIPTS = {
    "its surroundings": """
import os, sys, resource, tempfile, signal, threading, multiprocessing
print(__name__, __file__, __spec__, sys.argv, sys.path[:2], os.getcwd(), os.environ["LINES"], os.environ["PYTHONPATH"])
print(sys.stdin.read(), sys.stdout.line_buffering, sys.stdout.encoding, sys.flags, sorted(vars()))
print(resource.getrlimit(resource.RLIMIT_NOFILE), oct(os.umask(0)), os.nice(0), tempfile.gettempdir())
print([signal.getsignal(of) for of in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP)])
print(threading.current_thread(), threading.active_count(), multiprocessing.current_process().name)
print(sorted(os.listdir("/proc/self/fd")), file=sys.stderr)
""",
    "a module beside it": "import beside\nprint(beside.__file__)",
    "functions at its end": """
import atexit, threading
atexit.register(print, "last")
threading.Thread(target=lambda: (threading.main_thread().join(), print("thread"))).start()
print("first")
""",
    "an error": "def f():\n    raise KeyError('missing')\n\nf()",
    "a hook for errors": "import sys\nsys.excepthook = lambda *of: print(of[0], of[1])\n1 / 0",
    "an error of its syntax": "print(1)\nif",
    "a status": "import sys\nsys.exit(7)",
    "a status that is a text": "import sys\nsys.exit('no such file')",
    "a thread that raises": "import threading\nthreading.Thread(target=lambda: 1 / 0, name='t').start()",
    "a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "an interrupt": "raise KeyboardInterrupt",
    "processes of its own": """
from multiprocessing import get_context
def double(x):
    return 2 * x
if __name__ == "__main__":
    for way in ("fork", "spawn"):
        with get_context(way).Pool(2) as pool:
            print(pool.map(double, range(3)))
""",
    "another Python": """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "print(1 + 1)"], capture_output=True, text=True).stdout)
""",
    "threads": """
import torch
from threadpoolctl import threadpool_info
import numpy, scipy.linalg
numpy.linalg.inv(numpy.eye(300)); torch.ones(300, 300) @ torch.ones(300, 300)
print(torch.get_num_threads())
print(sorted((of["filepath"], of["num_threads"]) for of in threadpool_info() if "openblas" in of["filepath"]))
""",
}
# The others are compared at night.
USUAL = ("its surroundings", "functions at its end", "an error", "a status", "a signal")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "beside.py").touch()
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def start(python, arguments, folder, before=(), **options):
    given = {"LINES": "7", **dict.fromkeys(THREADS, "2"), **options.pop("variables", {})}
    return subprocess.Popen(
        [*before, python, *arguments],
        cwd=folder / "elsewhere",
        env={**os.environ, **given},
        text=True,
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def ran(python, arguments, folder, **options):
    """Exit status, output and errors; places that always differ are not among these."""
    process = start(python, arguments, folder, **options)
    output, errors = process.communicate("given\n")
    return process.returncode, *(re.sub(r"0x\w+|Thread-\d+|(?<= )\d{10,}", "", side) for side in (output, errors))


def write(folder, text):
    path = folder / "script.py"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("script", "before"),
    [
        *((script, ()) for script in USUAL),
        *(pytest.param(script, (), marks=pytest.mark.nightly) for script in sorted(SCRIPTS.keys() - {*USUAL})),
        *(
            pytest.param("its surroundings", before.split(), marks=pytest.mark.nightly)
            for before in ("prlimit --nofile=500:600", "nice -n 3", "nohup")
        ),
    ],
)
def test_a_script_does_what_it_does_in_a_new_process(script, before, folder):
    path = write(folder, SCRIPTS[script])
    options = {"before": before, "variables": {"PYTHONPATH": str(folder), "LINES": "7"}}
    expected = ran(sys.executable, [path, "one", "two words"], folder, **options)
    assert ran(warm.python(), [path, "one", "two words"], folder, **options) == expected


def test_what_libraries_need_is_there_at_once(folder):
    assert ran(warm.python(), [write(folder, IS_WARM)], folder)[:2] == (0, "True\n")
    assert ran(warm.python(), ["-m", "beside"], folder, variables={"PYTHONPATH": str(folder)})[0] == 0


def test_a_job_of_a_process_that_has_imported_libraries_starts_warm(folder):
    """Variables that libraries set when they are imported, and R when it starts, are no difference."""
    start_another = """
import joblib, os, shutil, subprocess, sys, torch._dynamo
path = {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"}
if shutil.which("R"):
    import rpy2.robjects
    os.environ.pop("LD_LIBRARY_PATH", None)  # as herbarium.statistics.lme4 does
    os.environ.update(path)
subprocess.run([os.environ["HERBARIUM_PYTHON"], "is_warm.py"], check=True)
"""
    (folder / "elsewhere/is_warm.py").write_text(IS_WARM)
    variables = {"HERBARIUM_PYTHON": warm.python()}
    for python in (sys.executable, warm.python()):
        assert ran(python, [write(folder, start_another)], folder, variables=variables) == (0, "True\n", "")


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        ([], {"HF_HUB_OFFLINE": "1"}),  # which a library reads when it is imported
        ([], {"OMP_NUM_THREADS": "1"}),  # other than those of the other libraries
        ([], {"PYTHONPATH": "shadows"}),  # has a module with the name of one that is there
        (["-X", "dev"], {}),
    ],
)
def test_what_would_differ_starts_as_a_new_process(arguments, variables, folder):
    (folder / "elsewhere/shadows").mkdir()
    (folder / "elsewhere/shadows/torch.py").touch()
    assert ran(warm.python(), [*arguments, write(folder, IS_WARM)], folder, variables=variables)[:2] == (0, "False\n")


def test_a_module_beside_the_script_is_found_before_one_that_is_there(folder):
    (folder / "jinja2.py").write_text("mine = True")
    assert ran(warm.python(), [write(folder, "import jinja2\nprint(jinja2.mine)")], folder)[1] == "True\n"


def test_further_open_files_start_a_new_process(folder):
    with open(folder / "more.txt", "w") as more:
        script = write(folder, f"import os\nos.write({more.fileno()}, b'said')\n{IS_WARM}")
        assert ran(warm.python(), [script], folder, pass_fds=[more.fileno()])[1] == "False\n"
    assert (folder / "more.txt").read_text() == "said"


def test_a_module_is_run_with_what_it_reads(folder):
    process = start(warm.python(), ["-m", "json.tool", "--compact"], folder)
    assert process.communicate('{"a": 1}') == ('{"a":1}\n', "")
    assert process.returncode == 0


def test_random_numbers_that_nobody_seeded_differ(folder):
    path = write(folder, "import random, numpy\nprint(random.random(), numpy.random.rand())")
    one, other = (ran(warm.python(), [path], folder)[1].split() for _ in range(2))
    assert len({*one, *other}) == 4


def is_running(process):
    return Path(f"/proc/{process}").exists() and Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"


# A signal that comes while Python answers another is heard only after the call that both interrupt: short ones.
SLEEPS = """
import os, signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: print("heard", flush=True))
print(os.getpid(), flush=True)
for _ in range(600): time.sleep(0.1)
"""


def test_signals_reach_it_and_it_dies_with_its_client(folder):
    path = write(folder, SLEEPS)
    process = start(warm.python(), [path], folder)
    fork = int(process.stdout.readline())
    assert fork != process.pid
    process.send_signal(signal.SIGUSR1)
    assert process.stdout.readline() == "heard\n"
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate()[1]
    assert process.returncode == -signal.SIGINT
    assert not is_running(fork)
    process = start(warm.python(), [path], folder)
    fork = int(process.stdout.readline())
    process.kill()
    until(lambda: not is_running(fork))
    process.wait()


def test_it_ends_with_what_started_it_after_its_jobs_and_later_ones_start_anew(folder):
    """What started it is killed: the job that runs goes on, one that begins is a new process, nothing stays."""
    path = write(folder, SLEEPS.replace("for _ in range(600): time.sleep(0.1)", "sys.stdin.readline()"))
    command = ["bash", "-c", "echo $$ $HERBARIUM_PYTHON; read stop"]
    run = [sys.executable, str(warm.FOLDER / "run.py"), *command]
    environment = {**os.environ, **dict.fromkeys(THREADS, "2"), "LINES": "7"}
    runner = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    python = runner.stdout.readline().split()[1]
    assert Path(python).parent.stat().st_mode & 0o077 == 0
    running = start(python, [path], folder)
    fork = int(running.stdout.readline())
    (server,) = [int(field) for field in Path(f"/proc/{fork}/stat").read_text().split()[3:4]]
    runner.kill()
    until(lambda: ran(python, [write(folder, IS_WARM)], folder)[1] == "False\n")
    assert is_running(fork)
    assert running.communicate("\n")[1] == ""
    assert running.returncode == 0
    until(lambda: not is_running(server))


@pytest.mark.nightly
def test_a_fork_does_not_outlive_a_server_that_is_killed(folder):
    with warm.module().Warm(os.environ) as other:
        process = start(str(other.python), [write(folder, SLEEPS)], folder)
        fork = int(process.stdout.readline())
        other.server.kill()
        until(lambda: not is_running(fork))
        assert "has ended" in process.communicate()[1]
        assert process.returncode == 1
