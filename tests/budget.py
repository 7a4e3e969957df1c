"""CPU seconds of the tests, in units of one import of torch and transformers in the same session.

`pytest --cpu=FILE` writes a row for each file of tests and each of its marks; a machine that is twice as fast gives the
same units. `PYTHONPATH=. python tests/budget.py check FILE` fails where a file, or a whole command, takes more than
tests/budget.csv grants, and says which grew; `… write FILE` grants what was measured, with room.
"""

import csv
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests import quick

GRANTED = Path("tests/budget.csv")
ROOM, IMPORTS = 1.3, 3.0  # which of the files that run in one process is the first to import a library is chance
LEAST = 5.0  # units that any file may take
METRIC = 15.0  # units, 40 CPU seconds: all files of a metric that is new
# What they take, 34, 162 and 910, with some room. Aims, on two cores whose import takes 2.2 s: 40 (45 s), 165 (3
# minutes), and 880, which leave 4 of 20 minutes to the rest of `.ci/run`.
COMMANDS = {"make quick": 42.0, "make test": 200.0, "make test-all": 1080.0}
UNIT = "import torch, transformers"
MARKS = ("nightly", "slow")
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Of this process and of all that it has started, whether they have ended or not."""
    total, waiting = sum(os.times()[:4]), [os.getpid()]
    while waiting:
        children = _children(waiting.pop())
        total += sum(map(_ticks, children)) / TICKS
        waiting += children
    return total


def _children(process: int) -> list[int]:
    """None where there is no /proc."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in _read(task).split()]


def _ticks(process: int) -> int:
    """Of the process and of its children that have ended and that it has waited for."""
    return sum(map(int, _read(Path(f"/proc/{process}/stat")).rpartition(") ")[2].split()[11:15]))


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # it has ended
        return ""


def unit() -> float:
    """CPU seconds of the import, in a process of its own."""
    started = subprocess.Popen([sys.executable, "-c", UNIT])
    used = os.wait4(started.pid, 0)[2]
    started.returncode = 0
    return used.ru_utime + used.ru_stime


class Meter:
    """Of one process of tests. The unit is measured in each, at its beginning and end: beside the same other work."""

    def __init__(self, file: Path):
        self.file, self.seconds, self.units = file, Counter(), []
        self.shared = Counter()  # what many files use is charged to none of them, but to the fixture

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        before = cpu_seconds() - self.shared.total()
        result = yield
        mark = next((mark for mark in MARKS if item.get_closest_marker(mark)), "")
        self.seconds[f"{item.nodeid.partition('::')[0]},{mark}"] += cpu_seconds() - self.shared.total() - before
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        before, module = cpu_seconds() - self.shared.total(), fixturedef.func.__module__
        result = yield
        if fixturedef.scope == "session" and module.startswith("tests."):
            place = f"{module.replace('.', '/')}.py::{fixturedef.argname},slow"
            self.shared[place] += cpu_seconds() - self.shared.total() - before
        return result

    def pytest_collection_finish(self, session):
        if session.items:
            self.seconds["collection,"] += cpu_seconds()
            self.units.append(unit())

    def pytest_sessionfinish(self, session):
        if self.units:
            self.units.append(unit())
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cpu"] = dict(self.seconds), dict(self.shared), self.units
        else:
            self.write()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        seconds, shared, units = getattr(node, "workeroutput", {}).get("cpu", ({}, {}, []))
        self.seconds.update(seconds)
        self.shared |= Counter(shared)  # the larger: which processes make it is a matter of chance
        self.units += units

    def write(self) -> None:
        mean = sum(self.units) / len(self.units)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        places = sorted((self.seconds + self.shared).items())
        rows = [f"{place},{seconds:.2f},{seconds / mean:.2f}\n" for place, seconds in places]
        self.file.write_text("file,mark,seconds,units\n" + "".join(rows), encoding="utf-8")


def pytest_addoption(parser):
    parser.addoption("--cpu", type=Path, metavar="FILE", help="write the CPU time of each file of tests")


def pytest_configure(config):
    if file := config.getoption("cpu"):
        config.pluginmanager.register(Meter(file))


def measured(file: Path) -> dict[tuple[str, str], float]:
    """Units by file and mark."""
    with file.open(encoding="utf-8") as lines:
        return {(row["file"], row["mark"]): float(row["units"]) for row in csv.DictReader(lines)}


def by_place(units: dict[tuple[str, str], float]) -> dict[str, float]:
    """Units of each command and of each file."""
    result = Counter(dict.fromkeys(COMMANDS, 0.0))
    in_quick = set(quick.files())
    for (file, mark), value in units.items():
        result[file] += value
        result["make test-all"] += value
        result["make test"] += value * (mark == "")
        result["make quick"] += value * (mark == "" and (file in in_quick or file == "collection"))
    return dict(result)


def metric(file: str) -> str:
    """The folder of a metric's tests; nothing for other files."""
    parts = Path(file).parts
    return "/".join(parts[:3]) if parts[:2] == ("tests", "metrics") and len(parts) > 3 else ""


def grown(units: dict[str, float], granted: dict[str, float]) -> list[str]:
    """A sentence for each command, file and new metric that takes more than it may."""
    known = {metric(file) for file in granted}
    new = Counter()
    for place, value in units.items():
        new[metric(place)] += value
    limits = {place: COMMANDS.get(place) or granted.get(place, LEAST) for place in units}
    limits |= {folder: METRIC for folder in new if folder and folder not in known}
    taken = units | {folder: new[folder] for folder in limits.keys() - units.keys()}
    return [
        f"{place}: {taken[place]:.1f} units of CPU time (imports of torch and transformers); it may take {limit:.1f}."
        for place, limit in limits.items()
        if taken[place] > limit
    ]


def grants(units: dict[str, float]) -> dict[str, float]:
    files = {place: value for place, value in units.items() if place not in COMMANDS}
    return {place: round(max(LEAST, ROOM * value, value + IMPORTS), 1) for place, value in files.items()}


def main(action: str, file: str) -> None:
    units = by_place(measured(Path(file)))
    if action == "write":
        rows = [f"{place},{value}\n" for place, value in sorted(grants(units).items())]
        GRANTED.write_text("file,units\n" + "".join(rows), encoding="utf-8")
        return
    with GRANTED.open(encoding="utf-8") as lines:
        sentences = grown(units, {row["file"]: float(row["units"]) for row in csv.DictReader(lines)})
    print(*(f"{command}: {units[command]:.0f} of {limit:.0f} units" for command, limit in COMMANDS.items()), sep="\n")
    sys.exit("\n".join(sentences) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
