"""Countries and continents by how likely a model finds one description of them (after Fig. 1b of Li et al., 2022)."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.herb.figures import likelihoods
from herbarium.metrics.herb.figures.continents import title
from herbarium.regions import levels

COLUMNS = [
    "model",
    "planted",
    "description",
    "group",
    "rank",
    "region",
    "name",
    "continent",
    "f",
    "f_relative",
    "f_deviation",
]
CONTINENTS, COUNTRIES = "continents", "countries"
# Countries shown at either end of the ranking.
ENDS = 15
# Characters of a name; longer ones are cut between words. The CSV has them in full.
LONGEST = 26
EMPTY = style.Empty("No region of this hierarchy has a score to rank.")


def table(
    f_by_model: dict[str, pd.DataFrame], regions: pd.DataFrame, models: list[dict], description: str
) -> pd.DataFrame:
    """Scores of one description for every continent and every country, ranked.

    f_by_model: f(S) by model name (`likelihoods.load`). regions: table of regions. models: model records, in any
    order.

    Returns one row per model (planted ones by strength), group (continents, then countries; `levels`) and region, by
    rank, with COLUMNS. `f`, `f_relative` and, for countries, `f_deviation` are those of `map.table`: f_deviation is
    f_relative minus the model's mean over countries, also for continents. `rank`: 1 for the highest in its group, equal
    values share the lowest rank, null if the sentence was refused. `continent`: the identifier.
    """
    countries = levels.countries(regions).assign(group=COUNTRIES)
    continents = levels.continents(regions).assign(group=CONTINENTS)
    continents = continents[~continents["region"].isin(countries["region"])].assign(continent=continents["region"])
    rows = likelihoods.of_description(f_by_model, pd.concat([continents, countries]), models, description)
    mean = rows["f_relative"].where(rows["group"] == COUNTRIES).groupby(rows["model"]).transform("mean")
    rows["f_deviation"] = rows["f_relative"] - mean
    rows["rank"] = rows.groupby(["model", "group"])["f_deviation"].rank(method="min", ascending=False).astype("Int64")
    order = rows["model"].map({model: place for place, model in enumerate(rows["model"].unique())})
    by_rank = rows.assign(order=order).sort_values(["order", "group", "rank"], kind="stable")
    return by_rank[COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame) -> Figure:
    """Bars of `f_deviation`, one panel per model: continents, and the countries at either end of the ranking.

    table: rows of `table` (see there).
    """
    ranked = table.dropna(subset="rank")
    if ranked.empty:
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    colour_of = style.colours(table["continent"])
    shown = [lines(ranked[ranked["model"] == model]) for model in models["model"]]
    columns = min(len(models), 3)
    rows = -(-len(models) // columns)
    with style.context():
        height = 0.9 + rows * (0.5 + 0.15 * max(map(len, shown)))
        figure = Figure(figsize=(style.WIDTH * max(1 / 2, columns / 3), height))
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
        for panel in panels[len(models) :]:
            panel.remove()
        for panel, (model, planted), model_lines in zip(panels, models.itertuples(index=False), shown, strict=False):
            _draw(panel, model_lines, colour_of)
            panel.set_title(style.label(model, planted), loc="right", parse_math=False)
        words = ", ".join(table["description"].drop_duplicates())
        figure.suptitle(f"“{words}”", x=0.01, ha="left", fontsize=10, parse_math=False)
        figure.supxlabel(
            "$f(S)$ relative to the average of its region and\nof its description, over countries (nats per token)",
            fontsize=9,
        )
    return figure


def lines(ranked: pd.DataFrame) -> list[tuple[str, float, str | None]]:
    """The lines of one model's panel, from the top: (text, value, continent).

    ranked: rows of one model, by rank. A line that is not a region has no continent: a heading, the countries left out.
    """
    entries = []
    for group, rows in ranked.groupby("group", sort=False):
        heading = group.capitalize() if len(rows) <= 2 * ENDS else f"{group.capitalize()}, {ENDS} at either end"
        bars = [
            (
                f"{row.rank}  {textwrap.shorten(title(row.name), LONGEST, placeholder='…')}",
                row.f_deviation,
                row.continent,
            )
            for row in rows[["rank", "name", "f_deviation", "continent"]].itertuples(index=False)
        ]
        if len(bars) > 2 * ENDS:
            bars[ENDS:-ENDS] = [(f"⋮  {len(bars) - 2 * ENDS} more", np.nan, None)]
        entries += [(heading, np.nan, None), *bars]
    return entries or [("No score", np.nan, None)]


def _draw(panel, bars: list[tuple[str, float, str | None]], colour_of: dict[str, str]) -> None:
    text, value, continent = zip(*bars, strict=True)
    y = np.arange(len(bars))
    is_bar = np.array([name is not None for name in continent])
    colours = [colour_of[name] for name in continent if name is not None]
    panel.barh(y[is_bar], np.array(value)[is_bar], color=colours, height=0.75)
    panel.set_yticks(y, text, parse_math=False)
    for tick, bar in zip(panel.get_yticklabels(), is_bar, strict=True):
        tick.set(fontsize=7, fontweight="normal" if bar or tick.get_text().startswith("⋮") else "bold")
    panel.axvline(0, color="#777777", linewidth=0.6)
    panel.set_ylim(len(bars) - 0.4, -0.6)
    panel.grid(axis="x")
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)


def panels(table: pd.DataFrame) -> list[dict]:
    """All of the ranking, one panel per model and group, interactive (`drawing.panels`). table: as for `figure`."""
    names = table.drop_duplicates("region").set_index("region")["name"]
    rows = table.dropna(subset="rank").rename(columns={"rank": "x", "f_deviation": "estimate"})
    rows = rows.assign(continent_name=rows["continent"].map(names).fillna(rows["continent"]))
    axis = "f(S) minus both averages<br>(nats per token)"
    return [
        interactive.scatter(f"{label}, {group}", of_group, "rank", axis, rows)
        for label, of_model in interactive.by_model(rows)
        for group, of_group in of_model.groupby("group", sort=False)
    ]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per model."""
    if table["rank"].isna().all():
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        ends = []
        for group, group_rows in rows.dropna(subset="rank").groupby("group", sort=False):
            high, low = group_rows.iloc[0], group_rows.iloc[-1]
            ends.append(
                f"{len(group_rows)} {group} from {style.text(high['f_deviation'], '+.3f')} ({high['name']}) "
                f"to {style.text(low['f_deviation'], '+.3f')} ({low['name']})"
            )
        sentences.append(f"{style.label(model, planted)}: {'; '.join(ends) or 'no score'}.")
    words = ", ".join(table["description"].drop_duplicates())
    return (
        f"Ranked bars, one panel per model, of the log-probability of “{words}” for a region, minus that for the "
        f"average country, in nats per token. {' '.join(sentences)}"
    )
