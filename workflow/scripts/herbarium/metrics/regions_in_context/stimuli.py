"""Sentences that name a region and describe its people, with the position in each whose vector is needed; and the
stereotypes of each region."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.random import stream
from herbarium.core.resources import check_cells, fill, finder, read_text_table
from herbarium.core.store import schema
from herbarium.metrics.regions_in_context.names import METRIC
from herbarium.regions import leans
from herbarium.vectors import tables

SLOTS = ("region", "description")
PLANTED = "planted"
# One row per needed vector, in the order of the table of words: by template, description and region. `topic`: the list
# that the description is from. `continent`: the region directly below the root that contains the region. `stereotype`:
# how strongly the description is associated with the region; null if not given.
DESIGN = schema(
    "regions_in_context_design",
    ("template", pa.string()),
    ("description", pa.string()),
    ("topic", pa.string()),
    ("region", pa.string()),
    ("continent", pa.string()),
    ("stereotype", pa.float64()),
    nullable=("stereotype",),
)


def read_stereotypes(path: str | Path) -> pd.DataFrame:
    """Pairs of a region, by its identifier in the hierarchy, and a description: columns `region` and `description`.

    Raises HerbariumError, with the row, for an empty cell.
    """
    table = read_text_table(path, ["region", "description"])
    check_cells(path, table, ["region", "description"])
    return table[["region", "description"]]


def check_stereotypes(stereotypes: pd.DataFrame, column: str, names: Collection[str], what: str) -> None:
    """Raise HerbariumError, with the row, for a stereotype of a region or description that is not one of `names`.

    stereotypes: of `read_stereotypes`. column: of it. what: an unknown name is, in words."""
    unknown = stereotypes.loc[~stereotypes[column].isin(names), column]
    if len(unknown):
        raise HerbariumError(
            f"stereotypes, row {unknown.index[0] + 1}: the {column} '{unknown.iloc[0]}' is {what}"
            f"{did_you_mean(unknown.iloc[0], names)}"
        )


def chosen(countries: pd.DataFrame, stereotypes: pd.DataFrame | None, most: int, name: str, seed: int) -> pd.DataFrame:
    """The countries to name, or a random sample of the largest number: from all, or from those with listed stereotypes.

    countries: rows of the table "regions"; the result likewise. name: of the set.
    """
    if stereotypes is not None:
        countries = countries[countries["region"].isin(stereotypes["region"])]
    if len(countries) > most:
        chosen_rows = stream(seed, METRIC, name, "regions").choice(len(countries), most, replace=False)
        countries = countries.iloc[np.sort(chosen_rows)]
    return countries


def planted(regions: pd.DataFrame, countries: pd.DataFrame, descriptions: Sequence[str], seed: int) -> np.ndarray:
    """(n_descriptions, n_countries): the planted association of descriptions and countries in texts of the testbed,
    without the strength. regions: table "regions". countries: rows of it."""
    places = pd.Series(range(len(regions)), regions["region"])[countries["region"]]
    return leans.affinities(regions, descriptions, seed)[places].T


def listed(stereotypes: pd.DataFrame, countries: pd.DataFrame, descriptions: Sequence[str]) -> np.ndarray:
    """(n_descriptions, n_countries): 1 if a pair is listed, else 0. stereotypes: of `read_stereotypes`."""
    pairs = set(stereotypes.itertuples(index=False, name=None))
    return np.array([[float((region, word) in pairs) for region in countries["region"]] for word in descriptions])


def instantiate(
    templates: Mapping[str, str],
    topics: Mapping[str, str],
    countries: pd.DataFrame,
    stereotypes: np.ndarray | None,
    word: str | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The positions whose vectors are needed, of the schema "words", and their design, of `DESIGN`.

    templates: by their names, with [region] and [description]. topics: description -> its topic. countries: of
    `levels.countries`. stereotypes: (n_descriptions, n_countries), if there are any. word: of the templates, whose
    vector is used instead of the description's; raises HerbariumError if a template lacks it.
    """
    rows, columns = [], ["region", "name", "continent"]
    for name, template in templates.items():
        for number, (description, topic) in enumerate(topics.items()):
            for place, (region, of_region, continent) in enumerate(countries[columns].itertuples(index=False)):
                text, spans = fill(template, region=of_region, description=description)
                start, end = _span(text, spans, word)
                row = {"template": name, "description": description, "topic": topic, "region": region, "text": text}
                stereotype = None if stereotypes is None else stereotypes[number, place]
                rows.append(row | {"continent": continent, "start": start, "end": end, "stereotype": stereotype})
    table = pd.DataFrame(rows)
    words = tables.bare(table["text"], concept=table["description"]).assign(start=table["start"], end=table["end"])
    return words, table[DESIGN.fields.names].astype({"stereotype": float})


def sees_region(template: str, word: str | None) -> bool:
    """Whether the region comes before the measured word, so that a model that reads from left to right has seen it.
    template, word, errors: as for `instantiate`."""
    text, spans = fill(template, **{slot: f"[{slot}]" for slot in SLOTS})
    return spans["region"][1] <= _span(text, spans, word)[0]


def _span(text: str, spans: Mapping[str, tuple[int, int]], word: str | None) -> tuple[int, int]:
    """The position of the description in a filled template, or the first position of a word of the template, which is
    in none of its fillers."""
    if word is None:
        return spans["description"]
    for match in finder([word], re.IGNORECASE).finditer(text):
        if all(match.end() <= start or end <= match.start() for start, end in spans.values()):
            return match.span()
    raise HerbariumError(f"word: '{word}' is not in the template of '{text}'.")
