"""What a model encodes about countries against their effects in tasks: does one predict the other?"""

import textwrap
from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, scatter
from herbarium.drawing.style import SCALE
from herbarium.metrics.propagation import score

COUNTRY, MODEL = "country", "model"
COLUMNS = ["unit", *tasks.PLACE, "measure", "region", "name", "continent", "continent_name"]
COLUMNS += ["intrinsic", "effect", "effect_low", "effect_high"]
# Intrinsic measures of a country, the first available one; and that of a model.
MEASURES = (score.LEAVES, score.C_W)
EFFECT = "change in the log-odds of the positive class beyond that of made-up names"
EMPTY = style.Empty("No country of these tasks has both C_w and an effect.")
OVER_MODELS = "Over models"
# Countries that are named at either end of either axis.
NAMED = 2
_HEIGHT = 2.9  # inches
# Width of a letter of a name, and height of a line, in panels.
_LETTER, _LETTER_HEIGHT = 0.019, 0.055
_TITLE = 52  # characters per line
_C_W = "C<sub>w</sub> × 10³"  # SCALE


def table(countries: pd.DataFrame, numbers: pd.DataFrame, regions: pd.DataFrame, where: pd.DataFrame) -> pd.DataFrame:
    """C_w and effects of countries; and of models, if a task has several.

    countries: rows of "propagation_countries" of all. numbers: tidy rows of metrics "herb" and "downstream" of the same
    models. regions: table of regions. where: of `drawing.tasks.places`.

    Returns rows with COLUMNS by task. `unit` "country": one row per model and country, `intrinsic` its C_w by HERB,
    only for countries without sub-regions if others have some (`measure`), and `effect` the change of probability
    beyond the controls. `unit` "model": one row per model, C_w of the root, and the mean absolute effect of countries.
    """
    root = regions.loc[regions["parent"].isna(), "region"].item()
    names = regions.set_index("region")["name"]
    scores = score.scores(numbers, root)
    of_root = scores[scores["measure"] == "C_w"].set_index("model")["value"]
    is_outcome = (numbers["metric"] == "downstream") & (numbers["definition"] == "paper") & (numbers["unit"] == "all")
    outcomes = numbers[is_outcome & (numbers["variant"] == "absolute_effect")].set_index(["model", "group"])
    outcomes = outcomes.rename(columns={"estimate": "effect", "ci_low": "effect_low", "ci_high": "effect_high"})
    parts = []
    for task, of_task in where.groupby("task", sort=False):
        for _, model, planted in of_task.itertuples(index=False):
            own = countries[(countries["task"] == task) & (countries["model"] == model)]
            measure = next((measure for measure in MEASURES if (own["measure"] == measure).any()), None)
            own = own[own["measure"] == measure].assign(unit=COUNTRY, planted=planted)
            parts.append(own.assign(continent_name=own["continent"].map(names)))
        models = of_task.assign(intrinsic=of_task["model"].map(of_root), unit=MODEL, measure="C_w")
        key = pd.MultiIndex.from_product([models["model"], [f"{task}/country"]])
        bounds = outcomes[["effect", "effect_low", "effect_high"]].reindex(key).set_axis(models.index)
        models = models.join(bounds).assign(name=models["model"]).dropna(subset=["intrinsic", "effect"])
        parts += [models] if len(models) > 1 else []
    rows = pd.concat([pd.DataFrame(columns=COLUMNS), *parts], ignore_index=True)[COLUMNS]
    return rows.astype({"planted": "float64", **dict.fromkeys(COLUMNS[-4:], "float64")})


def figure(table: pd.DataFrame, numbers: pd.DataFrame, level: float) -> Figure:
    """Scatter plots: one block per task, with one panel per model for its countries, and last one panel for its models.

    table: rows of `table` (see there). numbers: tidy rows of metric "propagation", for the lines under the titles.
    level: of the intervals.
    """
    if table.empty:
        return style.note(EMPTY)
    of_countries, of_models = (table[table["unit"] == unit] for unit in (COUNTRY, MODEL))
    continents = of_countries.dropna(subset="continent").drop_duplicates("continent").sort_values("continent")
    colours = style.colours(continents["continent"])
    blocks = {task: list(rows["model"].unique()) for task, rows in of_countries.groupby("task", sort=False)}
    if len(of_models):
        blocks[OVER_MODELS] = list(of_models["task"].unique())
    with style.context():
        figure, parts = tasks.panels(blocks, dict.fromkeys(blocks, _HEIGHT), sharey=False)
        for (task, model, label), rows in tasks.by_model(of_countries):
            panel = parts[task][1][model]
            _draw_countries(panel, rows, colours)
            _title(panel, label, _of_countries(rows, numbers))
        for task, rows in of_models.groupby("task", sort=False):
            panel = parts[OVER_MODELS][1][task]
            _draw_models(panel, rows)
            _title(panel, task, _of_models(task, numbers), _remark(task, numbers))
        handles = [
            Line2D([], [], linestyle="", marker="o", color=colours[of.continent], markersize=4, label=of.continent_name)
            for of in continents.itertuples()
        ]
        if handles:
            columns = 6 if max(map(len, blocks.values())) > 1 else 3
            figure.legend(handles=handles, loc="outside upper left", ncols=columns, handletextpad=0.1)
        tasks.caption(
            figure,
            f"effect: {EFFECT}, with {level:.0%} intervals over training sets and names; over models, of points of p.",
            f"C_w: of HERB, no unit, {_reading(of_countries)}. ρ: Spearman's, its interval over countries.",
        )
    return figure


def _reading(of_countries: pd.DataFrame) -> str:
    if (of_countries["measure"] == score.LEAVES).any():
        return "of countries without sub-regions only, as C_w of others is about their sub-regions"
    return "of each country"


def _draw_countries(panel, rows: pd.DataFrame, colours: dict[str, str]) -> None:
    x, y, low, high = (rows[key].to_numpy() for key in COLUMNS[-4:])
    colour = rows["continent"].map(colours).astype(object).where(rows["continent"].notna(), "#777777").to_numpy()
    known = ~(np.isnan(low) | np.isnan(high))
    panel.vlines(SCALE * x[known], low[known], high[known], colors=colour[known], linewidth=0.7, alpha=0.6)
    panel.scatter(SCALE * x, y, s=7, c=colour, linewidths=0)
    _frame(panel, "country's $C_w$ × 10³", "effect")
    places = outermost(x, y)
    _name(panel, rows["name"].iloc[places], SCALE * x[places], y[places], left_out=True)


def outermost(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Indices of the points with the least and the greatest values, NAMED per side."""
    ends = []
    for values in (y, x):
        order = np.argsort(values, kind="stable")
        ends += [*order[:NAMED], *order[::-1][:NAMED]]
    return [int(place) for place in dict.fromkeys(ends)]


def _draw_models(panel, rows: pd.DataFrame) -> None:
    x, y, low, high = (rows[key].to_numpy() for key in COLUMNS[-4:])
    tasks.intervals(panel, SCALE * x, None, low, high, horizontal=False, colors="#555555", linewidth=1)
    panel.plot(SCALE * x, y, "o", color=style.COLOURS[0], markersize=4)
    _frame(panel, "model's $C_w$ × 10³", "mean absolute effect")
    _name(panel, rows["name"], SCALE * x, y, left_out=False)


def _title(panel, *said: str) -> None:
    # no line ends within the p
    parts = [part.replace("adjusted p = ", "adjusted\u00a0p\u00a0=\u00a0") for part in said if part]
    text = "\n".join(textwrap.fill(part, _TITLE) for part in parts)
    panel.set_title(text, fontsize=8.5, parse_math=False)


def _frame(panel, x: str, y: str) -> None:
    panel.axhline(0, color="#777777", linewidth=0.6)
    panel.set_xlabel(x, fontsize=8)
    panel.set_ylabel(y, fontsize=8)
    panel.margins(x=0.08, y=0.08)


def _name(panel, names: Iterable[str], x: np.ndarray, y: np.ndarray, left_out: bool) -> None:
    """Names next to their points, so that none covers another or leaves the panel.

    left_out: whether one without a place is left out; else it covers another.
    """
    (left, right), (bottom, top) = panel.get_xlim(), panel.get_ylim()
    taken = []
    for name, of_x, of_y in zip(names, (x - left) / (right - left), (y - bottom) / (top - bottom), strict=True):
        size = len(name) * _LETTER, _LETTER_HEIGHT
        boxes = [
            (of_x - size[0] * (side == "right"), of_y - size[1] * (edge == "top"), side, edge)
            for edge in ("bottom", "top")
            for side in ("left", "right")
        ]
        free = [box for box in boxes if box[0] >= 0 and box[0] + size[0] <= 1 and _is_free(box, size, taken)]
        if not free and left_out:
            continue
        at_x, at_y, side, edge = (free or boxes)[0]
        taken.append((at_x, at_y, *size))
        panel.annotate(
            name,
            (of_x, of_y),
            xycoords="axes fraction",
            xytext=(3 if side == "left" else -3, 1 if edge == "bottom" else -1),
            textcoords="offset points",
            ha=side,
            va=edge,
            fontsize=6.5,
            parse_math=False,
        )


def _is_free(box: tuple, size: tuple[float, float], taken: list[tuple]) -> bool:
    x, y = box[:2]
    return all(
        x + size[0] < left or left + width < x or y + size[1] < bottom or bottom + height < y
        for left, bottom, width, height in taken
    )


def _of_countries(rows: pd.DataFrame, numbers: pd.DataFrame) -> str:
    task, model, measure = rows[["task", "model", "measure"]].iloc[0]
    return _correlation(numbers, model, f"{task}/{measure}", score.PRIMARY, "countries")


def _of_models(task: str, numbers: pd.DataFrame) -> str:
    return _correlation(numbers, score.ALL_MODELS, f"{task}/C_w", "spearman_absolute_effect", "models")


def _correlation(numbers: pd.DataFrame, model: str, group: str, variant: str, what: str) -> str:
    """A correlation with its interval, n and p, or why there is none. numbers: tidy rows of metric "propagation"."""
    row = _row(numbers, model, group, variant)
    if row is None:
        return "ρ: not measured"
    if pd.isna(row["estimate"]):
        return f"ρ: {row['note']}"
    value = style.with_interval(*row[["estimate", "ci_low", "ci_high"]])
    inside = ", within continents and given the name's length" if variant == score.PRIMARY else ""
    return f"ρ{inside} = {value}, n = {row['n']:.0f} {what}, adjusted p = {row['p_adjusted']:.2g}"


def _row(numbers: pd.DataFrame, model: str, group: str, variant: str) -> pd.Series | None:
    is_it = (numbers["model"] == model) & (numbers["group"] == group) & (numbers["variant"] == variant)
    rows = numbers[is_it & (numbers["metric"] == score.METRIC)]
    return rows.iloc[0] if len(rows) else None


def _remark(task: str, numbers: pd.DataFrame) -> str:
    """The wording of a correlation over models, "" if there is none."""
    row = _row(numbers, score.ALL_MODELS, f"{task}/C_w", "spearman_absolute_effect")
    return "" if row is None or pd.isna(row["estimate"]) or pd.isna(row["note"]) else row["note"]


def describe(table: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per panel. Arguments as for `figure`."""
    if table.empty:
        return EMPTY
    of_countries, of_models = (table[table["unit"] == unit] for unit in (COUNTRY, MODEL))
    sentences = [
        f"{task}, {label}: {_of_countries(rows, numbers)}." for (task, _, label), rows in tasks.by_model(of_countries)
    ]
    for task in of_models["task"].unique():
        said = "; ".join(filter(None, [_of_models(task, numbers), _remark(task, numbers)]))
        sentences.append(f"{task}, over models: {said}.")
    return (
        f"Scatter plots by task and model of each country's {EFFECT} against its C_w by HERB, and by task of "
        f"models' mean absolute effect against their C_w. {' '.join(sentences)}"
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """The figure, interactive: one panel per task and model with its countries, then one per task with its models."""
    table = table.rename(columns={"effect": "estimate", "effect_low": "ci_low", "effect_high": "ci_high"})
    table = table.assign(x=SCALE * table["intrinsic"])
    of_models = table["unit"] == MODEL
    return [
        scatter(f"{task}, {label}", rows, f"{_C_W} of the country", "effect (log-odds)", rows)
        for task, of_task in table[~of_models].groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ] + [
        scatter(f"{task}, over models", rows, f"{_C_W} of the model", "mean size of effects", rows)
        for task, rows in table[of_models].groupby("task", sort=False)
    ]
