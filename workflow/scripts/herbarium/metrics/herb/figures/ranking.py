"""Countries and continents by how likely a model finds one description of them (after Fig. 1b of Li et al., 2022)."""

import pandas as pd

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
# Countries named at either end of the ranking.
ENDS = 15
_AXIS = "f(S) minus both averages<br>(nats per token)"
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


def panels(table: pd.DataFrame) -> list[dict]:
    """The continents, then all countries, those at either end with their names: one panel per model. table: rows of
    `table` (see there)."""
    names = table.drop_duplicates("region").set_index("region")["name"]
    if table["rank"].isna().all():
        return []
    rows = table.rename(columns={"f_deviation": "estimate"})
    rows = rows.assign(continent_name=rows["continent"].map(names).fillna(rows["continent"]))
    rows["name"] = rows["name"].map(title)
    return [
        interactive.ranking(label if len(known) else f"{label}: no score", known, _AXIS, rows, ENDS)
        for label, group in interactive.by_model(rows)
        for known in [group.dropna(subset="rank")]
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
        f"Ranked dots, one panel per model, of the log-probability of “{words}” for a region, minus that for the "
        f"average country, in nats per token. {' '.join(sentences)}"
    )
