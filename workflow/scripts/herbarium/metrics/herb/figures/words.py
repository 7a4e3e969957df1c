"""Which descriptions drive a region's bias: their shares of the squared distance between its sub-regions, ranked."""

import textwrap

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.herb import score as herb
from herbarium.metrics.herb import words as herb_words
from herbarium.metrics.herb.figures.continents import title
from herbarium.metrics.herb.selection import rows_of_parents
from herbarium.regions import levels

COLUMNS = ["model", "planted", "region", "level", "name", "n", "rank", "topic", "description", "share", "deviation"]
TOP = 10
LEGEND = (
    "Share of the mean squared distance of sub-regions; dashed: equal shares. Orange: likelier for the region than for "
    "its siblings; purple: less likely; grey: it has no siblings."
)
EMPTY = style.Empty("No region of this hierarchy has two sub-regions to compare.")
_HIGHER, _LOWER, _NEITHER = *(mpl.colormaps[style.DIVERGING](x) for x in (0.88, 0.12)), "#777777"


def table(f_by_model: dict[str, pd.DataFrame], regions: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """The share of every description in the bias of the root and of each region directly below it, ranked.

    f_by_model: f(S) by model name (`likelihoods.load`). regions: table of regions. models: model records, in any
    order.

    Returns one row per model (planted ones by strength), region and description, by rank, with COLUMNS. `n`:
    sub-regions compared. `share`: of `words.shares`. `rank`: 1 for the largest share in its region, equal ones share
    the lowest rank. `deviation`: v of the region itself minus those of its siblings (`deviation_from_siblings`), null
    for the root, which has neither. `share` and `rank` are null if the region has fewer than two sub-regions that can
    be measured, or the description has no score anywhere.
    """
    shown = pd.concat([regions[regions["parent"].isna()], levels.continents(regions)])
    parts = []
    for model in style.by_strength(models):
        matrix = f_by_model[model["name"]]
        kept, f = complete(matrix, regions)
        parent = rows_of_parents(kept)
        V = herb_words.aggregated_vectors(f.to_numpy(), parent)
        siblings = kept["region"].isin(shown["region"]).to_numpy() & (parent != -1)
        deviation = pd.DataFrame(
            herb_words.deviation_from_siblings(herb.descriptive_vectors(f.to_numpy()[siblings])),
            index=kept.loc[siblings, "region"],
            columns=f.columns,
        )
        for region in shown.itertuples(index=False):
            below = kept["parent"].to_numpy() == region.region
            share = pd.Series(herb_words.shares(V[below]), index=f.columns)
            rows = share.reindex(matrix.columns).rename("share").reset_index()
            rows["rank"] = rows["share"].rank(method="min", ascending=False).astype("Int64")
            own = deviation.reindex(index=[region.region], columns=matrix.columns)
            rows["deviation"] = own.to_numpy()[0]
            rows = rows.assign(region=region.region, level=region.level, name=region.name, n=below.sum())
            rows["model"] = model["name"]
            rows["planted"] = np.nan if model["planted"] is None else float(model["planted"])
            parts.append(rows.sort_values("rank", kind="stable")[COLUMNS])
    return pd.concat(parts, ignore_index=True)


def complete(f: pd.DataFrame, regions: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The regions and descriptions with vectors if sentences were refused (`score.scorable`).

    f: of `likelihoods.load`. regions: table "regions". Returns the rows that remain, including the root, and their f (a
    row of nan for the root), without the descriptions that no region has.
    """
    whole = f.reindex(regions["region"])
    # HERB needs f of the bare name too; vectors do not
    kept, used = herb.scorable(whole.to_numpy(), np.zeros(len(whole)), rows_of_parents(regions))
    return regions[kept].reset_index(drop=True), whole.loc[kept, used]


def figure(table: pd.DataFrame) -> Figure:
    """Bars of the largest shares: one column of panels per model, one row per region.

    table: rows of `table` (see there).
    """
    if table["share"].isna().all():
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    regions = table.drop_duplicates("region")
    n_words = min(TOP, table[["topic", "description"]].drop_duplicates().shape[0])
    with style.context():
        # beyond four models the words no longer fit beside their bars
        width = max(min(0.4 + 2.8 * len(models), style.WIDTH), 1.75 * len(models))
        figure = Figure(figsize=(width, 1.0 + len(regions) * (0.45 + 0.125 * n_words)))
        panels = figure.subplots(len(regions), len(models), squeeze=False, sharex=True)
        for line, region in zip(panels, regions.itertuples(index=False), strict=True):
            for panel, model in zip(line, models["model"], strict=True):
                own = table[(table["model"] == model) & (table["region"] == region.region)]
                _draw(panel, own)
        for panel, (model, planted) in zip(panels[0], models.itertuples(index=False), strict=True):
            panel.annotate(
                textwrap.fill(style.label(model, planted), 20),
                (0, 1),
                xycoords="axes fraction",
                xytext=(0, 20),
                textcoords="offset points",
                fontweight="bold",
                parse_math=False,
            )
        panels[-1, 0].xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        figure.supxlabel(textwrap.fill(LEGEND, int(13 * width)), fontsize=9)
    return figure


def _draw(panel, own: pd.DataFrame) -> None:
    """One region of one model. own: its rows of the table."""
    region, n = own["name"].iloc[0], own["n"].iloc[0]
    # a name may extend beyond its panel, which it would narrow otherwise
    panel.set_title(f"{title(region)} (n = {n})", fontsize=8.5, parse_math=False).set_in_layout(False)
    panel.spines["left"].set_visible(False)
    panel.tick_params(axis="y", length=0)
    ranked = own.dropna(subset="share")
    if ranked.empty:
        panel.text(0.02, 0.5, "no two sub-regions that differ", transform=panel.transAxes, fontsize=8)
        panel.set_yticks([])
        return
    # a word of two topics is two dimensions: only its topic distinguishes them
    twice = ranked["description"].duplicated(keep=False)
    text = ranked["description"].where(~twice, ranked["description"] + " (" + ranked["topic"] + ")")
    first = ranked.head(TOP)
    colours = [_NEITHER if pd.isna(d) else _HIGHER if d > 0 else _LOWER for d in first["deviation"]]
    panel.barh(np.arange(len(first)), first["share"], color=colours, height=0.75)
    panel.axvline(1 / len(ranked), color="black", linewidth=0.8, linestyle=(0, (3, 2)))
    panel.set_yticks(np.arange(len(first)), text.head(TOP), fontsize=7, parse_math=False)
    panel.set_ylim(TOP - 0.4 if len(ranked) >= TOP else len(first) - 0.4, -0.6)
    panel.grid(axis="x")


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form (`drawing.panels`): one panel per region, of descriptions that come first in any model."""
    ranked = table.dropna(subset="share")
    ranked = ranked.assign(
        estimate=ranked["share"],
        series=interactive.labels(ranked),
        line=ranked["description"],
        name=ranked["name"].map(title) + ": " + ranked["description"] + " (" + ranked["topic"] + ")",
    )
    looks, found = style.looks(ranked["series"]), []
    for _, rows in ranked.groupby("region", sort=False):
        best = rows.groupby("line")["rank"].min().sort_values(kind="stable").index[:TOP]
        shown = rows[rows["line"].isin(best)].sort_values(
            "line", key=lambda of: of.map(list(best).index), kind="stable"
        )
        found.append(interactive.forest(title(rows["name"].iloc[0].partition(": ")[0]), shown, "share", looks))
    return found


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first three descriptions of each model and region."""
    if table["share"].isna().all():
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        firsts = [
            f"{own['name'].iloc[0]}: "
            + ", ".join(f"{row.description} {row.share:.1%}" for row in own.head(3).itertuples())
            for _, own in rows.dropna(subset="share").groupby("region", sort=False)
        ]
        sentences.append(f"{style.label(model, planted)}: {'; '.join(firsts) or 'no share'}.")
    return (
        f"Bars of the descriptions with the largest shares of the distance between sub-regions. {' '.join(sentences)}"
    )
