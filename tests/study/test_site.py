"""The site (docs/conf.py) as `make docs` builds it, but for the notebook, which tests/workflow/test_pages.py runs."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import ROOT

pytestmark = [
    pytest.mark.slow,  # builds the site (half a minute)
    pytest.mark.skipif(importlib.util.find_spec("furo") is None, reason="`make docs` installs what it is built with"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Every link that leads nowhere, and every docstring that cannot be read, ends the build."""
    folder = tmp_path_factory.mktemp("site") / "html"
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-D", "nb_execution_mode=off"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".site")}
    done = subprocess.run([*build, ".", folder], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_can_be_reached_from_the_first(site):
    first = (site / "index.html").read_text()
    pages = [*Path("docs").glob("*.md"), *Path("docs").glob("*.ipynb"), Path("config/README.md"), Path("CHANGELOG.md")]
    assert [page for page in pages if f'href="{page.with_suffix(".html")}"' not in first] == []
    metrics = (site / "docs/metrics/README.html").read_text()
    assert [page for page in Path("docs/metrics").glob("*.md") if page.with_suffix(".html").name not in metrics] == []


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|iframe|link rel=\"stylesheet\")[^>]*(?:src|href)=\"(\w+:)?//", page.read_text()
        )
        assert loaded == [], page


def test_the_reference_comes_from_docstrings(site):
    page = (site / "docs/api.html").read_text()
    assert 'id="herbarium.api.score"' in page
    assert "natural logarithms; nan for a text that cannot be scored" in " ".join(page.split())


def test_the_gallery_has_the_figures_of_the_demo_or_says_that_there_are_none(site):
    page = re.sub(r"<[^>]*>", "", (site / "docs/gallery.html").read_text())  # code is highlighted by tags
    figures = [path.stem for path in Path("results/demo/figures").glob("*.svg")]
    assert all(f"snakemake results/demo/figures/{name}.svg" in page for name in figures)
    assert ("without the results of the demo" in page) == (not figures)
