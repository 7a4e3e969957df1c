"""The part of the page on interventions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.interventions import score
from herbarium.metrics.interventions.figures import types
from herbarium.metrics.interventions.numbers import ERRORS, KEPT, METRIC, NULL, OWN, PREFERENCE, PUBLISHED
from herbarium.metrics.interventions.stimuli import NONE
from herbarium.report.numbers import least_p, number, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.statistics.inference import least_p_value

_HERE = Path(__file__).parent
_NAME, SECTION = "Interventions", "interventions"
_FIGURE = "interventions_types"
_KEYS = ["unit", "group", "model"]


def part(
    numbers: pd.DataFrame, models: Sequence[dict], level: float, correction: str, pictures: Mapping[str, Picture]
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level, correction: of the configuration.
    pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    ordered = types.table(numbers, list(models))
    places = ordered[ordered["variant"] == "mu"][_KEYS]
    of = with_least(numbers, correction).set_index(["definition", "variant", *_KEYS])
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    facts = {
        "picture": shown(picture, types.describe(picture.table), _FIGURE, types.panels(picture.table)),
        "rows": [row(of, *place, labels) for place in places.itertuples(index=False, name=None)],
        "published": published(of, places, labels),
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
        "null": {variant: f"{value:g}" for variant, value in NULL.items()},
    }
    return Part(
        name=METRIC,
        title="Interventions: " + ", ".join(places["unit"].unique()),
        sections=[(SECTION, _NAME)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, _NAME, SECTION, "the types of intervention of a model and its questions", correction)],
        models=list(models),
    )


def with_least(numbers: pd.DataFrame, correction: str) -> pd.DataFrame:
    """Rows with the least p-value that the test of each can give: alone, and adjusted."""
    alone = numbers["variant"].map({PREFERENCE: least_p_value(score.PERMUTATIONS + 1), KEPT: 0.0})
    least = least_p(numbers, alone, ["model", "unit", "variant"], correction)
    return numbers.assign(least_alone=alone.fillna(0.0), least=least)


def row(of: pd.DataFrame, unit: str, group: str, model: str, labels: Mapping[str, str]) -> dict:
    """The numbers of some questions, a type and a model, normalised, as the page has them. of: by definition, variant,
    questions, type and model."""
    place = (unit, group, model)
    preference, mu = of.loc[OWN, PREFERENCE, *place], of.loc[OWN, "mu", *place]
    kept = None if group == NONE else of.loc[OWN, KEPT, *place]
    return {
        **{"unit": unit, "group": group, "label": labels[model], "is_bare": group == NONE, "n": text(mu["n"], ",.0f")},
        "mu": cell(mu),
        "preference": cell(preference),
        "p": p_text(preference["p_adjusted"], preference["least"]),
        "kept": kept is not None and cell(kept),
        "p_kept": None if kept is None else p_text(kept["p_adjusted"], kept["least"]),
    }


def cell(row: pd.Series) -> dict:
    return number(row, scale=1) | {"note": None if pd.isna(row["note"]) else row["note"]}


def published(of: pd.DataFrame, places: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """The numbers as published, of each definition but ours."""
    definitions = [name for name in of.index.get_level_values("definition").unique() if name != OWN]
    found = []
    for unit, group, model in places.itertuples(index=False, name=None):
        for definition in definitions:
            if (definition, "mu", unit, group, model) in of.index:
                cells = [cell(of.loc[definition, variant, unit, group, model]) for variant in PUBLISHED]
                wanted = [(definition, error, unit, group, model) for error in ERRORS]
                errors = [text(of.loc[place, "estimate"]) if place in of.index else None for place in wanted]
                shown_of = {"unit": unit, "group": group, "label": labels[model], "definition": definition}
                found.append(shown_of | {"cells": cells, "errors": errors})
    return found
