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
    "regions": set(),
    "drawing": set(),
    "models": set(),
    "scoring": {"models"},
    "statistics": {"models", "scoring", "regions"},
    "decisions": {"statistics", "regions"},
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
ASSEMBLIES = {"study/config.py": ("section",), "study/targets.py": ("targets", "metric")}
FILES = sorted(LIBRARY.rglob("*.py"))


def ours(file: Path) -> list[list[str]]:
    """What a file imports of the library, as the parts of its name."""
    names = [name.split(".")[1:] for name in imported_names(file) if name.startswith("herbarium.")]
    return [parts for parts in names if (LIBRARY / parts[0]).is_dir() or (LIBRARY / f"{parts[0]}.py").is_file()]


def is_allowed(place: Path, first: str, rest: list[str]) -> bool:
    """Whether a file of the library, at its place in it, may import `first.rest`."""
    room = place.parts[0].removesuffix(".py")
    if place.as_posix() in ASSEMBLIES and first == "metrics":
        return rest[1:2] in ([], *([module] for module in ASSEMBLIES[place.as_posix()]))
    if room == first == "metrics":
        return rest[:1] in ([], [place.parts[1]])
    return first in ("core", room, *ROOMS[room])


@pytest.mark.slow
def test_a_room_imports_those_below_it_and_a_metric_no_other():
    imports = [(file.relative_to(LIBRARY), *parts) for file in FILES for parts in ours(file)]
    assert len(imports) > 1000
    assert [(str(place), first, *rest) for place, first, *rest in imports if not is_allowed(place, first, rest)] == []


def test_what_is_not_allowed_is_noticed():
    assert not is_allowed(Path("core/store.py"), "models", ["hub"])
    assert not is_allowed(Path("metrics/herb/score.py"), "metrics", ["downstream", "score"])
    assert not is_allowed(Path("study/config.py"), "metrics", ["herb", "score"])


def test_a_script_imports_neither_sections_nor_targets():
    names = [(file.name, ".".join(parts)) for file in sorted(SCRIPTS.glob("*.py")) for parts in ours(file)]
    assert len(names) > 500
    assert [name for name in names if re.search(r"\b(section|targets|metric|study\.config)\b", name[1])] == []


@pytest.mark.slow
def test_nothing_imports_scripts_or_snakemake():
    others = {"snakemake", *(path.stem for path in SCRIPTS.glob("*.py"))}
    assert [(file.name, name) for file in FILES for name in imported_names(file) if name.split(".")[0] in others] == []


def test_rooms_are_those_of_the_plan():
    rooms = {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == ROOMS.keys() - {"api", "__init__", "__main__"}
