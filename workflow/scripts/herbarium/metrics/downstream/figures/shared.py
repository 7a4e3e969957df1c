"""What the figures of downstream tasks share: what they show of which task and model, and a panel for each."""

import textwrap
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from herbarium.drawing import style

ALPHA = 0.05
PLACE = ["task", "model", "planted"]
COUNTRY = "country"
EFFECT = "change of the probability of the positive class beyond that of the control prefixes"
_NAMES = {"group": "region", "estimate": "effect"}
_NUMBERS = ["n", "effect", "ci_low", "ci_high", "p_adjusted"]
_WIDTH = (4.8, 7.4)  # inches, of a figure with one column of panels and with two
_AROUND = 0.35  # inches of the name above the panels of a task
_CAPTION = (74, 112)  # characters a line


def places(probed: Iterable[str], planted: Mapping[str, float | None]) -> pd.DataFrame:
    """Where was probed: one row a task and model with the columns PLACE, tasks as given, planted models by strength.

    probed: "task/model". planted: strength of the models that have a planted bias.
    """
    pairs = [of.split("/") for of in probed]
    rows = [
        (task, model["name"], model["planted"])
        for task in dict.fromkeys(task for task, _ in pairs)
        for model in style.by_strength({"name": name, "planted": planted.get(name)} for of, name in pairs if of == task)
    ]
    return pd.DataFrame(rows, columns=PLACE).astype({"planted": "float64"})


def effects(
    numbers: pd.DataFrame,
    prefixes: Mapping[str, pd.DataFrame],
    where: pd.DataFrame,
    units: Iterable[str],
    variant: str = "effect",
) -> pd.DataFrame:
    """What prefixes do, in the order of `where`, then of units and prefixes.

    numbers: tidy rows of metric "downstream". prefixes: of each task, table "task_prefixes". where: of `places`. units:
    of the prefixes.

    Returns one row a task, model and prefix, null where there is no number: PLACE, `unit, region` (the prefix's
    group)`, name, continent, iso2, n, effect, ci_low, ci_high, p_adjusted`.
    """
    chosen = (numbers["metric"] == "downstream") & (numbers["definition"] == "paper") & (numbers["variant"] == variant)
    found = numbers[chosen].rename(columns=_NAMES).set_index(["model", "unit", "region"])[_NUMBERS]
    parts = []
    for task, model, planted in where.itertuples(index=False):
        of_task = prefixes[task].rename(columns=_NAMES)[["unit", "region", "name", "continent", "iso2"]]
        rows = pd.concat([of_task[of_task["unit"] == unit] for unit in units])
        key = [(model, unit, f"{task}/{region}") for unit, region in zip(rows["unit"], rows["region"], strict=True)]
        values = found.reindex(pd.MultiIndex.from_tuples(key, names=found.index.names)).set_axis(rows.index)
        parts.append(rows.join(values).assign(task=task, model=model, planted=planted))
    columns = [*PLACE, "unit", "region", "name", "continent", "iso2", *_NUMBERS]
    return pd.concat([pd.DataFrame(columns=columns), *parts], ignore_index=True).astype(
        {"planted": "float64", "n": "Int64", **dict.fromkeys(_NUMBERS[1:], "float64")}
    )


def by_task(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each task. table: with the columns PLACE, in order, here and below."""
    return {task: table[table["task"] == task] for task in table["task"].unique()}


def by_model(table: pd.DataFrame) -> Iterable[tuple[tuple[str, str, str], pd.DataFrame]]:
    """The rows of each task and model: ((task, model, its label), rows)."""
    for (task, model, planted), rows in table.groupby(PLACE, sort=False, dropna=False):
        yield (task, model, style.label(model, planted)), rows


def is_found(table: pd.DataFrame) -> pd.Series:
    """Whether there is an effect: an adjusted p below ALPHA."""
    return table["p_adjusted"] < ALPHA


def panels(
    blocks: Mapping[str, list[str]], heights: Mapping[str, float], **subplots
) -> tuple[Figure, dict[str, tuple[SubFigure, dict[str, Axes]]]]:
    """A figure with a block below another, in it its panels, two beside each other where a block has several.

    blocks: title -> names of its panels. heights: of a panel of each block, in inches. subplots: passed on.

    Returns the figure and, by title, the part of it and the panels by name.
    """
    columns = min(2, max(map(len, blocks.values())))
    rows = {title: -(-len(names) // columns) for title, names in blocks.items()}
    inches = [_AROUND + rows[title] * heights[title] for title in blocks]
    figure = Figure(figsize=(_WIDTH[columns - 1], 0.7 + sum(inches)))
    parts = figure.subfigures(len(blocks), 1, squeeze=False, height_ratios=inches)[:, 0]
    found = {}
    for part, (title, names) in zip(parts, blocks.items(), strict=True):
        axes = part.subplots(rows[title], columns, squeeze=False, **subplots).ravel()
        for panel in axes[len(names) :]:
            panel.remove()
        part.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", parse_math=False)
        found[title] = part, dict(zip(names, axes, strict=False))
    return figure, found


def caption(figure: Figure, axis: str, text: str) -> None:
    """What an axis is, and how to read the figure."""
    width = _CAPTION[_WIDTH.index(figure.get_figwidth())]
    lines = [textwrap.fill(part, width) for part in (axis, text) if part]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, parse_math=False)


def signed(value: float) -> str:
    """A change."""
    return f"{value:+.3f}".replace("-", "−")


def extremes(rows: pd.DataFrame, form=signed) -> str:
    """From the least to the greatest effect, with names. rows: with `name` and `effect`, one that is known at least."""
    low, high = rows.loc[rows["effect"].idxmin()], rows.loc[rows["effect"].idxmax()]
    if len(rows) == 1:
        return f"{form(low['effect'])} ({low['name']})"
    return f"{form(low['effect'])} ({low['name']}) to {form(high['effect'])} ({high['name']})"


def texts(rows: pd.DataFrame) -> str:
    """How many test texts the numbers of a task are of."""
    counts = rows["n"].dropna().unique()
    return f"n = {'/'.join(f'{n:,}' for n in counts)} texts" if len(counts) else "no value"


def intervals(panel: Axes, x, y, low, high, horizontal: bool, **look) -> None:
    """Lines from low to high, where there are both."""
    known = ~(np.isnan(low) | np.isnan(high))
    draw = panel.hlines if horizontal else panel.vlines
    at = np.asarray(y if horizontal else x)[known]
    draw(at, np.asarray(low)[known], np.asarray(high)[known], **look)
