"""HERB's published tables (Li et al. 2022) compared with our numbers, and what they imply.

`published` is the table of resources/herb/published.csv, its column `value` as text.
"""

import math
from collections.abc import Iterable, Mapping
from itertools import product

import pandas as pd

from herbarium.metrics.herb import score as herb
from herbarium.metrics.herb import stimuli
from herbarium.metrics.herb.ablations import FLAT, METRIC, OF_COUNTRIES, RELEASED_AGGREGATION, replaced, without
from herbarium.statistics import agreement

_CELL_OF = ["model", "line", "place"]  # the key of a table's cell
COLUMNS = ["model", "header", "continent", "n", "published", "implied", "table2_low", "table2_high", "within"]
# Table 2 is a mean distance too, but of other clusters (a continent with its countries and cities in one, not its
# countries alone): it gives the order of magnitude of a model's distances, so agreement is required up to a factor.
FACTOR = 2


def implied_mean_distance(published: pd.DataFrame, n_countries: Mapping[str, int]) -> pd.DataFrame:
    """The mean distance of countries that Table 1 implies, model by model and continent by continent.

    Eq. 8 defines C_w of a continent of n countries as 2/(n(n-1)) x sum over their pairs of w ||V_1 - V_2||. The weights
    of Eq. 9 sum to one over the pairs, so the sum is a mean distance, and C_w x n(n-1)/2 gives it back. Two continents
    whose countries lie equally far apart have C_w in the ratio of 1/(n(n-1)), by Eq. 8 alone.

    n_countries: continent -> number of its countries, n. Returns one row per model, header and continent, with `header`
    the reading of Table 1's columns (printed or corrected), `published` C_w as printed, in 1e-3, and `implied` the mean
    distance, without unit, like `table2_low` and `table2_high`, the least and greatest sparseness (Eq. 3) that Table 2
    gives for the model, whatever its header. `within`: low / FACTOR <= implied <= FACTOR x high.
    """
    published = published.assign(value=published["value"].astype(float))
    C_w = published[(published["table"] == 1) & (published["variant"] == "C_w") & (published["column"] != "overall")]
    C_w = C_w.rename(columns={"row": "model", "value": "published"})
    implied = pd.concat(
        [
            C_w.assign(header=header, continent=C_w[column])
            for header, column in (("printed", "column"), ("corrected", "column_corrected"))
        ],
        ignore_index=True,
    )
    implied["n"] = [n_countries[continent] for continent in implied["continent"]]
    implied["implied"] = implied["published"] * 1e-3 * implied["n"] * (implied["n"] - 1) / 2
    sparseness = published[published["table"] == 2].groupby("row")["value"]
    implied["table2_low"] = implied["model"].map(sparseness.min())
    implied["table2_high"] = implied["model"].map(sparseness.max())
    implied["within"] = implied["implied"].between(implied["table2_low"] / FACTOR, implied["table2_high"] * FACTOR)
    return implied[COLUMNS]


def beside(
    numbers: pd.DataFrame, regions: pd.DataFrame, published: pd.DataFrame, table: int, topics: Iterable[str]
) -> pd.DataFrame:
    """Table 1, 2, 3 or 6 compared with our numbers, in the unit of the table: one row per model, line and region.

    numbers: tidy rows of metric "herb". regions: table "regions"; the root and those below it are shown. topics: those
    of the study. `published` is the figure under the corrected header, `published_printed` under the header as printed,
    null if nothing was published; `paper`, `size_free` and `released` are ours, each with the bounds of its interval in
    `_low` and `_high`; `difference` is `paper` minus `published`. A line for which a study has no number is left out.
    """
    ours = numbers.set_index(["model", "definition", "variant", "group"])[["estimate", "ci_low", "ci_high"]]
    ours = ours.to_dict("index")
    by_header = [_by_place(published, table, column) for column in ("column_corrected", "column")]
    root = regions.loc[regions["parent"].isna(), "region"].item()
    shown = regions[regions["parent"].isna() | (regions["parent"] == root)]
    rows = []
    for model, (line, variant) in product(dict.fromkeys(numbers["model"]), _lines(table, topics).items()):
        for region in shown.itertuples():
            place = "overall" if region.region == root else region.region.removeprefix("continent:")
            row = {"model": model, "line": line, "region": region.region, "name": region.name}
            row["published"], row["published_printed"] = (
                published.get((model, line, place)) for published in by_header
            )
            for column, key in _ours(table, variant).items():
                number = ours.get((model, *key, region.region), {})
                for suffix, name in (("", "estimate"), ("_low", "ci_low"), ("_high", "ci_high")):
                    row[f"{column}{suffix}"] = SCALE[table] * number.get(name, math.nan)
            rows.append(row)
    beside = pd.DataFrame(rows)
    beside["difference"] = beside["paper"] - beside["published"].astype(float)
    has_number = beside.groupby(["model", "line"])["paper"].transform("count") > 0
    return beside[has_number].reset_index(drop=True)


# Tables 1, 3 and 6 print scores times 1000; Tables 3 and 6 are about one model.
SCALE = {1: 1e3, 2: 1.0, 3: 1e3, 6: 1e3}
_ONE_MODEL = "albert-base-v2"
_WITH_SUBSTITUTES = 6


def reasons(table: pd.DataFrame, number: int, others: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each row of a table of `beside`, why ours is of another model or of other data; empty if it is of the same.
    others: the reasons for "models" and "data" of the study, of `models.originals`."""
    data = ["words", "substitutes"] if number == _WITH_SUBSTITUTES else ["words"]
    of_data = [others["data"][name] for name in data]
    return [agreement.all_reasons(others["models"][model], *of_data) for model in table["model"]]


def _lines(table: int, topics: Iterable[str]) -> dict[str, str]:
    """Line of a table -> the variant that it shows."""
    if table == 1:
        return {"C_w": "C_w", "C_z": "C_z"}
    if table == 2:
        return {"sparseness": FLAT}
    change, suffix = ("without", without) if table == 3 else ("replace", replaced)
    return {"full": "C_w"} | {f"{change} {topic}": suffix("C_w", topic) for topic in topics}


def _ours(table: int, variant: str) -> dict[str, tuple[str, str]]:
    """Our column -> (definition, variant) of the tidy rows that it shows."""
    columns = {"paper": ("paper", variant), "released": ("released", variant)}
    if table != 2:
        columns["size_free"] = ("paper", variant.replace("C_w", "C_w_size_free").replace("C_z", "C_z_size_free"))
    return columns


def figures(published: pd.DataFrame, table: int) -> pd.DataFrame:
    """The figures of Table 1, 2, 3 or 6 as published, each with its `model` and `line`."""
    rows = published[published["table"] == table]
    model, line = (_ONE_MODEL, rows["row"]) if table in (3, 6) else (rows["row"], rows["variant"])
    return rows.assign(model=model, line=line)


def reproduced(published: pd.DataFrame, tables: Mapping[int, pd.DataFrame], cities: str) -> pd.DataFrame:
    """Every published figure compared with ours, as rows of the schema "published".

    tables: number -> of `beside`, `agreement.marked`. cities: which cities are included, in words; scores of regions
    mean nothing without this.
    """
    numbers = [number for number in published["table"].unique() if number in SCALE]
    printed = pd.concat([figures(published, number) for number in numbers])
    printed = printed.assign(place=printed["column_corrected"])
    printed = agreement.placed(printed, printed["table"].astype(str), _CELL_OF)
    ours = [_placed(rows.assign(said=_notes(rows, cities)), str(number)) for number, rows in tables.items()]
    return agreement.beside(METRIC, printed, ours)


def _notes(rows: pd.DataFrame, cities: str) -> list[str]:
    return [
        "; ".join(filter(None, (note, f"cities: {cities}")))
        for note in rows.get("note", pd.Series("", rows.index)).fillna("")
    ]


def _placed(rows: pd.DataFrame, number: str) -> pd.DataFrame:
    rows = rows[rows["published"].notna()]
    is_continent = rows["region"].str.startswith("continent:")
    place = rows["region"].str.removeprefix("continent:").where(is_continent, "overall")
    return agreement.placed(rows.assign(place=place), number, _CELL_OF)


def _by_place(published: pd.DataFrame, table: int, header: str) -> dict[tuple[str, str, str], float]:
    """(model, line, place) -> figure of a published table under a header, a column of `published`."""
    rows = figures(published, table)
    return {(row["model"], row["line"], row[header]): float(row["value"]) for _, row in rows.iterrows()}


def departures(numbers: pd.DataFrame) -> pd.DataFrame:
    """The effect of each departure of the released code on its own: one row per departure, model and region.

    numbers: tidy rows of metrics "herb" and "herb_of_countries". `departed` is the score with the departure,
    `departed_low` and `departed_high` its interval, `ratio` the score divided by the one as published, over the same
    regions, nan if that is 0.
    """
    tables = []
    for variant, metric in product(("C_w", "C_z"), (METRIC, OF_COUNTRIES)):
        is_of = (numbers["variant"] == variant) & (numbers["metric"] == metric)
        rows = numbers[is_of].set_index(["model", "group"])
        paper = rows.loc[rows["definition"] == "paper", "estimate"]
        departed = rows[rows["definition"] != "paper"]
        tables.append(departed.assign(variant=variant, paper=paper.reindex(departed.index)).reset_index())
    names = {"definition": "departure", "group": "region", "estimate": "departed"}
    names |= {"ci_low": "departed_low", "ci_high": "departed_high"}
    table = pd.concat(tables, ignore_index=True).rename(columns=names)
    table["ratio"] = table["departed"] / table["paper"].where(table["paper"] != 0)
    table["meaning"] = table["departure"].map(_MEANINGS)
    columns = [
        "metric",
        "model",
        "variant",
        "departure",
        "region",
        "paper",
        "departed",
        "departed_low",
        "departed_high",
    ]
    return table[[*columns, "ratio", "meaning"]]


_MEANINGS = {
    **stimuli.DEPARTURES,
    **herb.DEPARTURES,
    RELEASED_AGGREGATION: "those from f(S) on together",
    stimuli.RELEASED: "all of them together",
}
