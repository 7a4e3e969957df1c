"""Occupations of two languages in one space: along the gender direction, and the first other component."""

import html
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.core.store import schema
from herbarium.drawing import style
from herbarium.metrics.languages.lists import Lists
from herbarium.metrics.languages.numbers import ARROW
from herbarium.metrics.languages.spaces import Space

MAP = schema(
    "languages_map",
    *((name, pa.string()) for name in ("space", "group", "language", "form", "concept", "word")),
    ("gender", pa.float64()),
    ("other", pa.float64()),
)
COLUMNS = MAP.fields.names
EMPTY = style.Empty("No language was mapped into the space of another.")
AXES = ("gender direction of the pivot (right: masculine)", "first other component")
_SYMBOLS = {"masculine": "circle", "feminine": "circle-open", "both": "x"}
_NAMED = 6  # words at either end
_FORMS = ("masculine", "feminine")
_OF_WORD = ["word", "concept", "form"]


def table(
    name: str,
    lists: Mapping[str, Lists],
    spaces: Mapping[str, Space],
    aligned: Mapping[tuple[str, str], Space],
) -> pd.DataFrame:
    """A table of MAP, of a space: the forms of the occupations of a language and of its pivot that have a vector.

    `gender`: along the mean of the pivot's masculine minus its feminine seeds, as a unit vector. `other`: on the first
    principal component of both languages' occupations without that.
    """
    tables = []
    for (language, pivot), moved in aligned.items():
        direction = _direction(lists[pivot], spaces[pivot])
        sides = [_forms(language, lists[language], moved), _forms(pivot, lists[pivot], spaces[pivot])]
        rows, vectors = (
            pd.concat([occupation_rows for occupation_rows, _ in sides]),
            np.concatenate([values for _, values in sides]),
        )
        if direction is None or len(rows) < 2:
            continue
        gender = vectors @ direction
        rest = vectors - np.outer(gender, direction)
        component = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][0]
        component = component * np.sign(component[np.abs(component).argmax()])  # its sign is arbitrary
        place = {"space": name, "group": ARROW.join((language, pivot)), "gender": gender, "other": rest @ component}
        tables.append(rows.assign(**place)[COLUMNS])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)


def _direction(word_lists: Lists, space: Space) -> np.ndarray | None:
    rows = np.column_stack([space.rows(word_lists.seeds[form]) for form in _FORMS])
    rows = rows[(rows >= 0).all(axis=1)]
    if not len(rows):
        return None
    direction = (space.vectors[rows[:, 0]] - space.vectors[rows[:, 1]]).mean(axis=0).astype(float)
    return direction / np.linalg.norm(direction)


def _forms(language: str, word_lists: Lists, space: Space) -> tuple[pd.DataFrame, np.ndarray]:
    """Each form that has a vector, once; a word that is both forms belongs to neither."""
    pairs = word_lists.occupations
    is_one = pairs["masculine"] == pairs["feminine"]
    forms = {"masculine": pairs.assign(form=np.where(is_one, "both", "masculine")), "feminine": pairs[~is_one]}
    parts = [
        occupations.assign(word=occupations[form], form=occupations.get("form", form))[_OF_WORD]
        for form, occupations in forms.items()
    ]
    table = pd.concat(parts, ignore_index=True).assign(language=language)
    rows = space.rows(table["word"])
    return table[rows >= 0], space.vectors[rows[rows >= 0]].astype(float)


def figure(table: pd.DataFrame) -> Figure:
    """A panel for each space, language and pivot. table: rows of `table` (see there)."""
    if table.empty:
        return style.note(EMPTY)
    panels_of = list(table.groupby(["space", "group"], sort=False))
    looks = style.looks(table["language"].unique())
    rows = -(-len(panels_of) // 2)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 0.5 + 3.1 * rows))
        axes = figure.subplots(rows, min(2, len(panels_of)), squeeze=False).ravel()
        for panel in axes[len(panels_of) :]:
            panel.set_axis_off()
        for panel, ((name, group), panel_rows) in zip(axes, panels_of, strict=False):
            panel.axvline(0, color=style.NO_DATA)
            for (language, form), points in panel_rows.groupby(["language", "form"], sort=False):
                face = {"masculine": looks[language].colour, "feminine": "white", "both": style.NO_DATA}[form]
                panel.plot(
                    points["gender"], points["other"], looks[language].marker, color=looks[language].colour,
                    markerfacecolor=face, markersize=3.5, linestyle="",
                )  # fmt: skip
            ends = panel_rows.sort_values("gender")
            for row in pd.concat([ends.head(_NAMED), ends.tail(_NAMED)]).drop_duplicates().to_dict("records"):
                panel.annotate(row["word"], (row["gender"], row["other"]), fontsize=5.5, parse_math=False)
            panel.set_title(f"{name}: {group}", parse_math=False)
            panel.set_xlabel(AXES[0])
            panel.locator_params(axis="x", nbins=5)
            panel.set_ylabel(AXES[1])
        handles = [
            Line2D([], [], color=look.colour, marker=look.marker, linestyle="", label=name)
            for name, look in looks.items()
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=4)
    return figure


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the mean position of the forms of each language."""
    if table.empty:
        return EMPTY
    means = table.groupby(["space", "group", "language", "form"], sort=False)["gender"].mean()
    clauses = [f"{', '.join(key)} {style.text(value, '.2f')}" for key, value in means.items()]
    return f"Scatter plots of occupations; mean position on the gender direction: {'; '.join(clauses)}."


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per space, language and pivot. table: rows of `table`."""
    looks, plots = style.looks(table["language"].unique()), []
    for (name, group), panel_rows in table.groupby(["space", "group"], sort=False):
        traces = [
            {
                "x": points["gender"].tolist(),
                "y": points["other"].tolist(),
                "text": [html.escape(word) for word in points["word"]],
                "name": html.escape(f"{language}, {form}"),
                "mode": "markers",
                "marker": {"color": looks[language].colour, "symbol": _SYMBOLS[form]},
            }
            for (language, form), points in panel_rows.groupby(["language", "form"], sort=False)
        ]
        axes = {"xaxis": {"title": {"text": AXES[0]}}, "yaxis": {"title": {"text": AXES[1]}}}
        plots.append({"title": f"{name}: {group}", "data": traces, "layout": {"height": 420, **axes}})
    return plots
