"""How every figure looks and how it is saved: one style, one palette, the same bytes from the same table."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from herbarium.core import store
from herbarium.core.console import log

# Okabe and Ito (2008): distinguishable with every common colour-vision deficiency. Markers distinguish models in grey
# print. The last colour is a grey that is visible on a light page and on a dark one.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
_SHADES = ("black", "white")  # mixed into the palette for further colours, in turn
DIVERGING = "PuOr_r"
NO_DATA = "#c8c8c8"
PALE = "#888888"  # of what marks are compared with
SCALE = 1e3  # distances between regions are published multiplied by a thousand
WIDTH = 7.2  # inches, of a printed page: figures that are printed smaller than drawn cannot be read
LOG_FROM = 20  # an axis is logarithmic if its values are above 0 and the largest is this many times the smallest
ALPHA = 0.05  # a filled mark: an adjusted p below it
SMALLEST_P = 0.001  # smaller ones depend on the tail of a distribution, which no study shows

# A dictionary rather than a style file, so that the code hash of a rule covers it.
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
# A date or a version of matplotlib would make equal figures differ. MAKING: the field that says what made the figure.
METADATA = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
MAKING = {"pdf": "Keywords", "png": "herbarium", "svg": "Description"}
_ZERO = re.compile(r"[+-][0.,]+%?")
_PLACES = 9  # decimals of a position in a figure, whose sides have length 1
_ORDER: dict[str, int] = {}  # of the models of the study (`order`)
_CLIP = re.compile(r'(url\(#|<clipPath id=")(p[0-9a-f]{10})\b')


def context() -> AbstractContextManager:
    """The style of Herbarium within a `with` block, independent of the user's own matplotlib settings."""
    return matplotlib.style.context(["default", RC])


class Look(NamedTuple):
    """The colour and marker of a model, or of anything else that a figure distinguishes."""

    colour: str
    marker: str


def colour(place: int) -> str:
    """The colour of a place: first the palette, then its darker and its lighter shades, so that 21 places differ."""
    turn, base = divmod(place, len(COLOURS))
    if not turn:
        return COLOURS[base]
    shade = to_rgb(_SHADES[(turn - 1) % len(_SHADES)])
    return to_hex(0.55 * np.array(to_rgb(COLOURS[base])) + 0.45 * np.array(shade))


def order(names: Iterable[str]) -> None:
    """Give each model of a study the same look in all figures: the look of its place among these names. A script calls
    this once, before it draws."""
    _ORDER.clear()
    _ORDER.update({name: place for place, name in enumerate(dict.fromkeys(names))})


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each name. A name with a place (`order`) has the look of that place; the others get the places after
    these, in their order. A figure calls this once for all of its panels, so that no colour means two things; if a base
    colour occurs again, it has another marker as well.
    """
    names = list(dict.fromkeys(names))
    others = [name for name in names if name not in _ORDER]
    first = len(_ORDER) if len(others) < len(names) else 0
    places = _ORDER | {name: first + place for place, name in enumerate(others)}
    return {name: _look(places[name]) for name in names}


def _look(place: int) -> Look:
    n = len(MARKERS)
    return Look(colour(place), MARKERS[(place + place // n) % n])


def colours(groups: Iterable[str]) -> dict[str, str]:
    """A colour for each group, in alphabetical order, so that figures agree."""
    return {group: look.colour for group, look in looks(sorted(set(groups))).items()}


def markers(groups: Iterable[str]) -> dict[str, str]:
    """A marker for each group, in the same order as `colours`."""
    return {group: look.marker for group, look in looks(sorted(set(groups))).items()}


def centred(values: pd.Series, covered: float) -> tuple[CenteredNorm, str]:
    """A scale of colours centred on 0, and which ends of its bar are pointed (`extend` of matplotlib).

    covered: percentage of the values within the scale: a single outlier must not bleach the rest. Nulls are left out.
    """
    size = values.abs().dropna()
    limit = np.percentile(size, covered) if len(size) else 0
    return CenteredNorm(0, limit or 1), "both" if (size > limit).any() else "neither"


class Empty(str):
    """Why there is nothing to draw, as a sentence: `describe` of a figure then returns it, and `note` draws it."""

    __slots__ = ()


def note(text: str) -> Figure:
    """A figure that only says why there is nothing to draw."""
    with context():
        figure = Figure(figsize=(4.8, 0.6))
        figure.text(0.01, 0.5, text)
    return figure


def legend(axes: Axes | Figure, **options) -> None:
    """The legend of axes or of a figure. Its names come from the study: a "$" in them does not start a formula.

    options: of `legend` of matplotlib.
    """
    for text in axes.legend(**options).get_texts():
        text.set_parse_math(False)


def save(figure: Figure, paths: Iterable[str | os.PathLike], made: dict | None = None) -> None:
    """Write the figure to each path, in the format of its suffix (.svg, .pdf or .png), each whole or not at all.

    made: what made it, for the metadata of the file (`store.header`).
    """
    with context():
        frame = _settle(figure)
    for path in map(Path, paths):
        kind = path.suffix.removeprefix(".")
        with context(), store.atomic(path) as partial:
            header = json.dumps(store.header(path, made), sort_keys=True)
            figure.savefig(partial, format=kind, bbox_inches=frame, metadata=METADATA[kind] | {MAKING[kind]: header})
            if kind == "svg":
                partial.write_text(_with_numbered_clips(partial.read_text(encoding="utf-8")), encoding="utf-8")


def keep(files: Sequence[str], table: pd.DataFrame, figure: Figure, made: dict) -> None:
    """Write all files of a figure (`core.targets.figure_files`): the picture in each format, and finally its table,
    whose sidecar has the checksums of all."""
    *pictures, csv, _sidecar = files
    save(figure, pictures, made)
    store.write_csv(csv, table, made, pictures)
    log.info("%s: drawn.", Path(csv).stem)


def _settle(figure: Figure) -> Bbox:
    """Lay a figure out once for all formats, and round its positions: their last bits vary from layout to layout, and a
    PDF has enough digits to show them. Returns what of it is to be seen, in inches."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    parts = [figure, *figure.subfigs]
    for part in parts[1:]:
        part.bbox_relative.set_points(part.bbox_relative.get_points().round(_PLACES))
    for panel in figure.axes:
        place = panel.get_position(original=True)
        panel.set_position(Bbox(place.get_points().round(_PLACES)))
    for text in (text for part in parts for text in part.texts):
        text.set_position([round(float(at), _PLACES) for at in text.get_position()])
    return Bbox(figure.get_tightbbox().padded(matplotlib.rcParams["savefig.pad_inches"]).get_points().round(_PLACES))


def _with_numbered_clips(svg: str) -> str:
    """Number the clip paths: matplotlib names them by a hash of all bits of a position, the last of which vary."""
    numbers: dict[str, int] = {}
    return _CLIP.sub(lambda clip: f"{clip[1]}clip{numbers.setdefault(clip[2], len(numbers))}", svg)


def by_strength(models: Iterable[dict]) -> list[dict]:
    """Model records in the order of figures and tables: planted ones by strength, then the others as given."""
    return sorted(models, key=lambda model: (model["planted"] is None, model["planted"] or 0))


def label(name: str, planted: float | None, in_texts: bool = False) -> str:
    """A model's name, with the strength of the bias that was planted in it (0: the unbiased reference), or in the texts
    of its task."""
    if pd.isna(planted):
        return name
    if in_texts:
        return f"{name} ({f'texts with planted strength {planted:g}' if planted else 'unbiased texts'})"
    return f"{name} ({f'planted, strength {planted:g}' if planted else 'unbiased reference'})"


def text(value: float, form: str) -> str:
    """A number as text: with a true minus sign, and without a sign if it rounds to zero. form: a format."""
    shown = f"{value:{form}}"
    if _ZERO.fullmatch(shown):
        shown = shown.lstrip("+-")
    return shown.replace("-", "−")


def compared(p: float) -> str:
    """A p-value after the letter p: "= 0.012", or "< 0.001"."""
    return f"< {SMALLEST_P:g}" if p < SMALLEST_P else f"= {p:.2g}"


def with_interval(estimate: float, low: float, high: float, form: str = ".2f") -> str:
    """A number, with its interval if it has one."""
    if pd.isna(estimate):
        return "no value"
    bounds = "" if pd.isna(low) else f" [{text(low, form)}, {text(high, form)}]"
    return f"{text(estimate, form)}{bounds}"
