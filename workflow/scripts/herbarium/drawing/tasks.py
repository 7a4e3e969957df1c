"""What figures of tasks share, for any numbers of a task and model: one block per task, with one panel per model."""

import textwrap
from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from herbarium.drawing import style

PLACE = ["task", "model", "planted"]
_WIDTH = (4.8, style.WIDTH)  # inches, of a figure with one column of panels and with two
_AROUND = 0.35  # inches for the name above the panels of a task
_CAPTION = (74, 109)  # characters per line


# --- rows ---


def places(measured: Iterable[tuple[str, str]], planted: Mapping[str, float | None]) -> pd.DataFrame:
    """What was measured: one row per task and model with the columns PLACE, tasks as given, planted models by strength.

    measured: (task, model). planted: strength of the models that have a planted bias.
    """
    measured = list(measured)
    rows = [
        (task, model["name"], model["planted"])
        for task in dict.fromkeys(task for task, _ in measured)
        for model in style.by_strength(
            {"name": name, "planted": planted.get(name)} for measured_task, name in measured if measured_task == task
        )
    ]
    return pd.DataFrame(rows, columns=PLACE).astype({"planted": "float64"})


def titled(task: str, strength: float | None) -> str:
    """A task as figures and the page name it: with the strength of the bias that was planted in its texts, if any was.
    The strength planted in a model is in the model's label; the two are unrelated.
    """
    return task if strength is None else f"{task} (texts with planted strength {strength:g})"


def with_titles(table: pd.DataFrame, strengths: Mapping[str, float | None]) -> pd.DataFrame:
    """The rows with tasks `titled`. strengths: planted in the texts of each task."""
    return table.assign(task=table["task"].map({task: titled(task, strength) for task, strength in strengths.items()}))


def by_task(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each task. table, here and below: in order, with the columns PLACE."""
    return {task: table[table["task"] == task] for task in table["task"].unique()}


def by_model(table: pd.DataFrame) -> Iterable[tuple[tuple[str, str, str], pd.DataFrame]]:
    """The rows of each task and model: ((task, model, its label), rows)."""
    for (task, model, planted), rows in table.groupby(PLACE, sort=False, dropna=False):
        yield (task, model, style.label(model, planted)), rows


# --- panels ---


def panels(
    blocks: Mapping[str, list[str]], heights: Mapping[str, float]
) -> tuple[Figure, dict[str, tuple[SubFigure, dict[str, Axes]]]]:
    """A figure with one block below the other, each with its panels, in two columns if any block has several.

    blocks: title -> names of its panels. heights: of a panel of each block, in inches.

    Returns the figure and, by title, the part of it and the panels by name.
    """
    columns = min(2, max(map(len, blocks.values())))
    rows = {title: -(-len(names) // columns) for title, names in blocks.items()}
    inches = [_AROUND + rows[title] * heights[title] for title in blocks]
    figure = Figure(figsize=(_WIDTH[columns - 1], 0.7 + sum(inches)))
    parts = figure.subfigures(len(blocks), 1, squeeze=False, height_ratios=inches)[:, 0]
    by_title = {}
    for part, (title, names) in zip(parts, blocks.items(), strict=True):
        axes = part.subplots(rows[title], columns, squeeze=False).ravel()
        for panel in axes[len(names) :]:
            panel.remove()
        part.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", parse_math=False)
        by_title[title] = part, dict(zip(names, axes, strict=False))
    return figure, by_title


def caption(figure: Figure, axis: str, text: str) -> None:
    """Below the figure: what the axis shows, and how to read the figure."""
    width = _CAPTION[_WIDTH.index(figure.get_figwidth())]
    lines = [textwrap.fill(part, width) for part in (axis, text) if part]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, parse_math=False)
