"""The site as `make docs` left it, where a link that leads nowhere, or a docstring that cannot be read, is an error."""

import re
from pathlib import Path

import pytest


@pytest.fixture
def site():
    folder = Path("results/site/html")
    if not (folder / "index.html").exists():
        pytest.skip("`make docs` builds the site")
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
    assert "natural logarithms; nan for a text that is refused" in " ".join(page.split())


def test_the_gallery_has_the_figures_of_the_demo_or_says_that_there_are_none(site):
    gallery = site / "docs/gallery.html"
    page = re.sub(r"<[^>]*>", "", gallery.read_text())  # code is highlighted by tags
    built = gallery.stat().st_mtime
    figures = [path.stem for path in Path("results/demo/figures").glob("*.svg") if path.stat().st_mtime < built]
    assert all(f"snakemake results/demo/figures/{name}.svg" in page for name in figures)
    assert ("without the results of the demo" in page) == (not figures)
