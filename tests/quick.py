"""Which tests `make quick` runs: those that find most faults in a second or, of edited files, those of their rooms.

python tests/quick.py [FILE…] prints them.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

TESTS = Path("tests")
LIBRARY = ("workflow", "scripts", "herbarium")
# Equations, contracts over all metrics, statistics, verdicts, assembly, planning.
FILES = (
    "metrics/*/test_score.py",
    "metrics/test_contract.py",
    "statistics/test_*.py",
    "report/test_answers.py",
    "study/test_assembly.py",
    "scoring/test_asked.py",
    "scoring/test_passes.py",
    "scoring/test_sharing.py",
)


def files() -> list[str]:
    return sorted(str(path) for pattern in FILES for path in TESTS.glob(pattern))


def room(file: Path) -> Path:
    """The tests of a file's room, by its path from the root; all of a study's where it has no room."""
    parts = file.parts
    if parts[0] == "tests":
        return file if file.name.startswith("test_") else file.parent
    if parts[:3] == LIBRARY:
        below = parts[3:-1]
        return TESTS.joinpath(*below[: 2 if below[:1] == ("metrics",) else 1]) if below else TESTS / "test_api.py"
    metrics = sorted((TESTS / "metrics").glob("*/"), key=lambda folder: -len(folder.name))
    named = next((folder for folder in metrics if folder.name in str(file)), None)
    if named:  # its rules, scripts, resources, page
        return named
    if parts[0] in ("docs", "studies") or file.suffix == ".md":
        return TESTS / ("studies" if parts[0] == "studies" else "study/test_docs.py")
    return TESTS / ("workflow" if parts[0] in ("workflow", "Snakefile", "profiles") else "study")


def rooms(edited: Iterable[str]) -> list[str]:
    return sorted({str(room(Path(file).resolve().relative_to(Path.cwd()))) for file in edited})


if __name__ == "__main__":
    print(*(rooms(sys.argv[1:]) or files()))
