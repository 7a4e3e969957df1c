"""Do the fast tests of a room notice realistic faults in its code? `python tests/mutation/run.py [ROOM…]`

A mutant is one fault in one module: `mutants/<room>.yaml` has the text that stands in the file, what stands there
instead, and what a user would see. Libraries are imported once. Each mutant is then a fork, which imports the project
anew, the mutated module from memory, and runs the tests that are likely to notice, until one fails: those of the file
named after the module, those of files that mention it, and the rest of its room. Files on the disk do not change.
"""

import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
LEAST_KILLED = 0.95  # of the mutants that a test can tell from the original
LONGEST = 600  # CPU seconds: a fault may also make a loop endless
FAST = ("-x", "-m", "not slow and not nightly and not network", "-p", "no:cacheprovider", "-p", "no:xdist")


class Mutant(NamedTuple):
    """As in mutants/*.yaml. room: the name of that file. file: below the library. equivalent: why no test can tell."""

    room: str
    file: str
    old: str
    new: str
    why: str
    equivalent: str | None = None


class Outcome(NamedTuple):
    """How the tests of a mutant ended. killer: the test that failed; None if none did."""

    killer: str | None
    seconds: float


def mutants(root: Path = ROOT, rooms: Sequence[str] = ()) -> list[Mutant]:
    """Of these rooms, or of all."""
    files = sorted((root / "tests/mutation/mutants").glob("*.yaml"))
    if unknown := set(rooms) - {file.stem for file in files}:
        raise SystemExit(f"no such file: {', '.join(f'tests/mutation/mutants/{name}.yaml' for name in unknown)}")
    return [
        Mutant(file.stem, **fields)
        for file in files
        if not rooms or file.stem in rooms
        for fields in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]


def mutated(mutant: Mutant, root: Path = ROOT) -> str:
    """The source of the module with the fault."""
    source = _path(mutant, root).read_text(encoding="utf-8")
    if (n := source.count(mutant.old)) != 1:
        raise SystemExit(f"{mutant.room}.yaml: this stands {n} times in {mutant.file}, not once:\n{mutant.old}")
    return source.replace(mutant.old, mutant.new)


def _path(mutant: Mutant, root: Path) -> Path:
    return root / "workflow/scripts/herbarium" / mutant.file


def _module(file: str) -> str:
    return ".".join(("herbarium", *Path(file).with_suffix("").parts)).removesuffix(".__init__")


def runs_of(file: str, root: Path = ROOT) -> list[list[str]]:
    """Arguments of pytest, one run after the other: the likeliest tests of a module first."""
    *folders, name = Path(file).with_suffix("").parts
    metric = folders[1] if folders[0] == "metrics" and len(folders) > 1 else None
    room = root / "tests" / Path(*folders[: 2 if metric else 1])
    mentions = {path: _mentions(path, name) for path in room.rglob("test_*.py")}
    ordered = sorted(mentions, key=lambda path: (path.name != f"test_{name}.py", -mentions[path], path))
    likely = [path for path in ordered if mentions[path] or path.name == f"test_{name}.py"]
    runs = [[path] for path in likely[:1]] + [likely[1:]] + [ordered[len(likely) :]]
    if metric:
        runs.append([*sorted((root / "tests/metrics").glob("test_*.py")), "-k", metric])
    return [[*map(str, run)] for run in runs if run]


def _mentions(path: Path, name: str) -> int:
    """How often a file of tests uses a module of this name."""
    return len(re.findall(rf"\b{name}\.\w|from [\w.]+\.{name} import", path.read_text("utf-8")))


class _Fault(SourceFileLoader):
    """Imports a module from a source in memory, and caches nothing."""

    def __init__(self, module: str, path: Path, source: str):
        super().__init__(module, str(path))
        self.source = source

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_data(self, path: str) -> bytes:
        return self.source.encode()

    def path_stats(self, path: str) -> dict:
        raise OSError


class _Watch:
    """Runs files in the order given, and keeps the first test, or file, that failed."""

    def __init__(self, files: list[str]):
        self.files = files
        self.failed: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.files.index(str(item.path)) if str(item.path) in self.files else -1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def _run(runs: list[list[str]], root: Path, folder: Path) -> str | None:
    """The first test that fails."""
    for number, arguments in enumerate(runs):
        watch = _Watch(arguments)
        status = pytest.main([*FAST, f"--basetemp={folder}/{number}", f"--rootdir={root}", *arguments], [watch])
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            if not watch.failed:
                raise RuntimeError(f"pytest ended with {status!r}")
            return watch.failed
    return None


def start(runs: list[list[str]], root: Path, folder: Path, fault: _Fault | None = None) -> int:
    """Run tests in a fork, which writes the one that failed into a folder. Returns its process's number."""
    if process := os.fork():
        return process
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        with open(folder / "output", "w") as output:
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
        os.chdir(root)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("herbarium", "tests")]:
            del sys.modules[name]
        if fault:
            sys.meta_path.insert(0, fault)
        (folder / "killer").write_text(json.dumps(_run(runs, root, folder)))
        os._exit(0)
    finally:
        os._exit(1)


def wait(folders: dict[int, Path]) -> tuple[int, Outcome]:
    """The next fork that ends."""
    process, status, usage = os.wait4(-1, 0)
    folder = folders[process]
    if os.WIFSIGNALED(status):
        killer = f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    elif status:
        raise SystemExit(f"The tests do not run:\n{(folder / 'output').read_text()}")
    else:
        killer = json.loads((folder / "killer").read_text())
    shutil.rmtree(folder, ignore_errors=True)
    return process, Outcome(killer, usage.ru_utime + usage.ru_stime)


def outcomes(chosen: list[Mutant], root: Path, cores: int) -> Iterator[tuple[Mutant, Outcome]]:
    """How each ended, as they end: so many at a time."""
    faults = [
        _Fault(_module(mutant.file), _path(mutant, root), source)
        for mutant, source in [(mutant, mutated(mutant, root)) for mutant in chosen]
    ]
    left = [*zip(chosen, faults, strict=True)]
    running: dict[int, Mutant] = {}
    folders: dict[int, Path] = {}
    while left or running:
        while left and len(running) < cores:
            mutant, fault = left.pop(0)
            folder = Path(tempfile.mkdtemp(prefix="mutant-"))
            process = start(runs_of(mutant.file, root), root, folder, fault)
            running[process], folders[process] = mutant, folder
        process, outcome = wait(folders)
        yield running.pop(process), outcome


def failing(tests: list[str], root: Path) -> str | None:
    """The first of some tests that fails on the original code, too."""
    folder = Path(tempfile.mkdtemp(prefix="original-"))
    process = start([[*dict.fromkeys(tests)]] if tests else [], root, folder)
    return wait({process: folder})[1].killer


def main(rooms: Sequence[str] = (), root: Path = ROOT, cores: int = 1) -> int:
    """Exit status: 1 if too many mutants of a room survive, or if what kills them fails without them."""
    chosen = mutants(root, rooms)
    survivors, killers, counts = [], [], Counter()
    for mutant, (killer, seconds) in outcomes([mutant for mutant in chosen if not mutant.equivalent], root, cores):
        counts[mutant.room, bool(killer)] += 1
        killers += [killer] if killer and not killer.startswith("ended by") else []
        survivors += [] if killer else [mutant]
        end = f"killed by {killer}" if killer else "SURVIVED"
        print(f"{seconds:5.1f} s  {mutant.file}: {mutant.why}: {end}", flush=True)
    for mutant in chosen:
        if mutant.equivalent:
            print(f"equivalent  {mutant.file}: {mutant.why}: {mutant.equivalent}")
    for mutant in survivors:
        print(f"survived  {mutant.file}: {mutant.why}\n- {mutant.old}\n+ {mutant.new}")
    shares = {}
    for room in dict.fromkeys(room for room, _ in counts):
        n_killed, n = counts[room, True], counts[room, True] + counts[room, False]
        shares[room] = n_killed / n
        print(f"{room}: {n_killed} of {n} killed, {n_killed / n:.1%}")
    if broken := failing(killers, root):
        print(f"It fails on the original code, too: {broken}")
    return int(bool(broken) or min(shares.values(), default=0) < LEAST_KILLED)


def import_libraries() -> None:
    """What most tests import, in a process that can be forked."""
    sys.path.insert(0, str(ROOT / "workflow/warm"))
    import server

    server.import_libraries()


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    import_libraries()
    sys.exit(main(sys.argv[1:], cores=len(os.sched_getaffinity(0))))
