"""Examples: of every metric, what contracts look at (`test_examples.py`).

tests/metrics/{metric}/example.py has, as plain data and functions without arguments:
- `written()`: tidy tables with everything that the metric can write. `NAMES`: what a word in braces stands for in its
  cards, if there are any.
- `part()`: its part of the page, of `MODELS`: records of an unbiased reference, of one with a planted bias, and of one
  whose name is markup (those that the metric has).
- `lost_part()`: the same where no number has a value.
Each follows from `numbers()`, a tidy table, and `part_of(numbers)` where the example does not say otherwise.
"""

import html
import io
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from PIL import Image
from tests.conftest import model_record

from herbarium.report.part import Part
from herbarium.report.pictures import Picture

METRICS = sorted(path.parent.name for path in Path("tests/metrics").glob("*/example.py"))
MARKUP = "<b>real</b>"
MODELS = [model_record("none", 0.0), model_record("strong", 2.0), model_record(MARKUP, None)]

# Instead of what any number has.
LOST = dict.fromkeys(["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"], np.nan)


def example(metric: str) -> SimpleNamespace:
    given = import_module(f"tests.metrics.{metric}.example")
    follows = {
        "written": lambda: [given.numbers()],
        "part": lambda: given.part_of(given.numbers()),
        "lost_part": lambda: given.part_of(given.numbers().assign(**LOST)),
    }
    return SimpleNamespace(**follows | vars(given))


@cache
def part_of(metric: str) -> Part:
    return example(metric).part()


def pictures(**tables: pd.DataFrame) -> dict[str, Picture]:
    """A picture for each figure, of the table that it was drawn from; what the picture itself shows is no matter."""
    dot = io.BytesIO()
    Image.new("RGB", (1, 1)).save(dot, "PNG")
    return {name: Picture(dot.getvalue(), table.to_csv(index=False).encode()) for name, table in tables.items()}


def in_lines(part: Part) -> str:
    """What a part says, a block or row of a table a line, without markup, pictures and scripts."""
    fields = ("title", "overview", "lead", "html", "limits", "uncertainty")
    lines = []
    for field in fields:
        lines += [f"--- {field} ---", *_lines(getattr(part, field))]
    for answer in part.answers:
        lines.append(f"--- answer: {_text(answer.title)} (no bias: {_value(answer.null)}) ---")
        lines += [
            " | ".join(f"{key}: {_value(row[key])}" for key in row if row[key] is not None) for row in answer.rows
        ]
    tested = [f"{tested.metric}: {tested.name} ({tested.section}, {tested.correction})" for tested in part.tested]
    papers = [" | ".join(paper) for paper in part.papers]
    return "\n".join([*lines, "--- tested ---", *tested, "--- papers ---", *papers, ""])


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _lines(markup: str) -> list[str]:
    markup = re.sub(r"<(script|style|svg)\b.*?</\1>", "", markup, flags=re.DOTALL)
    markup = re.sub(r'<img\b[^>]*\balt="([^"]*)"[^>]*>', r"<p>[figure: \1]</p>", markup)
    markup = re.sub(r"\s+", " ", markup)
    markup = re.sub(r"</t[hd]>\s*(?=<t[hd])", " | ", markup)
    pieces = re.split(
        r"</?(?:p|li|ul|ol|tr|table|thead|tbody|caption|h\d|section|div|details|summary|fig\w+)\b[^>]*>", markup
    )
    return [text for text in map(_text, pieces) if text]


def _text(markup: str) -> str:
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())
    text = re.sub(r"[\d.]+e−1\d", "0", text)  # 0 but for rounding, which differs between machines
    return re.sub(r" (?=[.,:;)])|(?<=\() ", "", text)
