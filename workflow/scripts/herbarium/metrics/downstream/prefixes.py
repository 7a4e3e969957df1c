"""The prefixes of a task's texts: a sentence about each region, and the controls.

A prefix is the task's template with its slot filled: "The cast is from Peru." Any prefix changes a model's predictions,
so there are two kinds of controls, fillers without a region ("here") and made-up place names.
"""

import difflib
from collections.abc import Iterable

import pandas as pd
import pyarrow as pa

from herbarium.core import resources, store
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.regions import levels

KINDS = (ORIGINAL, REGION, CONTROL, NONSENSE) = ("original", "region", "control", "nonsense")
UNITS_OF_REGIONS = (COUNTRY, CITY, CITY_COUNTRY) = ("country", "city", "city_country")
# One row per prefix, numbered from 0: the texts as they are. `unit` is the kind or, for a region, one of those above.
# `name` fills the slot. `group` is the id of the country or city, and "unit:…" for others. `continent` is the id of the
# region's; it and `iso2` are null without a region.
PREFIXES = schema(
    "task_prefixes",
    ("prefix", pa.int32()),
    ("kind", pa.string()),
    ("unit", pa.string()),
    ("group", pa.string()),
    ("name", pa.string()),
    ("continent", pa.string()),
    ("iso2", pa.string()),
    ("text", pa.string()),
    nullable=("continent", "iso2"),
)


def put_before(prefix: str, text: str) -> str:
    """The text that a model reads. prefix: empty for the text as it is."""
    return f"{prefix} {text}" if prefix else text


def read(tasks: Iterable[str], paths: Iterable[str]) -> dict[str, pd.DataFrame]:
    """The table "task_prefixes" of each task. paths: their files, in the order of the tasks."""
    return {task: store.read_frame(path, "task_prefixes") for task, path in zip(tasks, paths, strict=True)}


def prefixes(
    template: str,
    controls: Iterable[str],
    nonsense: Iterable[str],
    regions: pd.DataFrame,
    countries: str | list[str],
    cities: list[str],
) -> pd.DataFrame:
    """A table of the schema "task_prefixes": the original, countries, cities, cities with their country, controls.

    template: with [region]. controls, nonsense: fillers without a region, and made-up place names. regions: table
    "regions". countries: "all", or country codes or region ids. cities: names or region ids of regions that lie in a
    country; "Lima" and "Lima, Peru" are two prefixes.

    Raises HerbariumError for a country or city that is not in the table, a name shared by several cities, one that is
    given twice, and a control or nonsense name that is a region's.
    """
    known = levels.countries(regions)
    chosen = known if countries == "all" else known.loc[_countries(known, countries)]
    inside = regions[regions["parent"].isin(known["region"])]
    city_rows = inside.loc[_cities(inside, known, cities)]
    names = set(regions["name"].str.casefold())
    for what, fillers in ((CONTROL, list(controls)), (NONSENSE, list(nonsense))):
        for name in fillers:
            if name.casefold() in names:
                raise HerbariumError(f"downstream: '{name}' is among the {what} names, but it is the name of a region.")

    rows = [{"kind": ORIGINAL, "unit": ORIGINAL, "group": ORIGINAL, "name": ORIGINAL}]

    def of_region(unit: str, group: str, name: str, country: dict) -> dict:
        place = {"continent": country["continent"], "iso2": country["iso2"]}
        return {"kind": REGION, "unit": unit, "group": group, "name": name, **place}

    country_of = {country["region"]: country for country in known.to_dict("records")}
    rows += [of_region(COUNTRY, region, country_of[region]["name"], country_of[region]) for region in chosen["region"]]
    inner = [(city["region"], city["name"], country_of[city["parent"]]) for city in city_rows.to_dict("records")]
    rows += [of_region(CITY, region, name, country) for region, name, country in inner]
    rows += [
        of_region(CITY_COUNTRY, f"{CITY_COUNTRY}:{region.removeprefix('city:')}", f"{name}, {country['name']}", country)
        for region, name, country in inner
    ]
    for kind, fillers in ((CONTROL, controls), (NONSENSE, nonsense)):
        rows += [{"kind": kind, "unit": kind, "group": f"{kind}:{name}", "name": name} for name in fillers]
    for number, row in enumerate(rows):
        row["prefix"] = number
        row["text"] = resources.fill(template, region=row["name"])[0] if row["kind"] != ORIGINAL else ""
    table = pd.DataFrame(rows, columns=PREFIXES.fields.names)
    return table.astype(object).where(table.notna(), None)


def _countries(known: pd.DataFrame, wanted: list[str]) -> list:
    """The rows of the wanted countries, in the order of the table."""
    key = "downstream.regions.countries"
    by_name = {code: row for row, code in known["iso2"].dropna().items()} | {
        region: row for row, region in known["region"].items()
    }
    chosen_rows = []
    for name in wanted:
        if name not in by_name:
            raise HerbariumError(f"{key}: '{name}' is not a country of the study's regions{_nearest(name, by_name)}.")
        chosen_rows.append(by_name[name])
    _refuse_repeats(key, wanted, chosen_rows)
    return [row for row in known.index if row in chosen_rows]


def _cities(inside: pd.DataFrame, countries: pd.DataFrame, wanted: list[str]) -> list:
    """The rows of the wanted cities, in their order."""
    key = "downstream.regions.cities"
    country_of = dict(zip(countries["region"], countries["name"], strict=True))
    chosen_rows = []
    for name in wanted:
        rows = inside[inside["region"] == name]
        rows = rows if len(rows) else inside[inside["name"] == name]
        if rows.empty:
            hint = _nearest(name, inside["name"])
            raise HerbariumError(
                f"{key}: '{name}' is not a city of the study's regions{hint}. The key regions.cities determines which "
                "are."
            )
        if len(rows) > 1:
            several = ", ".join(f"{city.region} ({country_of[city.parent]})" for city in rows.itertuples())
            raise HerbariumError(f"{key}: '{name}' is the name of several cities; give the id of one: {several}.")
        chosen_rows.append(rows.index[0])
    _refuse_repeats(key, wanted, chosen_rows)
    return chosen_rows


def _refuse_repeats(key: str, wanted: list[str], chosen: list) -> None:
    for number, row in enumerate(chosen):
        if row in chosen[:number]:
            raise HerbariumError(f"{key}: '{wanted[number]}' is given twice, first as '{wanted[chosen.index(row)]}'.")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3)
    return f"; near it: {', '.join(dict.fromkeys(near))}" if near else ""
