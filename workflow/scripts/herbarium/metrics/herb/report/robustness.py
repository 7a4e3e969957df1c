"""How robust the scores of HERB are, as data for the page: what the number of the root depends on, and what is tested.

Each function returns the rows of one table of the page, none if the study has no such numbers. `labels` maps a model's
name to its label, in the order of the page; every table includes every model. `of_root` are the rows of the tidy table
of the root.
"""

import itertools
import math

import numpy as np
import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.herb import differences as herb_differences
from herbarium.metrics.herb import overview
from herbarium.metrics.herb import published as herb_published
from herbarium.metrics.herb.ablations import OF_COUNTRIES, RELEASED_AGGREGATION
from herbarium.metrics.herb.figures import continents
from herbarium.metrics.herb.numbers import OVER_SUB_REGIONS, over_descriptions
from herbarium.metrics.herb.stimuli import PAPER, RELEASED
from herbarium.report.numbers import least_p as least_of
from herbarium.report.numbers import number, p_text, p_value
from herbarium.statistics import inference
from herbarium.statistics.paired import MINUS

SCORE = "C_w_size_free"
# The differences of models that are shown: for the primary number, over names; for the score as published.
DIFFERENCES = (herb_differences.OF_CROSSED, over_descriptions(SCORE))
_ABSENT = pd.Series(
    {
        "estimate": math.nan,
        "ci_low": math.nan,
        "ci_high": math.nan,
        "p_adjusted": math.nan,
        "n": None,
        "least": math.nan,
    }
)


def facts(numbers: pd.DataFrame, regions: pd.DataFrame, models: list[dict], herb: dict) -> dict | None:
    """The content of the page's section; None if the study has none of it.

    numbers: tidy rows of HERB. regions: table of regions. models: model records in the order of the page. herb: its
    section of the configuration.
    """
    root = regions.loc[regions["parent"].isna()].iloc[0]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    numbers = with_least(numbers.reset_index(drop=True), herb)
    of_root = numbers[numbers["group"] == root["region"]]
    tables = {
        "intervals": intervals(numbers, regions, models),
        "templates": wordings(of_root, labels, "template"),
        "names": wordings(of_root, labels, ("name_", "over_names")),
        "released": released(numbers, regions, models),
        "departures": departures(of_root, labels),
        "hierarchy": hierarchy(of_root, labels),
        "differences": differences(of_root, models),
    }
    if not any(tables.values()):
        return None
    return tables | {
        "root": root["name"],
        "least_p": least_p(numbers, herb["bootstrap"], herb["tests"]["correction"]) if tables["differences"] else None,
    }


def intervals(numbers: pd.DataFrame, regions: pd.DataFrame, models: list[dict]) -> list[dict]:
    """One row per region below the root: the score of each model with its interval over sub-regions."""
    rows = _by(numbers[numbers["variant"] == f"{SCORE}{OVER_SUB_REGIONS}"], "model", "group")
    return [
        {
            "name": continents.title(place.name),
            "cells": [_cell(rows.get((model["name"], place.region), _ABSENT)) for model in models],
        }
        for place in continents.places(regions, models).drop_duplicates("region").itertuples()
        if any((model["name"], place.region) in rows for model in models)
    ]


def wordings(of_root: pd.DataFrame, labels: dict[str, str], prefix: str | tuple[str, ...]) -> dict | None:
    """The score as published and under other wordings: `columns`, their titles, and `rows`, one per model.
    `has_cities`: whether cities are included.

    prefix: the first letters of the wordings that are shown, of `overview.wordings`. The variance over templates is
    shown as the standard deviation.
    """
    table = overview.wordings(of_root, {})
    table = table[table["variant"] == SCORE]
    others = table[table["wording"].str.startswith(prefix)]
    if others.empty:
        return None
    (metric,) = others["metric"].unique()
    table, others = table[table["metric"] == metric], others["wording"].drop_duplicates().tolist()
    is_variance = table["wording"] == "templates_variance"
    shown = ["estimate", "ci_low", "ci_high"]
    table[shown] = table[shown].where(~is_variance, np.sqrt(table[shown].where(is_variance)))
    rows = _by(table, "model", "wording")
    columns = ["as published", *others]
    return {
        "has_cities": metric != OF_COUNTRIES,
        "columns": [_title(wording) for wording in columns],
        "rows": [
            {"label": label, "cells": [_cell(rows.get((model, wording), _ABSENT)) for wording in columns]}
            for model, label in labels.items()
        ],
    }


def _title(wording: str) -> str:
    titles = {
        "templates_pooled": "pooled",
        "templates_variance": "standard deviation",
        "over_names": "interval over names",
    }
    return titles.get(wording, wording.removeprefix("template_").removeprefix("name_"))


def released(numbers: pd.DataFrame, regions: pd.DataFrame, models: list[dict]) -> list[dict]:
    """One row per region, the root first: C_w of each model, as in the paper and as in the released code."""
    is_shown = (numbers["metric"] == "herb") & (numbers["variant"] == "C_w")
    is_shown &= numbers["definition"].isin([PAPER, RELEASED])
    places = continents.places(regions, models).drop_duplicates("region")
    rows = _by(numbers[is_shown & numbers["group"].isin(places["region"])], "model", "definition", "group")
    if not any(definition == RELEASED for _, definition, _ in rows):
        return []
    return [
        {
            "name": continents.title(place.name),
            "cells": [
                _cell(rows.get((model["name"], definition, place.region), _ABSENT))
                for model in models
                for definition in (PAPER, RELEASED)
            ],
        }
        for place in places.itertuples()
    ]


def departures(of_root: pd.DataFrame, labels: dict[str, str]) -> list[dict]:
    """One row per departure of the released code: the factor by which it changes C_w of each model.

    The one with the largest factor, up or down, in any model comes first; combinations come last.
    """
    table = herb_published.departures(of_root)
    table = table[table["variant"] == "C_w"]
    table["size"] = table["ratio"].where(table["ratio"] >= 1, 1 / table["ratio"])
    table["together"] = table["departure"].isin([RELEASED_AGGREGATION, RELEASED])
    order = table.groupby(["together", "departure", "meaning", "metric"], sort=False)["size"].max().reset_index()
    order["size"] = order["size"].where(~order["together"])
    order = order.sort_values(["together", "size"], ascending=[True, False], kind="stable")
    ratios = table.rename(columns={"ratio": "estimate"}).assign(ci_low=math.nan, ci_high=math.nan)
    rows = _by(ratios, "model", "departure")
    return [
        {
            "departure": row.departure,
            "meaning": row.meaning,
            "together": row.together,
            "has_cities": row.metric != OF_COUNTRIES,
            "cells": [number(rows.get((model, row.departure), _ABSENT), scale=1) for model in labels],
        }
        for row in order.itertuples()
    ]


def with_least(numbers: pd.DataFrame, herb: dict) -> pd.DataFrame:
    """The rows with the least adjusted p-value (`least`) that the tests of the hierarchy and of differences can
    give."""
    n, correction = herb["bootstrap"]["replicates"], herb["tests"]["correction"]
    for metric, alone, family in (
        ("herb_hierarchy", inference.least_p_value(herb["tests"]["permutations"] + 1), ["model"]),
        ("herb_differences", inference.least_p_value(n + 1, extreme=2), ["variant"]),
    ):
        rows = numbers[(numbers["metric"] == metric) & numbers["unit"].ne("regions")]
        rows = rows[rows["variant"] != herb_differences.OF_CROSSED]  # of no replicates
        numbers.loc[rows.index, "least"] = least_of(rows, alone, family, correction)
    return numbers


def hierarchy(of_root: pd.DataFrame, labels: dict[str, str]) -> list[dict]:
    """One row per model and level: how much closer than by chance regions of one region lie, with its p-value."""
    effects = of_root[(of_root["metric"] == "herb_hierarchy") & (of_root["variant"] == "effect")]
    return [
        {
            "label": label,
            "level": row["unit"],
            "effect": _cell(row, scale=1),
            "p": p_value(row["p_adjusted"], row.get("least", math.nan)),
        }
        for model, label in labels.items()
        for _, row in effects[effects["model"] == model].iterrows()
    ]


def differences(of_root: pd.DataFrame, models: list[dict]) -> list[dict]:
    """One row per pair of models: the numbers of the one further down the page minus those of the other, as tested.

    `cells`: the difference, interval and p-value of each of `DIFFERENCES`.
    """
    rows = _by(of_root[of_root["metric"] == "herb_differences"], "model", "variant")
    entries = []
    for low, high in itertools.combinations(models, 2):
        estimates = [_difference(rows, high["name"], low["name"], variant) for variant in DIFFERENCES]
        if any(row is not _ABSENT for row in estimates):
            cells = [_cell(row) | {"p": p_text(row["p_adjusted"], row.get("least", math.nan))} for row in estimates]
            entries.append({"label": f"{high['name']}{MINUS}{low['name']}", "of": cells})
    return entries


def _difference(rows: dict[tuple, pd.Series], a: str, b: str, variant: str) -> pd.Series:
    """The row of a minus b, with the sign flipped if the study has b minus a."""
    if (f"{b}{MINUS}{a}", variant) not in rows:
        return rows.get((f"{a}{MINUS}{b}", variant), _ABSENT)
    row = rows[f"{b}{MINUS}{a}", variant].copy()
    row["estimate"], row["ci_low"], row["ci_high"] = 0 - row["estimate"], 0 - row["ci_high"], 0 - row["ci_low"]
    return row


def least_p(numbers: pd.DataFrame, bootstrap: dict, correction: str) -> dict:
    """The least p-value that this number of replicates can give a difference of models, before and after adjustment
    over its family.

    `n`: the differences of the family over descriptions, which has the most. `is_too_high`: whether even the least is
    not significant.
    """
    is_family = (numbers["metric"] == "herb_differences") & (numbers["unit"] == "models")
    is_family &= numbers["variant"] == over_descriptions(SCORE)
    n = int(numbers.loc[is_family, "p_value"].notna().sum())
    least = inference.least_p_value(bootstrap["replicates"] + 1, extreme=2)
    adjusted = inference.least_adjusted(np.full(n, least), correction).min(initial=1)
    is_too_high = bool(adjusted >= 1 - bootstrap["level"])
    return {"plain": p_value(least), "adjusted": p_value(adjusted), "is_too_high": is_too_high, "n": n}


def _by(rows: pd.DataFrame, *columns: str) -> dict[tuple, pd.Series]:
    """Each row by its values in the columns."""
    return {tuple(row[list(columns)]): row for _, row in rows.iterrows()}


def _cell(row: pd.Series, needs: str = "estimate", scale: float = continents.SCALE) -> dict[str, str | None]:
    """`number` of a row; if `needs` is null, with the row's note, which says why."""
    note = row.get("note") if pd.isna(row[needs]) else None
    return {**number(row, scale), "note": None if pd.isna(note) else note}
