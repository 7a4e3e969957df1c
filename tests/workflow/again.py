"""Snakemake in one copy of the project, again and again: its library is imported once, and each call and job is a fork.

Started warm by `conftest.Again`, in the folder of the copy. Each line that it reads is a call: the arguments, the
environment and the file that takes the output; it answers with the exit status. What Snakemake has made of files of
rules is kept, by their content, for all copies.
"""

import gc
import importlib
import json
import os
import pickle
import re
import shlex
import socket
import sys
from contextlib import suppress
from pathlib import Path

import nbformat  # noqa: F401 (which Snakemake imports when it plans, as the next)
import smart_open  # noqa: F401
import snakemake.cli
import snakemake.workflow

FOLDER, LIBRARY = str(Path.cwd()), "workflow/scripts"
PLACE = "<the copy>"
parse = snakemake.workflow.parse


def import_for_plans() -> None:
    """What files of rules import at their beginning."""
    sys.path.insert(0, f"{FOLDER}/{LIBRARY}")
    for file in Path("workflow/rules").glob("*.smk"):
        for line in re.findall(r"^from herbarium.*$", file.read_text(encoding="utf-8"), re.MULTILINE):
            exec(line, {})
    snakemake.cli.get_argument_parser()  # looks for plugins, once


def parsed(path, workflow, linemap, overwrite_shellcmd=None, rulecount=0):
    """As Snakemake's `parse`, which takes as long as all else in the plan of a small study."""
    name = path.get_path_or_uri(secret_free=True)
    key = name.removeprefix(FOLDER), Path(name).read_bytes(), rulecount
    if key not in KNOWN:
        code, n_rules = parse(path, workflow, linemap, overwrite_shellcmd, rulecount)
        KNOWN[key] = code.replace(FOLDER, PLACE), n_rules, linemap.copy()
        RULES.with_suffix(".new").write_bytes(pickle.dumps(KNOWN))
        os.replace(RULES.with_suffix(".new"), RULES)
    code, n_rules, lines = KNOWN[key]
    linemap.update(lines)
    return code.replace(PLACE, FOLDER), n_rules


def call(arguments, environment, output) -> None:
    with open(os.devnull) as nothing, open(output, "wb") as file:
        for stream, number in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(stream.fileno(), number)
    del sys.path[0]
    os.environ.clear()
    os.environ.update(SET | environment)
    sys.argv[:] = arguments
    snakemake.workflow.parse = parsed
    snakemake.cli.main()


class Jobs:
    """What jobs are forked from: as workflow/warm/server.py, but that it has the library of the copy, too.

    python: the path of what stands in the place of Python.
    """

    def __init__(self):
        self.python = RULES.with_name(f"python-{os.getpid()}")
        path = str(RULES.with_name(f"socket-{os.getpid()}"))
        client = shlex.join([PYTHON, "-I", "-S", str(Path(fork.__file__).with_name("client.py")), path, PYTHON])
        self.python.write_text(f'#!/bin/sh\nexec {client} "$0" "$@"\n')
        self.python.chmod(0o700)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(128)
        ends, self.open = os.pipe()
        self.process = os.fork()
        if self.process:
            listener.close()
            os.close(ends)
        else:
            os.close(self.open)
            os.dup2(ends, 0)
            os.close(ends)
            self.serve(listener)

    @staticmethod
    def serve(listener) -> None:
        for file in Path(LIBRARY).rglob("herbarium/**/[!_]*.py"):
            with suppress(Exception):
                importlib.import_module(".".join(file.relative_to(LIBRARY).with_suffix("").parts))
        gc.collect()
        gc.freeze()
        modules = {name.partition(".")[0] for name in sys.modules} - {"__main__", "fork", "server", "herbarium"}
        libraries = fork.Imports(GIVEN, SET, PATH, len(os.listdir("/proc/self/task")), modules)
        if not (work := server.Server(listener).serve()):
            os._exit(0)
        del sys.modules["server"]
        try:
            fork.run(*work, libraries)
        except SystemExit as end:
            fork.leave(end.code)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__.tb_next)
            fork.leave(1)
        fork.leave(None)

    def end(self) -> None:
        os.close(self.open)
        os.waitpid(self.process, 0)


PATH = sys.path[1:]
RULES, PYTHON, GIVEN = Path(sys.argv[1]), sys.argv[3], json.loads(sys.argv[4])
SET = dict(os.environ.items() - GIVEN.items())  # by the libraries
sys.path.insert(0, sys.argv[2])  # workflow/warm
import fork  # noqa: E402
import server  # noqa: E402

del sys.path[0]
import_for_plans()
JOBS = None
for line in sys.stdin:
    arguments, environment, output = json.loads(line)
    if "-n" not in arguments:
        JOBS = JOBS or Jobs()
        environment["HERBARIUM_PYTHON"] = str(JOBS.python)
    KNOWN = pickle.loads(RULES.read_bytes()) if RULES.exists() else {}
    if process := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    else:
        call(arguments, environment, output)
if JOBS:
    JOBS.end()
