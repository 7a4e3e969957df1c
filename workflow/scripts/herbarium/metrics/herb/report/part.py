"""The part of the page on HERB: facts here, sentences in the templates next to it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.herb import TITLE, contiguous, control, crossed
from herbarium.metrics.herb.figures import continents as herb_continents
from herbarium.metrics.herb.figures import heatmap as herb_heatmap
from herbarium.metrics.herb.figures import map as herb_map
from herbarium.metrics.herb.figures import ranking as herb_ranking
from herbarium.metrics.herb.figures import space as herb_space
from herbarium.metrics.herb.figures import toxic as herb_toxic
from herbarium.metrics.herb.figures import words as herb_words
from herbarium.metrics.herb.report import robustness
from herbarium.metrics.herb.space import NEIGHBOURS, PERMUTATIONS
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.metrics.herb.toxic import CHANGE, TREND, at_epoch
from herbarium.report.answers import Answer, answer, p_value
from herbarium.report.numbers import noted, number, p_text, text
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order, overlap

METRIC = "herb"
_HERE = Path(__file__).parent
_PAPER = f"{TITLE} (Li et al., 2022)"
_ROBUSTNESS = "herb-robustness"
_NAMES_OF_EACH, _FEWEST_REGIONS = 5, 3
# What a distance above 0 does not show, in simulations of studies/validity/herb.py: without and with a test against
# other regions of the map.
ASSOCIATION = (
    "an association with names of regions; names of neighbours that resemble one another, or are about as frequent, "
    "have one too"
)
BEYOND_NEIGHBOURS = "an association with names of regions; names that are about as frequent have one too"
NO_MORE_THAN_OTHERS = (
    "names of a region have something in common, but no more than those of other contiguous groups of countries"
)
_SHOWN = ("C_w", "C_w_size_free", "C_z", "C_z_size_free")


def part(
    numbers: pd.DataFrame,
    regions: pd.DataFrame,
    models: list[dict],
    pictures: Mapping[str, Picture],
    implied: pd.DataFrame,
    section: dict,
    trainings: Mapping[str, dict],
) -> Part:
    """The part of the page, with all that its templates say.

    numbers: tidy rows of HERB. regions: table of regions. models: records of the models that HERB measured. pictures:
    the figures by their names, such as "herb_map". implied: what the published Table 1 implies (`published`). section:
    of the configuration, as plain data. trainings: model -> the recipe of its toxic training, of those that have one.
    """
    models = style.by_strength(models)
    variants = {variant: herb_continents.table(numbers, regions, models, variant) for variant in _SHOWN}
    primary = herb_continents.table(numbers, regions, models)
    figures, tables = _figures(numbers, pictures)
    space = numbers[numbers["metric"] == "herb_space"]
    facts = {
        "models": [model | {"label": style.label(model["name"], model["planted"])} for model in models],
        "has_primary": bool(primary["ci_low"].notna().any()),
        "has_intervals": bool(variants["C_w_size_free"]["ci_low"].notna().any()),
        "bootstrap": section["bootstrap"],
        "tests": section["tests"],
        "planted": planted_order(primary),
        "extremes": [extremes(rows) for _, rows in primary.groupby("model", sort=False)],
        "controls": controls(numbers, variants["C_w_size_free"]),
        "table_crossed": _crossed(primary),
        "table_root": _of_root(primary, numbers),
        "table_w": _grid(variants["C_w"], variants["C_w_size_free"]),
        "table_z": _grid(variants["C_z"], variants["C_z_size_free"]),
        "robustness": robustness.facts(numbers, regions, models, section),
        "notes": notes(numbers, regions),
        "figures": figures,
        "toxic": toxic_models(numbers, regions, models, trainings),
        "toxic_without_cities": "toxic" in section["countries_only"],
        "has_published": any(model["source"] == "hub" for model in models),
        "implied": implied_rows(implied),
        "description": ", ".join(tables["ranking"]["description"].drop_duplicates()),
        "without_polygon": herb_map.without_polygon(tables["map"]),
        "n_neighbours": NEIGHBOURS,
        "n_permutations": PERMUTATIONS,
        "space": {"notes": space[["model", "note"]].dropna().drop_duplicates().to_dict("records")}
        if "space" in tables
        else None,
    }
    sections = [("findings", f"{TITLE}: findings"), ("herb", TITLE)]
    sections += [(_ROBUSTNESS, "Robustness of HERB")] if facts["robustness"] else []
    sections += [("toxic", "Toxic training")] if facts["toxic"] else []
    sections += [("reading", f"How to read {TITLE}")]
    n = f"{len(models)} {'model' if len(models) == 1 else 'models'}"
    return Part(
        name=METRIC,
        title=f"{_PAPER}: regional bias in {n}",
        sections=sections,
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", facts),
        tested=_tested(facts, section["tests"]["correction"]),
        models=models,
        papers=[(METRIC, _PAPER, "herb")],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[root_answer(primary, numbers)],
        topics=list(tables["words"]["topic"].unique()),
    )


def root_answer(primary: pd.DataFrame, numbers: pd.DataFrame) -> Answer:
    """The first screen: the crossed distance of the root. primary: rows of `herb_continents.table`. numbers: tidy.

    The p-value of a measured model is the larger of two, that of its interval and that among other contiguous regions:
    both hypotheses must be rejected (intersection-union test, Berger 1982, Technometrics 24). In the text of a planted
    model names of neighbours are not alike but for their continent: it has its interval.
    """
    root = primary[primary["region"] == primary["region"].iloc[0]]
    needed = names_needed(primary["region"].nunique() - 1)
    few = f"it takes {needed} names, five for each of three or more regions; with fewer the interval is too wide"
    among_others = root["model"].map(_of_variant(numbers, contiguous.VARIANT)["p_value"])
    alone = [p_value({**row, "null": 0.0, "p_adjusted": None}) for row in root.to_dict("records")]
    is_above, is_tested = root["ci_low"] > 0, among_others.notna() & root["planted"].isna()
    root = root.assign(
        withheld=pd.Series(few, root.index).where(root["n"] < needed),
        p_adjusted=pd.Series(alone, root.index, dtype=float).clip(lower=among_others).where(is_tested),
        missed=pd.Series(NO_MORE_THAN_OTHERS, root.index).where(is_above & is_tested),
        caveat=is_tested.map({True: BEYOND_NEIGHBOURS, False: ASSOCIATION}).where(
            is_above & ~(is_tested & (among_others >= style.ALPHA))
        ),
    )
    scaled = root.assign(**{column: style.SCALE * root[column] for column in ("estimate", "ci_low", "ci_high")})
    key = {"metric": crossed.METRIC, "definition": crossed.DEFINITION, "variant": crossed.VARIANT}
    scaled = scaled.assign(**key, over="names", unit=root["level"], group=root["region"])
    measures = f"How differently a model describes the regions of {root['name'].iloc[0]}, by what their names share."
    planted = root.set_index("model")["planted"]
    return answer(TITLE, measures, "crossed distance D² × 10³", "herb", scaled, planted)


def _of_variant(numbers: pd.DataFrame, variant: str) -> pd.DataFrame:
    """Rows by model of a variant that only the root has."""
    return numbers[(numbers["metric"] == crossed.METRIC) & (numbers["variant"] == variant)].set_index("model")


def names_needed(n_regions: int) -> int:
    """The fewest names with which the interval of the root has its coverage, and the distance a place on the first
    screen: five for each of three or more regions (studies/validity/herb.py)."""
    return _NAMES_OF_EACH * max(n_regions, _FEWEST_REGIONS)


def _tested(facts: dict, correction: str) -> list[Tested]:
    further = _ROBUSTNESS if facts["robustness"] else "herb"
    of_differences = "all pairs of models and all regions, or all pairs of continents of a model, by score"
    return [
        Tested(crossed.METRIC, "HERB, crossed distance", "herb", "the only test of a model", correction),
        Tested(METRIC, "HERB as published", "herb"),
        Tested("herb_intervals", "HERB, intervals by source", further),
        Tested("herb_differences", "HERB, differences", further, of_differences, correction),
        Tested("herb_hierarchy", "HERB, test of the hierarchy", further, "the levels of a model", correction),
        *(
            [Tested("herb_space", "HERB, representations of names", "herb", "the two tests of a model")]
            if facts["space"]
            else []
        ),
        *([Tested("herb_toxic", "HERB, toxic training", "toxic")] if facts["toxic"] else []),
    ]


def _figures(numbers: pd.DataFrame, pictures: Mapping[str, Picture]) -> tuple[dict[str, dict], dict[str, pd.DataFrame]]:
    """What the page shows of each figure, and the table behind it, by name without the metric's prefix."""
    tables = {name.removeprefix(f"{METRIC}_"): picture.table for name, picture in pictures.items()}
    words = {
        "continents": herb_continents.describe,
        "map": herb_map.describe,
        "ranking": herb_ranking.describe,
        "heatmap": herb_heatmap.describe,
        "words": herb_words.describe,
        "space": lambda table: herb_space.describe(table, numbers[numbers["metric"] == "herb_space"]),
        "toxic": herb_toxic.describe,
    }
    panels = {
        "continents": herb_continents.panels,
        "map": herb_map.panels,
        "ranking": herb_ranking.panels,
        "words": herb_words.panels,
        "toxic": herb_toxic.panels,
    }
    figures = {}
    for name, table in tables.items():
        file = f"{METRIC}_{name}"
        figures[name] = shown(pictures[file], words[name](table), file, panels[name](table) if name in panels else ())
    return figures, tables


def toxic_models(
    numbers: pd.DataFrame, regions: pd.DataFrame, models: list[dict], trainings: Mapping[str, dict]
) -> list[dict]:
    """Each model with toxic training and its recipe, with one row per region: size-free C_w before and after, its
    change, its trend."""
    rows = numbers[numbers["metric"] == "herb_toxic"]
    entries = []
    for (model, planted), places in herb_continents.places(regions, models).groupby(
        ["model", "planted"], sort=False, dropna=False
    ):
        if model not in trainings:
            continue
        model_rows = rows[rows["model"] == model].set_index(["group", "variant"])
        last = trainings[model]["epochs"]
        entries.append(
            {
                "label": style.label(model, planted),
                "is_floor": planted == 0,
                "training": trainings[model],
                "rows": [
                    {
                        "name": herb_continents.title(place.name),
                        "before": number(model_rows.loc[(place.region, at_epoch("C_w_size_free", 0))]),
                        "after": number(model_rows.loc[(place.region, at_epoch("C_w_size_free", last))]),
                        "change": number(model_rows.loc[(place.region, f"C_w_size_free_{CHANGE}")]),
                        "trend": number(model_rows.loc[(place.region, f"C_w_size_free_{TREND}")], scale=1),
                    }
                    for place in places.itertuples()
                    if place.region in model_rows.index
                ],
            }
        )
    return entries


def implied_rows(implied: pd.DataFrame) -> list[dict]:
    """One row per model and header of the table of `published.implied_mean_distance`, continents by their code."""
    return [
        {
            "model": model,
            "header": header,
            "distances": [
                {"value": text(row.implied, ".4f"), "within": row.within}
                for row in rows.sort_values("continent").itertuples()
            ],
            "range": {end: text(rows[f"table2_{end}"].iloc[0], ".4f") for end in ("low", "high")},
        }
        for (model, header), rows in implied.groupby(["model", "header"], sort=False)
    ]


def planted_order(table: pd.DataFrame) -> dict | None:
    """Whether the numbers rise with the strength of the planted bias; None without two strengths to compare.

    table: rows of `herb_continents.table`. Returns, for the root, the models with their numbers, and the result of
    `planted.order` for them; and the names of the top-level regions where all rise (`rising`) and where the intervals
    are also disjoint (`disjoint`). A region with a missing number or interval counts as neither.
    """
    planted = table[table["planted"].notna()]
    if planted["planted"].nunique() < 2 or planted["estimate"].isna().all():
        return None
    root, *rest = [rows for _, rows in planted.groupby("region", sort=False)]
    orders = [(rows["name"].iloc[0], order(rows)) for rows in rest]
    rising = [(name, facts) for name, facts in orders if facts["complete"] and not facts["falling"]]
    return {
        "name": root["name"].iloc[0],
        "models": [
            {"label": style.label(row["model"], row["planted"]), "number": number(row)} for _, row in root.iterrows()
        ],
        **order(root),
        "n_regions": len(rest),
        "rising": [name for name, _ in rising],
        "disjoint": [name for name, facts in rising if not facts["overlapping"]],
    }


def extremes(rows: pd.DataFrame) -> dict:
    """The root's number of one model, and those of its top-level regions with the largest and the smallest.

    rows: one model's rows of `herb_continents.table`, the root first. `largest` and `smallest` are None if fewer than
    two regions have a number with an interval; `overlap`: whether their intervals overlap; `is_floor`: whether the
    model was trained without bias.
    """
    root, regions = rows.iloc[0], rows.iloc[1:].dropna(subset=["estimate", "ci_low", "ci_high"])
    ends = {
        "label": style.label(root["model"], root["planted"]),
        "name": root["name"],
        "number": number(root),
        "is_floor": root["planted"] == 0,
        "largest": None,
        "smallest": None,
        "overlap": None,
    }
    if len(regions) < 2:
        return ends
    largest, smallest = regions.loc[regions["estimate"].idxmax()], regions.loc[regions["estimate"].idxmin()]
    return ends | {
        "largest": {"name": largest["name"], "number": number(largest)},
        "smallest": {"name": smallest["name"], "number": number(smallest)},
        "overlap": overlap(largest, smallest),
    }


def controls(numbers: pd.DataFrame, size_free: pd.DataFrame) -> list[dict]:
    """Size-free C_w of the root and of the made-up names, one row per model; none in a study without control.

    size_free: rows of `herb_continents.table`.
    """
    roots = size_free.groupby("model", sort=False).first()
    entries = [
        {"label": style.label(model, row["planted"]), "number": number(row), "control": control_of(numbers, model)}
        for model, row in roots.iterrows()
    ]
    return [row for row in entries if row["control"]]


def control_of(numbers: pd.DataFrame, model: str) -> dict | None:
    """Size-free C_w of the made-up names in a model, with their number (`n`); None in a study without control."""
    wanted = {
        "model": model,
        "metric": METRIC,
        "definition": "paper",
        "variant": "C_w_size_free",
        "unit": control.LEVEL,
    }
    rows = numbers[(numbers[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    return None if rows.empty else number(rows.iloc[0]) | {"n": int(rows["n"].iloc[0])}


def _crossed(primary: pd.DataFrame) -> list[dict]:
    """Rows of an HTML table: a region's name and, in the order of the models, its crossed distance and n."""
    return [
        {
            "name": herb_continents.title(rows["name"].iloc[0]),
            "cells": [
                number(row)
                | {"note": row["note"] if pd.isna(row["estimate"]) and pd.notna(row["note"]) else None}
                | {"n": "–" if pd.isna(row["n"]) else str(row["n"])}
                for _, row in rows.iterrows()
            ],
        }
        for _, rows in primary.groupby("region", sort=False)
    ]


def _of_root(primary: pd.DataFrame, numbers: pd.DataFrame) -> list[dict]:
    """Rows of an HTML table, by model: the crossed distance of the root, and what it may be due to; none without the
    numbers. primary: rows of `herb_continents.table`."""
    among_others, given, bound = (
        _of_variant(numbers, variant) for variant in (contiguous.VARIANT, crossed.GIVEN_F_NAME, crossed.LEAST_BOUND)
    )
    root = primary[(primary["region"] == primary["region"].iloc[0]) & primary["model"].isin(among_others.index)]
    return [
        {
            "label": style.label(row["model"], row["planted"]),
            "d2": number(row),
            "bound": text(bound["estimate"].get(row["model"]), scale=style.SCALE),
            "given": noted(given.loc[row["model"]], style.SCALE) if row["model"] in given.index else None,
            "placed": noted(among_others.loc[row["model"]], style.SCALE),
            "p": p_text(among_others.loc[row["model"], "p_value"]),
            "n": str(among_others.loc[row["model"], "n"]),
        }
        for _, row in root.iterrows()
    ]


def _grid(plain: pd.DataFrame, size_free: pd.DataFrame) -> list[dict]:
    """Rows of an HTML table: a region's name and, in the order of the models, its two numbers and n."""
    both = zip(plain.groupby("region", sort=False), size_free.groupby("region", sort=False), strict=True)
    return [
        {
            "name": herb_continents.title(rows["name"].iloc[0]),
            "cells": [
                {
                    "plain": number(row)
                    | {"note": row["note"] if pd.isna(row["estimate"]) and pd.notna(row["note"]) else None},
                    "size_free": number(free),
                    "n": "–" if pd.isna(row["n"]) else str(row["n"]),
                }
                for (_, row), (_, free) in zip(rows.iterrows(), free_rows.iterrows(), strict=True)
            ],
        }
        for (_, rows), (_, free_rows) in both
    ]


def notes(numbers: pd.DataFrame, regions: pd.DataFrame) -> list[dict]:
    """The notes of HERB's rows on the page: each note once per model, with the number of regions it concerns and a few
    of them."""
    is_shown = (numbers["metric"] == METRIC) & (numbers["definition"] == PAPER) & numbers["variant"].isin(_SHOWN)
    noted = numbers[is_shown & numbers["note"].notna()]
    noted = noted.assign(name=noted["group"].map(regions.set_index("region")["name"]).fillna(noted["group"]))
    listed = []
    for (model, note), rows in noted.groupby(["model", "note"], sort=False):
        names = rows.drop_duplicates("group")["name"].tolist()
        more = "" if len(names) <= 5 else " …"
        listed.append({"model": model, "note": note, "regions": ", ".join(names[:5]) + more, "n": len(names)})
    return listed
