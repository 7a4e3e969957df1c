"""Who may import whom: the plan of the house, read from the imports."""

import re
from pathlib import Path

import pytest

from herbarium.core.provenance import imported_names

SCRIPTS = Path("workflow/scripts")
LIBRARY = SCRIPTS / "herbarium"
METRICS = sorted(path.parent.name for path in LIBRARY.glob("metrics/*/section.py"))
# What each room may import besides itself and core. Whatever is not here may be imported by the assemblies alone.
ROOMS = {
    "core": set(),
    "regions": {"drawing"},
    "drawing": {"regions"},
    "models": {"scoring", "regions"},
    "scoring": {"models"},
    "statistics": {"models", "scoring", "regions"},
    "decisions": {"regions"},
    "training": {"models", "scoring", "statistics", "regions"},
    "vectors": {"models", "scoring"},
    "report": {"drawing", "statistics", "regions"},
    "page": {"report", "drawing", "statistics", "study"},
    "metrics": {"models", "scoring", "training", "statistics", "regions", "drawing", "report", "vectors", "decisions"},
    "study": {"models", "regions", "scoring", "statistics", "training", "drawing", "vectors"},
    "api": {"models", "scoring"},
    "__init__": {"api", "study"},
    "command": {"api", "study"},
    "__main__": {"command"},
}
# Where sections and targets come together.
ASSEMBLIES = {"study/config.py": "section", "study/targets.py": "targets"}
FILES = sorted(LIBRARY.rglob("*.py"))


def ours(file: Path) -> list[list[str]]:
    """What a file imports of the library, as the parts of its name."""
    names = [name.split(".")[1:] for name in imported_names(file) if name.startswith("herbarium.")]
    return [parts for parts in names if (LIBRARY / parts[0]).is_dir() or (LIBRARY / f"{parts[0]}.py").is_file()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(LIBRARY)))
def test_a_room_imports_those_below_it(file):
    place = file.relative_to(LIBRARY)
    room = place.parts[0].removesuffix(".py")
    for first, *rest in ours(file):
        if first in ("core", room):
            continue
        if place.as_posix() in ASSEMBLIES and first == "metrics":
            assert rest[1:2] in ([], [ASSEMBLIES[place.as_posix()]]), rest
            continue
        assert first in ROOMS[room], f"{place} imports {first}"


@pytest.mark.parametrize(
    "file", sorted(LIBRARY.glob("metrics/**/*.py")), ids=lambda file: str(file.relative_to(LIBRARY))
)
def test_a_metric_imports_no_other(file):
    own = file.relative_to(LIBRARY / "metrics").parts[0]
    others = {rest[0] for first, *rest in ours(file) if first == "metrics" and rest} - {own}
    assert others == set()


@pytest.mark.parametrize("file", sorted(SCRIPTS.glob("*.py")), ids=lambda file: file.name)
def test_a_script_imports_neither_sections_nor_targets(file):
    names = [".".join(parts) for parts in ours(file)]
    assert [name for name in names if re.search(r"\b(section|targets|study\.config)\b", name)] == []


def test_nothing_imports_scripts_or_snakemake():
    scripts = {path.stem for path in SCRIPTS.glob("*.py")}
    for file in FILES:
        assert not {name.split(".")[0] for name in imported_names(file)} & {*scripts, "snakemake"}, file


def test_rooms_are_those_of_the_plan():
    found = {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert found == ROOMS.keys() - {"api", "__init__", "__main__"}
