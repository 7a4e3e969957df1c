"""Random effects of each template and each target in linear mixed models, relative to the mean over all of them."""

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.fits import INTERCEPTS

GROUPS = ("template", "target")
_BY = ["data", "model", "group", "dimension"]
COLUMNS = ["data", "model", "planted", "group", "dimension", "level", "rank", "estimate", "std_error", "low", "high"]
EMPTY = style.Empty("No model has a random effect to show.")
# Number of models drawn per set of stimuli; the table has all.
MOST = 8
_Z = 1.96
_GAP = 1.5  # levels between two dimensions
_FLAT = 1e-6  # what a fit may leave of a variance of 0


def table(levels: pd.DataFrame, stimuli: list[str], models: list[dict]) -> pd.DataFrame:
    """Random intercepts of the main question, male against female words.

    levels: of the schema "fit_levels", of all models. stimuli, models: as for `shared.ordered`.

    Returns one row per set of stimuli, model, group (GROUPS), dimension and level, by rank (1 for the lowest), with
    COLUMNS: natural logarithms. `low`, `high`: 1.96 conditional standard errors from the estimate.
    """
    is_main = (levels["definition"] == shared.DEFINITION) & (levels["subset"] == shared.SUBSET)
    is_main &= (levels["structure"] == INTERCEPTS) & (levels["contrast"] == shared.CONTRAST)
    rows = pd.concat([levels[is_main & (levels["group"] == group)] for group in GROUPS])
    rows = shared.ordered(rows, stimuli, models, _BY)
    place = rows.groupby(_BY, sort=False).ngroup()
    rows = rows.assign(place=place).sort_values(["place", "estimate"], kind="stable", ignore_index=True)
    half = _Z * rows["std_error"]
    rows = rows.assign(low=rows["estimate"] - half, high=rows["estimate"] + half)
    return rows.assign(rank=rows.groupby("place").cumcount() + 1)[COLUMNS]


def figure(table: pd.DataFrame) -> Figure:
    """Caterpillar plots: one block per set of stimuli, one row per model, with its templates and its targets next to
    each other.

    In a panel the levels of each dimension are sorted, one dimension after the other. table: rows of `table` (see
    there). If a set has more than MOST models, the first are drawn.
    """
    if table.empty:
        return style.note(EMPTY)
    blocks = [
        (name, data_rows, list(data_rows["model"].unique())) for name, data_rows in table.groupby("data", sort=False)
    ]
    heights = [1.5 + 1.25 * min(len(models), MOST) for _, _, models in blocks]
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 0.9 + sum(heights)))
        parts = figure.subfigures(len(blocks), 1, squeeze=False, height_ratios=heights)[:, 0]
        for part, (name, data_rows, models) in zip(parts, blocks, strict=True):
            data_rows = data_rows.assign(x=_places(data_rows))
            drawn = models[:MOST]
            title = name if drawn == models else f"{name} ({MOST} of {len(models)} models; the CSV has all)"
            part.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", parse_math=False)
            rows = part.subplots(
                *(len(drawn), len(GROUPS)), squeeze=False, sharex="col", sharey="row", width_ratios=(1, 1.8)
            )
            for line, model in zip(rows, drawn, strict=True):
                of_model = data_rows[data_rows["model"] == model]
                for panel, group in zip(line, GROUPS, strict=True):
                    _draw(panel, of_model[of_model["group"] == group], list(data_rows["dimension"].unique()))
                label = style.label(model, of_model["planted"].iloc[0])
                line[0].set_title(f"{label}: {GROUPS[0]}s", parse_math=False)
                line[1].set_title(f"{GROUPS[1]}s")
        figure.supylabel("random effect (natural logarithm)", fontsize=9)
        shared.caption(
            figure,
            "levels of each dimension, from low to high (their number)",
            "Deviation of the association of a template or target from the mean, for male and female words together. "
            f"Lines: ±{_Z} conditional standard errors. Named: the lowest, the highest. All at 0: the fit found no "
            "variance.",
        )
    return figure


def _places(data_rows: pd.DataFrame) -> pd.Series:
    """The positions of a set's levels in their panels. Each dimension has room for its levels in any model."""
    places = pd.Series(0.0, data_rows.index)
    for _, rows in data_rows.groupby("group", sort=False):
        widths = rows.groupby("dimension", sort=False)["rank"].max() + _GAP
        starts = widths.cumsum() - widths
        places[rows.index] = rows["dimension"].map(starts) + rows["rank"]
    return places


def _draw(panel, rows: pd.DataFrame, dimensions: list[str]) -> None:
    """The levels of a group of one model. dimensions: of the set of stimuli, for their colours."""
    panel.axhline(0, color="#777777", linewidth=0.6)
    panel.grid(axis="y")
    ticks = {}
    for dimension, dots in rows.groupby("dimension", sort=False):
        colour = style.colour(dimensions.index(dimension))
        panel.vlines(dots["x"], dots["low"], dots["high"], colors=colour, linewidth=0.8)
        panel.plot(dots["x"], dots["estimate"], "o", color=colour, markersize=2)
        ticks[f"{dimension} ({len(dots)})"] = dots["x"].mean()
    panel.set_xticks(list(ticks.values()), list(ticks), rotation=45, ha="right", fontsize=7.5, parse_math=False)
    panel.tick_params(axis="x", length=0)
    panel.margins(y=0.2)  # for the names
    if not _is_flat(rows):
        middle = (rows["x"].min() + rows["x"].max()) / 2
        for end, row in ((1, rows.loc[rows["estimate"].idxmax()]), (-1, rows.loc[rows["estimate"].idxmin()])):
            panel.annotate(
                row["level"],
                (row["x"], row["high"] if end == 1 else row["low"]),
                xytext=(0, 2 * end),
                textcoords="offset points",
                ha="right" if row["x"] > middle else "left",
                va="bottom" if end == 1 else "top",
                fontsize=6.5,
                parse_math=False,
            )


def _is_flat(rows: pd.DataFrame) -> bool:
    return rows["estimate"].abs().max() < _FLAT


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the extremes of each model, and the number that differ from
    0."""
    if table.empty:
        return EMPTY
    sentences = []
    for (name, model), of_model in table.groupby(["data", "model"], sort=False):
        clauses = []
        for group, rows in of_model.groupby("group", sort=False):
            low, high = rows.loc[rows["estimate"].idxmin()], rows.loc[rows["estimate"].idxmax()]
            ends = [
                f"{style.text(row['estimate'], '+.2g')} ({row['level']}, {row['dimension']})" for row in (low, high)
            ]
            away = ((rows["low"] > 0) | (rows["high"] < 0)).sum()
            clauses.append(
                f"{group}s all at 0"
                if _is_flat(rows)
                else f"{group}s from {' to '.join(ends)}, {away} of {len(rows)} differ from 0"
            )
        sentences.append(f"{name}, {style.label(model, of_model['planted'].iloc[0])}: {'; '.join(clauses)}.")
    return f"Caterpillar plots of random effects by dimension. {' '.join(sentences)}"
