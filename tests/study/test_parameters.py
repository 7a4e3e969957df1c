"""The tables of config/README.md: every key is described once, in short notation."""

import re
import typing
from collections import Counter
from pathlib import Path

import pytest

from herbarium.metrics.amplification.section import Amplification
from herbarium.metrics.herb.section import Herb
from herbarium.metrics.mixed_effects.section import MixedEffects
from herbarium.metrics.sentence_sets.columns import Columns
from herbarium.models.recipes import Continued, Derived
from herbarium.models.section import Model
from herbarium.statistics.section import MixedTests
from herbarium.study import notation, parameters
from herbarium.study.config import Study
from herbarium.study.keys import BRANCH, branch, keys, sections_of
from herbarium.vectors.section import Source

PAGE = Path("config/README.md").read_text()
RECIPES = [branch(section) for section in sections_of(Derived.model_fields["by"].annotation)]
KEY = r"`([^`]+)`(?: \(([^)]*)\))?"  # with what is in brackets behind it


def rows(page):
    """(heading, first cell, second cell) of each row."""
    for heading, below in re.findall(r"^### (.+)\n((?:(?!###).*\n)*)", page, re.MULTILINE):
        for first, second in re.findall(r"^\| ([`\[].+?) \| (.*) \|$", below, re.MULTILINE):
            yield heading.strip("`"), first, second


def described(page):
    """How often each (top-level section, key in it, recipe) is described, in its table or where that leads."""
    here = [
        (heading, *re.match(KEY, first).groups(""), second) for heading, first, second in rows(page) if first[0] == "`"
    ]
    of_heading = {heading: [row[1] for row in here if row[0] == heading] for heading, *_ in here}
    mentioned = []  # heading, keys, what is in brackets behind them
    for heading, key, in_brackets, meaning in here:
        switches = re.search(r"^\*boolean\*.*: ((?:`\w+`,? ?)+)\.$", meaning)
        names = [f"{key}.{name}" for name in re.findall(r"\w+", switches[1])] if switches else [key]
        mentioned.append((heading, names, in_brackets))
    for heading, first, second in rows(page):
        if link := re.fullmatch(r"\[(.+)\]\(#.+\)", first):
            for key, in_brackets in re.findall(KEY, second):
                is_one = key.rpartition(".")[2] in of_heading[link[1]]
                names = [key] if is_one else [f"{key}.{name}" for name in of_heading[link[1]]]
                mentioned.append((heading, names, in_brackets))
    return Counter(
        (heading, name, recipe)
        for heading, names, in_brackets in mentioned
        for name in names
        for recipe in recipes(in_brackets)
    )


def recipes(in_brackets):
    """Those that a key is of; of any other key, none."""
    return [recipe for recipe in RECIPES if f"`{recipe}`" in in_brackets] or [""]


def every_key(fields, top, place="", recipe=""):
    for key, field in fields.items():
        inner = sections_of(field.annotation)
        if not inner and not (recipe and key == BRANCH):
            yield top, f"{place}{key}", recipe
        named = ".{name}" if typing.get_origin(field.annotation) is dict else ""
        for section in inner:
            of_one = branch(section) if len(inner) > 1 else recipe
            yield from every_key(keys(section), top, f"{place}{key}{named}.", of_one)


def of_study():
    """Every key of the configuration, as on the page."""
    for name, field in keys(Study).items():
        if not (sections := sections_of(field.annotation)):
            yield "The study", name, ""
        for section in sections:
            yield from every_key(keys(section), name)
    yield "models", f"derived.by.{BRANCH}", ""


def test_every_key_is_described_once():
    times, wanted = described(PAGE), set(of_study())
    assert len(wanted) > 400
    assert {key: times[key] for key in wanted if times[key] != 1} == {}


def test_a_key_that_is_missing_or_described_twice_is_noticed():
    row = next(line for line in PAGE.splitlines() if line.startswith("| `shards` |"))
    assert described(PAGE.replace(row, ""))["The study", "shards", ""] == 0
    assert described(PAGE.replace(row, f"{row}\n{row}"))["The study", "shards", ""] == 2
    linked = next(line for line in PAGE.splitlines() if line.startswith("| [Fine-tuning](#fine-tuning) |"))
    assert described(PAGE.replace(linked, ""))["downstream", "training.patience", ""] == 0


def test_every_key_is_explained():
    kind = r"\*[^*]+\*(?: \([^)]+\)|, required)?\."
    silent = [row for row in rows(PAGE) if re.fullmatch(kind, row[2])]
    assert silent == []


def test_notes_stay_below_their_tables():
    before = (
        "### `herb`\n\nOld.\n\n| key | meaning |\n|---|---|\n| `old` | *text*. Old. |\n\nA note.\n\n- And another.\n"
    )
    tables = parameters.tables(before)
    assert re.search(r"^### `herb`\n\n.+\n\n(?:\|.*\n)+\nA note\.\n\n- And another\.\n\n### ", tables, re.MULTILINE)
    assert "Old" not in tables
    with pytest.raises(ValueError, match="`herbs`"):
        parameters.tables(before.replace("`herb`", "`herbs`"))


@pytest.mark.parametrize(
    ("section", "key", "kind", "default"),
    [
        (Study, "shards", "integer 1–1,000", "`8`"),
        (Study, "strict", "boolean", "`false`"),
        (Study, "comparisons", "list of lists of names", ""),
        (MixedTests, "equivalence_ratio", "number (1, 10]", "`1.08`"),
        (Continued, "hidden_dropout", "number [0, 1)", ""),
        (Continued, "weights", "`all`, `head`, `untied_head`", "`all`"),
        (Source, "layers", "`input`, `all` or list of integers -1,000 to 1,000", "`input`"),
        (Model, "checkpoints_are", "choice", "`steps`"),  # the description names all values
        (MixedEffects, "sensitivity", "list of `pairs`, `words`, `slopes`, `templates`", ""),
        (Herb, "countries_only", "list of choices", ""),
        (Herb, "substitutes", "name: path", ""),
        (Columns, "only", "text: list of values", ""),
        (Columns, "parts", "text: text", ""),
        (Amplification, "margins", "list of numbers (0, 1)", "`0.01, 0.02, 0.1, 0.2`"),
        (Derived, "from", "text", "required"),
    ],
)
def test_types_and_defaults_in_short_notation(section, key, kind, default):
    field = keys(section)[key]
    assert (notation.type_of(field), notation.default_of(field)) == (kind, default)
