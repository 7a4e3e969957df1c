"""How every figure looks and how it is kept: one style, one palette, the same bytes from the same table."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure

from herbarium.core import store

# Okabe and Ito (2008): told apart with every common colour-vision deficiency. Markers tell models apart in grey print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
DIVERGING = "PuOr_r"
NO_DATA = "#c8c8c8"
SCALE = 1e3  # distances between regions are published multiplied by a thousand
WIDTH = 7.2  # inches, of a printed page: what is printed smaller than it is drawn cannot be read
LOG_FROM = 20  # an axis is logarithmic where its values are above 0 and the largest is so many times the smallest
ALPHA = 0.05  # a filled mark: an adjusted p below it

# A dictionary and not a style file, so that the code hash of a rule covers it.
RC = {
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 9,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,
    "svg.hashsalt": "herbarium",
}
# Fields that hold a date or a version of matplotlib would make equal figures differ; one says what made the figure.
METADATA = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
MAKING = {"pdf": "Keywords", "png": "herbarium", "svg": "Description"}
_CLIP = re.compile(r'(url\(#|<clipPath id=")(p[0-9a-f]{10})\b')


def context() -> AbstractContextManager:
    """The style of Herbarium, whatever the user's own matplotlib settings are; for the time of a `with` block."""
    return matplotlib.style.context(["default", RC])


def colours(groups: Iterable[str]) -> dict[str, str]:
    """A colour for each group, in alphabetical order, so that figures agree; beyond the palette they come again."""
    return {group: COLOURS[place % len(COLOURS)] for place, group in enumerate(sorted(set(groups)))}


def markers(groups: Iterable[str]) -> dict[str, str]:
    """A marker for each group, as `colours`; where a colour comes again, it comes with another marker."""
    n = len(MARKERS)
    return {group: MARKERS[(place + place // n) % n] for place, group in enumerate(sorted(set(groups)))}


def centred(values: pd.Series, covered: float) -> tuple[CenteredNorm, str]:
    """A scale of colours centred on 0, and which ends of its bar are pointed (`extend` of matplotlib).

    covered: per cent of the values that lie within: a single outlier must not bleach the rest. Null ones are left out.
    """
    size = values.abs().dropna()
    limit = np.percentile(size, covered) if len(size) else 0
    return CenteredNorm(0, limit or 1), "both" if (size > limit).any() else "neither"


def note(text: str) -> Figure:
    """A figure that only says why there is nothing to draw."""
    with context():
        figure = Figure(figsize=(4.8, 0.6))
        figure.text(0.01, 0.5, text)
    return figure


def save(figure: Figure, paths: Iterable[str | os.PathLike], made: dict | None = None) -> None:
    """Write the figure to each path, in the format of its suffix (.svg, .pdf or .png), each whole or not at all.

    made: its making, for the metadata of the file (`store.header`).
    """
    for path in map(Path, paths):
        kind = path.suffix.removeprefix(".")
        with context(), store.atomic(path) as partial:
            said = json.dumps(store.header(path, made), sort_keys=True)
            figure.savefig(partial, format=kind, metadata=METADATA[kind] | {MAKING[kind]: said})
            if kind == "svg":
                partial.write_text(_with_numbered_clips(partial.read_text(encoding="utf-8")), encoding="utf-8")


def keep(files: Sequence[str], table: pd.DataFrame, figure: Figure, made: dict) -> None:
    """Write all files of a figure (`core.targets.figure_files`): the picture in each format, and last its table."""
    *pictures, csv = files
    store.write_csv(csv, table, made)
    save(figure, pictures, made)


def _with_numbered_clips(svg: str) -> str:
    """Matplotlib names clip paths by a hash of all bits of a place, of which the layout leaves the last to chance."""
    numbers: dict[str, int] = {}
    return _CLIP.sub(lambda clip: f"{clip[1]}clip{numbers.setdefault(clip[2], len(numbers))}", svg)


def by_strength(models: Iterable[dict]) -> list[dict]:
    """Model records in the order of figures and tables: planted ones by strength, then the others as they came."""
    return sorted(models, key=lambda model: (model["planted"] is None, model["planted"] or 0))


def label(name: str, planted: float | None) -> str:
    """A model's name, with the strength of its planted bias if it has one."""
    return name if pd.isna(planted) else f"{name} (planted {planted:g})"


def with_interval(estimate: float, low: float, high: float, form: str = ".2f") -> str:
    """A number and its bounds, those it has."""
    if pd.isna(estimate):
        return "no value"
    bounds = "" if pd.isna(low) else f" [{low:{form}}, {high:{form}}]"
    return f"{estimate:{form}}{bounds}".replace("-", "−")
