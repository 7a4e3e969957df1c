"""The site (`make docs`): the pages of the project as they stand. Sphinx starts at the root of the project."""

import posixpath
import re
import shutil
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow/scripts"), str(ROOT / "docs")]

project, author = "Herbarium", "the authors of Herbarium"
extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["[A-Z]*.md", "config/README.md", "docs/**"]
exclude_patterns = ["docs/*.py", "docs/**/*.csv"]

highlight_language = "text"  # commands, unless a fence says what it has
html_theme = "furo"
html_title = "Herbarium"
html_show_sourcelink = False


def anchor(heading):
    """What a link names a heading by, as on GitHub."""
    characters = (c for c in heading.lower() if c in "-_ " or c.isdecimal() or unicodedata.category(c)[0] in "LM")
    return "".join(characters).replace(" ", "-")


myst_heading_anchors = 4
myst_heading_slug_func = "conf.anchor"
suppress_warnings = ["misc.highlighting_failure"]  # commands with … in them, YAML that is a part of a file

nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_output_stderr = "remove"  # how far something is

autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

MOST_WORDS = 1500  # of prose, on a page
DEMO = ROOT / "results/demo"
FRAME = """
## The page

```{raw} html
<p><a href="../demo/index.html">Open it by itself.</a></p>
<iframe src="../demo/index.html" title="The demo's page" loading="lazy" style="width: 100%; height: 80vh"></iframe>
```
"""
LINK = re.compile(r"\]\(([\w./-]+)\.(?:md|ipynb)\)")


def tables():
    """The tables of links in docs/README.md, each as its title and the pages."""
    text = (ROOT / "docs/README.md").read_text().partition("\n## ")[0]
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        yield table.splitlines()[0].strip("| "), [posixpath.normpath(f"docs/{page}") for page in LINK.findall(table)]


def toctree(title, pages):
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}" if title else "", "", *pages, "```", ""])


def complete(_, page, source):
    """Add what GitHub would show as code: navigation, as the tables of docs/README.md have it, and docstrings."""
    if page == "README":
        trees = [toctree(title.capitalize(), pages) for title, pages in tables()]
        source[0] += toctree("", ["docs/README"]) + "".join(trees)
    if page == "docs/metrics/README":
        source[0] += toctree("", sorted(path.stem for path in (ROOT / "docs/metrics").glob("[a-z]*.md")))
    if page == "docs/api":
        modules = re.findall(r"`(herbarium\.[\w.]+)`", source[0])
        source[0] += "".join(f"\n## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n```\n" for module in modules)
    if page == "docs/gallery":
        source[0] += gallery()


def gallery():
    """The demo's page, and each of its figures with what draws it anew; a sentence where there is no demo."""
    figures = sorted((DEMO / "figures").glob("*.svg"))
    if not figures:
        return "\nThis site was built without the results of the demo, and so without its figures.\n"
    shown = [
        f"\n## {figure.stem}\n\n![The figure {figure.stem} of the demo](/{figure.relative_to(ROOT)})\n\n"
        f"```\nsnakemake {figure.relative_to(ROOT)} --cores 8 --configfile config/demo.yaml\n```\n"
        for figure in figures
    ]
    return FRAME + "".join(shown)


def as_markup(command):
    """Code between backticks as reStructuredText has it, and any other sign of that as itself."""
    return f"\\ ``{command['code']}``" if command["code"] else f"\\{command['sign']}"


def as_written(_app, _what, _name, _object, _options, lines):
    """Docstrings are plain text, of which lists, and what is indented, keep their lines."""
    written = []
    for line in lines:
        is_listed = line.startswith(("- ", " "))
        if written and is_listed != written[-1].startswith("| "):
            written.append("")
        text = re.sub(r"`(?P<code>[^`]+)`|(?P<sign>[\\*|_`])", as_markup, line)
        written.append(f"| {text}" if is_listed else text)
    lines[:] = written


def check_length(_, doctree):
    """Warn of a page that nobody will read to its end; tables, keys, docstrings and the changelog are looked up."""
    from docutils import nodes  # `make docs` installs it
    from sphinx.util import logging

    page = Path(doctree["source"])
    if page.name.startswith(("CHANGELOG", "api")) or page.parent.name == "config":
        return
    n_words = sum(
        len(paragraph.astext().split())
        for paragraph in doctree.findall(nodes.paragraph)
        if not isinstance(paragraph.parent, nodes.entry)
    )
    if n_words > MOST_WORDS:
        logging.getLogger(__name__).warning(
            "%d words of prose; a page has at most %d.", n_words, MOST_WORDS, location=str(page)
        )


def add_pages(app, error):
    """The page that a browser looks for, and that of the demo."""
    if error is None and app.builder.format == "html":
        shutil.copy(Path(app.outdir, "README.html"), Path(app.outdir, "index.html"))
        if (DEMO / "report/index.html").exists():
            Path(app.outdir, "demo").mkdir(exist_ok=True)
            shutil.copy(DEMO / "report/index.html", Path(app.outdir, "demo"))


def setup(app):
    app.connect("source-read", complete)
    app.connect("autodoc-process-docstring", as_written)
    app.connect("doctree-read", check_length)
    app.connect("build-finished", add_pages)
