"""The documentation says what the code does."""

import importlib.util
import re
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("generate", "docs/generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


@pytest.mark.parametrize("page", generate.PAGES, ids=str)
def test_generated_parts_are_up_to_date(page):
    assert page.read_text() == generate.generated(page), f"{page} differs from the code; `make docs` writes it anew"


def test_every_installed_package_has_a_licence():
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", Path("envs/constraints.txt").read_text(), re.MULTILINE))
    page = Path("docs/licences.md").read_text()
    listed = {
        name: (version, licence)
        for name, version, licence in re.findall(r"^\| (\S+) \| (\d\S*) \| (.*?) \|", page, re.MULTILINE)
    }
    assert {name: version for name, (version, _) in listed.items() if name != "torch"} == pins
    assert "torch" in listed
    assert [name for name, (_, licence) in listed.items() if not licence.strip()] == []
    in_r = re.search(r"^R_PACKAGES=\((.*)\)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1].split()
    assert re.findall(r"^\| ([\w.]+) \| [^|]*\w[^|]* \|$", page, re.MULTILINE)[-len(in_r) :] == in_r


def test_make_targets_of_the_readme_exist():
    targets = set(re.findall(r"^(\w+):", Path("Makefile").read_text(), re.MULTILINE))
    pages = Path("README.md").read_text() + Path("config/README.md").read_text()
    named = set(re.findall(r"^make (\w+)$", pages, re.MULTILINE)) | set(re.findall(r"`make (\w+)`", pages))
    assert {"demo", "test"} <= named <= targets


@pytest.mark.parametrize("page", ["README.md", *map(str, Path("docs").glob("*.md")), "config/README.md"])
def test_files_that_a_page_names_exist(page):
    text = Path(page).read_text()
    links = [Path(page).parent / target for target in re.findall(r"\]\((?!http)([^)#]+)\)", text)]
    named = [Path(file) for file in re.findall(r"`((?:config|docs|envs|resources|workflow|profiles)/[\w./-]+)`", text)]
    assert [str(path) for path in links + named if not path.exists() and "lock" not in path.name] == []
