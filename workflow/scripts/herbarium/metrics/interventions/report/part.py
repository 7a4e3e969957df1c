"""The part of the page on interventions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.interventions import TITLE
from herbarium.metrics.interventions.figures import types
from herbarium.metrics.interventions.numbers import DIFFERENCE, ERRORS, KEPT, METRIC, OWN, PREFERENCE, PUBLISHED
from herbarium.metrics.interventions.stimuli import IRRELEVANT, NONE
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "interventions"
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
    indexed = numbers.set_index(["definition", "variant", *_KEYS])
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    facts = {
        "picture": shown(picture, types.describe(picture.table), _FIGURE, types.panels(picture.table)),
        "rows": [row(indexed, *place, labels) for place in places.itertuples(index=False, name=None)],
        "published": published(indexed, places, labels),
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
        tested=[Tested(METRIC, TITLE, SECTION, "the types of intervention of a model and its questions", correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[preference_answer(numbers, models)],
    )


def preference_answer(numbers: pd.DataFrame, models: Sequence[dict]) -> Answer:
    """The first screen: the preference without an intervention. No model has exactly 0, so its value without bias is
    unknown."""
    is_bare = (numbers["variant"] == PREFERENCE) & (numbers["group"] == NONE) & (numbers["definition"] == OWN)
    rows = numbers[is_bare]
    planted = {model["name"]: model["planted"] for model in models}
    measures = "Whom a model prefers if the text does not decide, without an intervention."
    rows = rows.assign(of=rows["unit"], caveat=rows["note"])
    return answer("Questions that the text does not decide", measures, "share", SECTION, rows, planted, null=None)


def row(indexed: pd.DataFrame, unit: str, group: str, model: str, labels: Mapping[str, str]) -> dict:
    """The numbers of some questions, a type and a model, normalised, as shown on the page. indexed: by definition,
    variant, questions, type and model."""

    def own_row(variant: str) -> pd.Series:
        return indexed.loc[OWN, variant, unit, group, model]

    return {
        **{"unit": unit, "group": group, "label": labels[model], "n": text(own_row("mu")["n"], ",.0f")},
        **{"is_bare": group == NONE, "mu": noted(own_row("mu")), "preference": noted(own_row(PREFERENCE))},
        "kept": None if group == NONE else noted(own_row(KEPT)),
        "difference": None if group in (NONE, IRRELEVANT) else noted(own_row(DIFFERENCE)),
        "p": None if group in (NONE, IRRELEVANT) else p_text(own_row(DIFFERENCE)["p_adjusted"]),
    }


def published(indexed: pd.DataFrame, places: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """The numbers as published, of each definition but ours."""
    definitions = [name for name in indexed.index.get_level_values("definition").unique() if name != OWN]
    entries = []
    for unit, group, model in places.itertuples(index=False, name=None):
        for definition in definitions:
            if (definition, "mu", unit, group, model) in indexed.index:
                cells = [noted(indexed.loc[definition, variant, unit, group, model]) for variant in PUBLISHED]
                wanted = [(definition, error, unit, group, model) for error in ERRORS]
                errors = [text(indexed.loc[place, "estimate"]) if place in indexed.index else None for place in wanted]
                shown_of = {"unit": unit, "group": group, "label": labels[model], "definition": definition}
                entries.append(shown_of | {"cells": cells, "errors": errors})
    return entries
