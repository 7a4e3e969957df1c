"""The pinned data sets, models and repositories that the documentation and the studies name can be read."""

import re
import socket
from pathlib import Path

import pytest
import yaml

from herbarium.metrics.amplification import published
from herbarium.metrics.interventions import lei
from herbarium.metrics.interventions.stimuli import read_subjects
from herbarium.metrics.languages import lists
from herbarium.metrics.sentence_sets import winobias
from herbarium.models import hub, sources
from herbarium.study import catalogue

PAGES = [Path("README.md"), *sorted(Path("docs").rglob("*.md")), *sorted(Path("config").rglob("*.[my]*"))]
_COMMIT = re.compile(r"\brevision: *[\"']?[0-9a-f]{40}\b")
_IN_BRACES = re.compile(rf"\{{[^{{}}]*{_COMMIT.pattern}[^{{}}]*\}}")
# An example that shows how an entry is written.
MADE_UP = "0123456789012345678901234567890123456789"


def entries(text):
    """The entries of a page that have a commit: in braces, or a key on each line, with the same indentation."""
    written, lines = _IN_BRACES.findall(text), _IN_BRACES.sub("", text).split("\n")
    for number in (number for number, line in enumerate(lines) if _COMMIT.search(line)):
        indentation = re.match(" *", lines[number])[0]
        begins = [at for at in range(number + 1) if not lines[at].startswith(indentation) or not lines[at].strip()]
        ends = [
            at for at in range(number, len(lines)) if not lines[at].startswith(indentation) or not lines[at].strip()
        ]
        inside = lines[max(begins, default=-1) + 1 : min(ends, default=len(lines))]
        written.append("\n".join(line for line in inside if re.match(rf"{indentation}\w+:", line)))
    return list(map(yaml.safe_load, written))


ADDRESSES = {
    f"{page}: {entry.get('hub') or entry.get('git')}": entry
    for page in PAGES
    for entry in entries(page.read_text(encoding="utf-8"))
    if entry["revision"] != MADE_UP
}


def test_the_addresses_of_the_documentation_are_found():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(entries(text)) == len(_COMMIT.findall(text)), page
    assert {"hub", "git"} == {key for entry in ADDRESSES.values() for key in ("hub", "git") if key in entry}
    entry = {"git": "https://example.org/r", "revision": "c" * 40, "table": "a"}
    shown = [
        "a: 1\n  t:\n    git: https://example.org/r\n    revision: " + "c" * 40 + "   # said\n    table: a\n\nb: 2",
        'd: {git: "https://example.org/r", revision: ' + "c" * 40 + ", table: a}",
    ]
    assert [entries(text) for text in shown] == [[entry], [entry]]


@pytest.mark.network
@pytest.mark.parametrize("name", catalogue.names())
def test_a_set_of_the_catalogue_is_what_its_card_says(network, name):
    card = catalogue.card(name)
    assert card.read().sentences["set"].nunique() == card.items


def rows(entry):
    """How many rows, pairs or questions a repository holds where an entry says, by the reader of their form."""
    if "texts_in" in entry:
        return len(sources.read({"hub": None, "path": None} | entry)[None])
    form, name = entry.get("format"), entry.get("table") or entry.get("file") or entry["lists"]
    path = sources.in_repository(entry["git"], entry["revision"], name)
    if "file" in entry:
        return len(read_subjects(path, entry["mark"]))
    if "lists" in entry:
        return len(lists.read(path, form, entry["code"]).occupations)
    if form == "lei":
        return len(lei.read(path))
    return len(published.read_rates(path)) if path.suffix == ".csv" else len(winobias.read(winobias.files(path))) // 2


# What a page says of their number.
COUNTS = {"https://github.com/uclanlp/corefBias": 1565, "https://github.com/allenai/unqover": 69}


@pytest.fixture(scope="session")
def network():
    """Tests that need it are skipped elsewhere."""
    try:
        socket.create_connection(("github.com", 443), timeout=5).close()
    except OSError:
        pytest.skip("there is no network")
    if hub.is_offline():
        pytest.skip(hub.OFFLINE)


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("entry", ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_has_what_is_said_of_it(network, entry):
    if "git" in entry:
        assert rows(entry) == COUNTS.get(entry["git"], rows(entry)) > 0
    else:
        kind = hub.MODEL if "kind" in entry else hub.DATASET
        assert hub.fault(entry["hub"], entry["revision"], kind, ["README.md"]) is None
