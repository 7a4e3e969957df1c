"""Tables 3.6 to 3.9 of Zhao (2021) compared with our numbers."""

import pandas as pd

from herbarium.metrics.languages.numbers import ARROW, FOUND, INBIAS, METRIC, PAPER, RELEASED
from herbarium.statistics import agreement

_VECTORS = "the contents of the fastText vectors that the figure is of are not recorded"
# For each table, its number, and the factor of a figure in its unit.
_TABLES = {
    "Table 3.6": (INBIAS, 1.0),
    "Table 3.7": (FOUND, 100.0),
    "Table 3.8": (INBIAS, 1.0),
    "Table 3.9": (FOUND, 100.0),
}
# Definitions of the published tables: for translations, the thesis says RCSLS.
_DEFINITIONS = {INBIAS: {PAPER: "paper", RELEASED: "released"}, FOUND: {"rcsls": "paper"}}


def beside(numbers: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Every published figure compared with ours: rows of the schema "published".

    numbers: tidy rows, only for spaces of the authors' lists, whose languages are named as in the tables (en, es, de,
    fr, endeb). published: of resources/languages/published.csv, every cell as text.
    """
    figures = published.assign(doubt=published["doubt"].fillna(""))
    ours = [_ours(numbers, table, *key) for table, key in _TABLES.items()]
    return agreement.beside(METRIC, figures, [agreement.of_others(rows, _VECTORS) for rows in ours])


def _ours(numbers: pd.DataFrame, table: str, variant: str, unit: float) -> pd.DataFrame:
    rows = numbers[(numbers["variant"] == variant) & numbers["definition"].isin(_DEFINITIONS[variant])]
    sides = rows["group"].str.upper().str.split(ARROW, n=1)
    places = rows.assign(table=table, row=sides.str[0], column=sides.str[-1], said="of " + rows["model"])
    places["definition"] = places["definition"].map(_DEFINITIONS[variant])
    places["estimate"] *= unit
    keys = [*agreement.CELL, "said", "unit"]
    return places.pivot_table("estimate", keys, "definition").reset_index().rename_axis(columns=None)
