"""The documentation says what the code does: links, commands and studies lead somewhere."""

import importlib.util
import re
import shlex
import unicodedata
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from snakemake import cli
from tests.metrics.cards import cards
from tests.pages import ROOT, SHELL, blocks
from tests.sets import imitate

from herbarium.command import main as command_line
from herbarium.page.glossary import terms
from herbarium.study import config, stand_ins, targets
from herbarium.study.config import Study

spec = importlib.util.spec_from_file_location("generate", "docs/generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)

PAGES = ["README.md", "CONTRIBUTING.md", "config/README.md", *sorted(map(str, Path("docs").rglob("*.md")))]
MAKE_TARGETS = set(re.findall(r"^([\w-]+):", Path("Makefile").read_text(), re.MULTILINE))
RULES = {
    rule
    for file in (Path("workflow/Snakefile"), *Path("workflow/rules").glob("*.smk"))
    for rule in re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE)
} | {metric.FILES.metric for metric in targets.METRICS}


@pytest.mark.slow
@pytest.mark.parametrize("page", generate.PAGES, ids=str)
def test_generated_parts_are_up_to_date(page):
    assert page.read_text() == generate.generated(page), f"{page} differs from the code; `make docs` writes it anew"


@pytest.mark.parametrize("picture", generate.PICTURES, ids=str)
@pytest.mark.slow
def test_drawn_parts_are_up_to_date(picture, tmp_path):
    drawn = tmp_path / picture.name
    generate.style.save(generate.PICTURES[picture](), [drawn])
    assert picture.read_bytes() == drawn.read_bytes(), f"{picture} differs from its table; `make docs` draws it anew"


def test_every_entry_between_the_results_is_explained():
    library = Path("workflow/scripts/herbarium")
    named = ("targets.py", "metric.py", "core/shared.py", "core/steps.py")
    files = [*Path("workflow/rules").glob("*.smk"), *(file for name in named for file in library.rglob(name))]
    entries = {entry for file in files for entry in re.findall(r"(?:<|\.)work[>}]/([\w.]+)", file.read_text())}
    assert len(entries) > 30
    page = Path("docs/results.md").read_text()
    assert [entry for entry in sorted(entries) if f"`{entry}" not in page] == []


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


# --- links ---


def prose(page):
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", Path(page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """What a link can name in a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    kept = ["".join(c for c in heading.lower() if c in "-_ " or _is_word(c)) for heading in headings]
    return {text.replace(" ", "-") for text in kept}


def _is_word(character):
    return unicodedata.category(character)[0] in "LM" or character.isdecimal()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_a_file_and_a_heading(page):
    lost = []
    for link in re.findall(r"\]\((?!http)([^)\s]+)\)", prose(page)):
        file, _, anchor = link.partition("#")
        path = (Path(page).parent / file).resolve().relative_to(ROOT) if file else Path(page)
        if not path.exists() or (anchor and anchor not in anchors(path)):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_exist(page):
    named = re.findall(r"`((?:config|docs|envs|resources|workflow|profiles|tests)/[\w./-]+)`", prose(page))
    written_files = {block.file for block in blocks(page)}
    assert [
        file for file in named if file not in written_files and not Path(file).exists() and "lock" not in file
    ] == []


# Names of other software, and of the metric that docs/your_metric.md makes.
ELSEWHERE = {
    *("crows_pairs_english", "default_language", "gpu_model", "label_type", "likelihood_diff", "modules_to_save"),
    *("pct_stereotype", "slurm_extra", "topic_lean_numbers"),
}


@pytest.fixture(scope="module")
def names_in_code():
    """Words of code, configuration and profiles; tables and figures, with the metric in front."""
    code = [path for folder in ("workflow", "config", "profiles") for path in Path(folder).rglob("*.*")]
    texts = [path.read_text() for path in code if path.suffix in (".py", ".smk", ".yaml", ".R")]
    files = {
        f"{metric}_{name}"
        for metric, module in generate.MEASURED.items()
        for names in vars(targets.DECLARED.get(metric, module)).values()
        if isinstance(names, dict)
        for name in names
    }
    return files | set(re.findall(r"\w+", "\n".join(texts)))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_columns_keys_and_tables_that_a_page_names_exist(page, names_in_code):
    """Names with an underscore; those that the code puts together stand on the cards, which are compared with it."""
    named = re.findall(r"(?:`(?=[a-z]\w*`)|(?:tables|figures)/)(\w+_\w+)", prose(page))
    known = names_in_code | ELSEWHERE | set(cards(Path(page).stem).to_numpy().ravel() if "metrics/" in page else ())
    assert sorted(set(named) - known) == []


def test_every_page_is_listed():
    linked = set(re.findall(r"\]\(([\w.]+)\)", Path("docs/README.md").read_text()))
    pages = {path.name for path in Path("docs").iterdir() if path.suffix in (".md", ".ipynb")}
    assert pages - {"README.md"} <= linked


def test_every_metric_has_its_page_and_every_page_is_listed():
    linked = set(re.findall(r"\]\((\w+)\.md\)", Path("docs/metrics/README.md").read_text()))
    metrics = {path.parent.name for path in Path("workflow/scripts/herbarium/metrics").glob("*/section.py")}
    assert metrics == linked == {path.stem for path in Path("docs/metrics").glob("*.md")} - {"README"}


# --- the first screen ---

SCREEN = 250  # words
_SHOWN = re.compile(r"^ *(?:```|\| |!\[)", re.MULTILINE)  # a block of code, a table, a picture


def words_at_first(text):
    """How many words come before the first table, figure or command; of a page without any, all."""
    return len(_SHOWN.split(text, maxsplit=1)[0].split())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_something_on_its_first_screen(page):
    assert words_at_first(Path(page).read_text(encoding="utf-8")) <= SCREEN


# --- commands ---


def commands(page):
    """Every command of a page's shell blocks, and those in its text that begin with make, snakemake or herbarium."""
    lines = [line for block in blocks(page) if block.language in SHELL for line in block.text.splitlines()]
    lines += [" ".join(span.split()) for span in re.findall(r"`((?:make|snakemake|herbarium) [^`]+)`", prose(page))]
    for line in lines:
        for command in re.split(r"&&|\|\||[|;]", line.replace("…", "")):
            words = shlex.split(command, comments=True)
            while words and re.match(r"^\w+=", words[0]):  # a variable of the environment
                words.pop(0)
            if words:
                yield words


def absent(command, page_files):
    """What a command names that is not there. page_files: files that the page itself has."""
    program, *arguments = command
    if program == "make":
        return [target for target in arguments if target not in MAKE_TARGETS and "=" not in target]
    if program == "snakemake":
        try:
            given = cli.get_argument_parser().parse_args(arguments)
        except SystemExit:
            return [" ".join(command)]
        targets = [*given.targets, *given.forcerun, *given.until, *given.omit_from]
        files = [*given.configfile, *(given.profile or [])]
        return [name for name in targets if name not in RULES and not name.startswith("results/")] + [
            str(file) for file in files if not Path(file).exists() and not is_yours(str(file), page_files)
        ]
    if program == "herbarium":
        try:
            command_line.parse(list(takewhile(lambda word: word not in ("<", ">"), arguments)))
        except SystemExit:
            return [" ".join(command)]
    if program in ("python", "pytest", "source", "bash"):
        files = [argument for argument in arguments if "/" in argument and not argument.startswith("-")]
        files = [file for file in files if not file.startswith((".venv/", ".snakemake/", "results/"))]
        return [file for file in files if not Path(file.partition("::")[0]).exists() and file not in page_files]
    return []


def is_yours(file, page_files):
    written = {str(stand_ins.FOLDER / f"{name}.yaml") for name in stand_ins.SIZES}  # by `make stand-ins`
    return file in page_files | written or file.startswith("my")


@pytest.mark.parametrize("page", PAGES)
def test_commands_name_what_exists(page):
    written_files = {block.file for block in blocks(page)}
    if page == "docs/your_metric.md":
        written_files |= {block.file for block in blocks("docs/first_hour.md")}
    assert [(command, lost) for command in commands(page) if (lost := absent(command, written_files))] == []


def test_commands_are_looked_at():
    assert ["make", "demo"] in commands("README.md")
    for wrong in (
        *("make dem", "snakemake herbs", "herbarium rum", "herbarium verify results -- -n", "snakemake --corse 2"),
        *("snakemake --profile profiles/slurmm", "pytest tests/no.py"),
    ):
        assert absent(wrong.split(), set())


# --- studies ---

# What a reader brings along.
TABLES = {
    "data/tickets.csv": "message,label\nlate,0\n",
    "crows_pairs_anonymized.csv": "sent_more,sent_less,stereo_antistereo,bias_type\nA b.,A c.,stereo,age\n",
}
STUDIES = [
    (page, number, block.text)
    for page in PAGES
    for number, block in enumerate(blocks(page))
    if block.language == "yaml" and yaml.safe_load(block.text).keys() <= Study.model_fields.keys()
]


def test_studies_are_found():
    assert {"docs/first_hour.md", "docs/your_regions.md", "docs/your_language.md", "config/README.md"} <= {
        page for page, *_ in STUDIES
    }


@pytest.mark.slow
@pytest.mark.parametrize(("page", "number", "text"), STUDIES, ids=lambda value: str(value)[:30])
def test_a_study_of_a_page_is_valid(page, number, text, tmp_path, monkeypatch):
    """A whole one as it stands; a part of one with the models of the full study."""
    clone = tmp_path / "clone"  # what stands in ../ stands beside it
    files = {
        block.file: block.text for block in blocks(page) if block.file and block.language in ("csv", "text", "python")
    }
    for name, content in (TABLES | files).items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(content, encoding="utf-8")
    (clone / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(clone)
    values = yaml.safe_load(text)
    if "models" not in values:
        values["models"] = yaml.safe_load((ROOT / "config/core.yaml").read_text())["models"]
        values.get("herb", {}).setdefault("models", ["bert-base-cased"])
    config.load(imitate(values, clone))


# --- glossary ---


def test_the_glossary_is_short_sorted_and_of_terms_in_use():
    names = [term.term for term in terms()]
    assert len(names) <= 40
    assert names == sorted(names, key=str.casefold)
    elsewhere = "\n".join(Path(page).read_text(encoding="utf-8") for page in PAGES if page != "docs/glossary.md")
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}", elsewhere, re.IGNORECASE)] == []
