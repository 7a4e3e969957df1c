"""Which descriptions drive a region's bias: their shares of the squared distance between its sub-regions, ranked."""

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.herb import score as herb
from herbarium.metrics.herb import words as herb_words
from herbarium.metrics.herb.figures.continents import title
from herbarium.metrics.herb.selection import rows_of_parents
from herbarium.regions import levels

COLUMNS = ["model", "planted", "region", "level", "name", "n", "rank", "topic", "description", "share", "deviation"]
TOP = 10
AXIS = "share of the mean squared distance of sub-regions (line: equal shares)"
EMPTY = style.Empty("No region of this hierarchy has two sub-regions to compare.")


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
        regions_known, f = complete(matrix, regions)
        parent = rows_of_parents(regions_known)
        V = herb_words.aggregated_vectors(f.to_numpy(), parent)
        siblings = regions_known["region"].isin(shown["region"]).to_numpy() & (parent != -1)
        deviation = pd.DataFrame(
            herb_words.deviation_from_siblings(herb.descriptive_vectors(f.to_numpy()[siblings])),
            index=regions_known.loc[siblings, "region"],
            columns=f.columns,
        )
        for region in shown.itertuples(index=False):
            below = regions_known["parent"].to_numpy() == region.region
            share = pd.Series(herb_words.shares(V[below]), index=f.columns)
            rows = share.reindex(matrix.columns).rename("share").reset_index()
            rows["rank"] = rows["share"].rank(method="min", ascending=False).astype("Int64")
            deviations = deviation.reindex(index=[region.region], columns=matrix.columns)
            rows["deviation"] = deviations.to_numpy()[0]
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
    is_scorable, used = herb.scorable(whole.to_numpy(), np.zeros(len(whole)), rows_of_parents(regions))
    return regions[is_scorable].reset_index(drop=True), whole.loc[is_scorable, used]


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per region, of descriptions that come first in any model. table: rows of `table` (see there)."""
    ranked = table.dropna(subset="share")
    # a word of two topics is two dimensions: only its topic distinguishes them
    with_topic = ranked["description"] + " (" + ranked["topic"] + ")"
    twice = ranked.groupby("description")["topic"].transform("nunique") > 1
    ranked = ranked.assign(
        estimate=ranked["share"],
        series=interactive.labels(ranked),
        line=ranked["description"].where(~twice, with_topic),
        region_name=ranked["name"].map(title),
        name=ranked["name"].map(title) + ": " + with_topic,
    )
    looks, plots = interactive.looks_of(ranked), []
    for _, rows in ranked.groupby("region", sort=False):
        best = list(rows.groupby("line")["rank"].min().sort_values(kind="stable").index[:TOP])
        shown = rows[rows["line"].isin(best)].sort_values(
            "line", key=lambda column: column.map(best.index), kind="stable"
        )
        heading = f"{rows['region_name'].iloc[0]} ({rows['n'].max()} sub-regions)"
        plots.append(interactive.forest(heading, shown, AXIS, looks, [1 / rows["line"].nunique()]))
    return plots


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first three descriptions of each model and region."""
    if table["share"].isna().all():
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        firsts = [
            f"{group['name'].iloc[0]}: "
            + ", ".join(f"{row.description} {row.share:.1%}" for row in group.head(3).itertuples())
            for _, group in rows.dropna(subset="share").groupby("region", sort=False)
        ]
        sentences.append(f"{style.label(model, planted)}: {'; '.join(firsts) or 'no share'}.")
    return (
        f"Dots of the descriptions with the largest shares of the distance between sub-regions. {' '.join(sentences)}"
    )
