"""Interactive figures whose functions have yet to move to the modules of their figures, as `panels`. Not to stay."""

from collections.abc import Iterator

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.panels import by_model, colour_limit, dots, forest, labels, map_, plain, scatter, shaded
from herbarium.metrics.herb.figures import continents
from herbarium.metrics.herb.figures.continents import SCALE

_C_W = "C<sub>w</sub> × 10³"  # SCALE
_DEVIATION = "f(S) beyond both averages<br>(nats per token)"


# --- figures ---


def _herb_map(table: pd.DataFrame) -> list[dict]:
    limit = colour_limit(table["f_deviation"])
    return [map_(label, rows, "f_deviation", limit, "nats per token") for label, rows in by_model(table)]


def _herb_continents(table: pd.DataFrame) -> list[dict]:
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    table = table.assign(**scaled, line=table["name"].map(continents.title), series=labels(table))
    return [forest("", table, f"size-free {_C_W}")]


def _herb_ranking(table: pd.DataFrame) -> list[dict]:
    names = table.drop_duplicates("region").set_index("region")["name"]
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "f_deviation": "estimate"})
    table = table.assign(continent_name=table["continent"].map(names).fillna(table["continent"]))
    return [
        scatter(f"{label}, {group}", rows, "rank", _DEVIATION, table)
        for label, of_model in by_model(table)
        for group, rows in of_model.groupby("group", sort=False)
    ]
