"""The part of the page on languages in one space."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.languages import TITLE
from herbarium.metrics.languages.figures import inbias
from herbarium.metrics.languages.figures import map as of_map
from herbarium.metrics.languages.numbers import (
    ARROW,
    CHANGE,
    EXCESS,
    FOUND,
    INBIAS,
    LEAN,
    METRIC,
    OWN,
    PAPER,
    RELEASED,
    SHARED,
    STRONG,
    WEAK,
)
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "languages"
_FIGURES = {"inbias": inbias, "map": of_map}
_KEYS = ["unit", "group", "model"]
# Columns of the page's table: one definition and variant each.
_CELLS = {
    "lean": (OWN, LEAN),
    "shared": (OWN, SHARED),
    "inbias": (PAPER, INBIAS),
    "released": (RELEASED, INBIAS),
    "strong": (PAPER, f"{INBIAS}_{STRONG}"),
    "weak": (PAPER, f"{INBIAS}_{WEAK}"),
    "change": (PAPER, CHANGE),
    "excess": (PAPER, EXCESS),
    "procrustes": ("procrustes", FOUND),
    "rcsls": ("rcsls", FOUND),
}


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    strengths: Mapping[str, float],
    level: float,
    correction: str,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows. models: records of the models whose vectors these are. strengths: of planted sources, by
    name. level, correction: of the configuration. pictures: by the names of figures."""
    indexed = numbers.set_index(["definition", "variant", *_KEYS]).sort_index()
    places = numbers[_KEYS].drop_duplicates()
    drawn = {name: (pictures[f"{METRIC}_{name}"], module) for name, module in _FIGURES.items()}
    facts = {
        "pictures": {
            name: shown(picture, module.describe(picture.table), f"{METRIC}_{name}", module.panels(picture.table))
            for name, (picture, module) in drawn.items()
        },
        "rows": [_row(indexed, *place, strengths) for place in places.itertuples(index=False, name=None)],
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: " + ", ".join(places["unit"].unique()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, "the languages and pivots of a space, by number", correction)],
        models=list(models),
        papers=[(METRIC, "Zhao (2021), Section 3.3", SECTION)],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[lean_answer(numbers, strengths)],
    )


def lean_answer(numbers: pd.DataFrame, strengths: Mapping[str, float]) -> Answer:
    """The first screen: the lean of occupations, by language and pivot."""
    rows = numbers[(numbers["definition"] == OWN) & (numbers["variant"] == LEAN)]
    measures = "Whether feminine forms of occupations lie nearer to their gender than masculine ones."
    directions = ("feminine forms lie nearer to their gender", "masculine forms lie nearer to their gender")
    rows = rows.assign(of=rows["group"])
    return answer(
        TITLE,
        measures,
        "difference of cosines",
        SECTION,
        rows,
        strengths,
        directions=directions,
    )


def _row(indexed: pd.DataFrame, unit: str, group: str, model: str, strengths: Mapping[str, float]) -> dict:
    """The numbers of a language in its own space, or in that of its pivot.

    indexed: by definition, variant, and _KEYS.
    """
    keys = {name: (*key, unit, group, model) for name, key in _CELLS.items()}
    rows = {name: indexed.loc[key] if key in indexed.index else None for name, key in keys.items()}
    lean = rows["lean"]
    return {
        **{
            "unit": unit,
            "group": group,
            "label": style.label(model, strengths.get(model)),
            "n": text(lean["n"], ",.0f"),
        },
        "is_aligned": ARROW in group,
        "cells": {name: None if row is None else _cell(row) for name, row in rows.items()},
    }


def _cell(row: pd.Series) -> dict:
    return noted(row) | {"p": p_text(row["p_adjusted"])}
