"""The part of the page on Categorical Bias: facts here, sentences in the templates next to it."""

import math
from collections.abc import Collection, Iterable
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.categorical_bias import TITLE
from herbarium.metrics.categorical_bias.figures import distributions, heatmap, lengths, scores
from herbarium.metrics.categorical_bias.numbers import BOUND, METRIC, PRIMARY
from herbarium.metrics.categorical_bias.overview import first_lengths
from herbarium.metrics.categorical_bias.score import PARTS
from herbarium.metrics.categorical_bias.stimuli import (
    FIRST,
    PAPER,
    RELEASED,
    WHOLE,
    by_first_definition,
    leading,
    measured,
)
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import is_unattainable, least_p, number, p_text, p_value, text
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order
from herbarium.statistics.inference import least_p_value

FIGURES = {"scores": scores, "distributions": distributions, "heatmap": heatmap, "lengths": lengths}
ALPHA = 0.05
_HERE = Path(__file__).parent
_SECTIONS = [("ethnic", TITLE), ("ethnic-robustness", "Robustness of CB"), ("ethnic-reading", "How to read CB")]
_PAPER = f"{TITLE} (Ahn and Oh, 2021)"
_OF_CAUSAL = "by the likelihood of whole sentences: not comparable with masked models"
_ABSENT = pd.Series(
    dict.fromkeys(("estimate", "ci_low", "ci_high", "p_adjusted"), math.nan)
    | {"n": 0, "note": None, "least": math.nan, "definition": None}
)


def part(
    numbers: pd.DataFrame, models: list[dict], pictures: dict[str, Picture], remarks: pd.DataFrame, section: dict
) -> Part:
    """The part of the page, with all that its templates say.

    numbers: tidy rows of this metric, its differences and its divergences. models: records of what was measured.
    pictures: the figures by their names, such as "categorical_bias_scores". remarks: of `list_remarks`. section: of the
    configuration, as plain data.
    """
    languages = section["languages"]
    record = {model["name"]: model for model in models}
    places = [
        {
            "language": language,
            "label": style.label(model, record[model]["planted"]),
            "model": record[model],
            "list": name,
        }
        for model, language in measured(languages)
        for name in languages[language]["lists"]
    ]
    of_leading = [place for place in places if place["list"] == leading(languages)[place["language"]]]
    correction = section["tests"]["correction"]
    numbers = numbers.reset_index(drop=True)
    scored = numbers[numbers["metric"] == METRIC]
    definitions = set(scored["definition"])
    alone = least_p_value(section["tests"]["permutations"] + 1)
    of_language = scored.assign(language=scored["group"].str.partition("/")[0])
    scored = scored.assign(least=least_p(of_language, alone, ["model", "language"], correction))
    tokens = first_lengths(scored)
    facts = {
        "settings": section,
        "definitions": " or ".join(name for name in FIRST if name in definitions),
        "has_causal": WHOLE in definitions,
        "has_released": RELEASED in definitions,
        "scores": [_scores(scored, tokens, place) for place in of_leading],
        "primary": [_primary(scored, place) for place in of_leading],
        "parts": [_parts(scored, place) for place in of_leading],
        "part_names": [name.replace("_", " × ") for name in PARTS],
        "lists": [_scores(scored, tokens, place) for place in places] if len(places) > len(of_leading) else [],
        "planted": planted(scored, of_leading),
        "differences": compared(numbers, f"{METRIC}_differences", PRIMARY),
        "divergences": compared(numbers, f"{METRIC}_divergences", "jsd"),
        "notes": notes(scored),
        "remarks": remarks.to_dict("records"),
        "figures": {name: _figure(name, pictures[f"{METRIC}_{name}"]) for name in FIGURES},
    }
    n = len(languages)
    of_tests = "differences of one kind: between models, languages or lists"
    return Part(
        name=METRIC,
        title=f"{_PAPER}: ethnic bias in {n} {'language' if n == 1 else 'languages'}",
        sections=_SECTIONS,
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", facts),
        tested=[
            Tested(METRIC, TITLE, "ethnic", "the tests of a model and language", correction),
            Tested(f"{METRIC}_differences", f"{TITLE}, differences", "ethnic-robustness", of_tests, correction),
            Tested(f"{METRIC}_divergences", f"{TITLE}, divergences", "ethnic-robustness"),
        ],
        models=models,
        papers=[(METRIC, _PAPER, "ethnic")],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[primary_answer(scored, of_leading)],
    )


def primary_answer(scored: pd.DataFrame, places: list[dict]) -> Answer:
    """The first screen: the covariance across forms. scored: tidy rows of the metric, with `least`."""
    rows = [
        _of(scored, place, PRIMARY).to_dict() | {"model": place["model"]["name"], "of": place["language"]}
        for place in places
    ]
    table = pd.DataFrame(rows)
    if {PAPER, WHOLE} <= set(table["definition"]):
        table["caveat"] = table["definition"].map({WHOLE: _OF_CAUSAL})
    table["p_adjusted"] = table["p_adjusted"].mask(table["least"].map(is_unattainable))
    return answer(
        TITLE,
        "How consistently the forms of an attribute, such as enemy and enemies, shift the predicted nationality.",
        "covariance across forms",
        "ethnic",
        table,
        {place["model"]["name"]: place["model"]["planted"] for place in places},
    )


def _figure(name: str, picture: Picture) -> dict:
    module, table = FIGURES[name], picture.table
    panels = () if module is heatmap else module.panels(table)
    return shown(picture, module.describe(table), f"{METRIC}_{name}", panels)


def _of(numbers: pd.DataFrame, place: dict, variant: str, definitions: Collection[str] = FIRST) -> pd.Series:
    """The row of a score of a whole list, by the definition of these that its model has; absent numbers if there is
    none."""
    rows = numbers[
        (numbers["model"] == place["model"]["name"])
        & (numbers["group"] == f"{place['language']}/{place['list']}")
        & numbers["definition"].isin(definitions)
        & (numbers["variant"] == variant)
    ]
    return _ABSENT if rows.empty else rows.iloc[0]


def _scores(numbers: pd.DataFrame, tokens: dict, place: dict) -> dict:
    rows = {variant: _of(numbers, place, variant) for variant in ("cb", "cb_equal_length", "length_share")}
    mean = tokens.get((place["model"]["name"], f"{place['language']}/{place['list']}"))
    return {
        **{key: place[key] for key in ("language", "label", "list")},
        "n": int(rows["cb"]["n"]),
        "tokens": text(mean, ".2f"),
        **{variant: number(row, scale=1) for variant, row in rows.items()},
        "released": number(_of(numbers, place, "cb", [RELEASED]), scale=1),
    }


def _primary(numbers: pd.DataFrame, place: dict) -> dict:
    primary, bound = (_of(numbers, place, variant) for variant in (PRIMARY, BOUND))
    return {
        **{key: place[key] for key in ("language", "label")},
        "value": number(primary, scale=1),
        "bound": text(bound["estimate"], ".2g"),
        "p": p_value(primary["p_adjusted"], primary["least"]),
        "is_more": None if pd.isna(primary["p_adjusted"]) else bool(primary["p_adjusted"] < ALPHA),
        "cannot": is_unattainable(primary["least"]),
        "note": primary["note"] if pd.notna(primary["note"]) else None,
    }


def _parts(numbers: pd.DataFrame, place: dict) -> dict:
    cells = [text(_of(numbers, place, f"part_{name}")["estimate"]) for name in PARTS]
    return {**{key: place[key] for key in ("language", "label")}, "cells": cells}


def planted(numbers: pd.DataFrame, places: Iterable[dict]) -> list[dict]:
    """For each language with planted models of two strengths: the models from weak to strong with their primary
    number, and the result of `planted.order` for them.
    """
    rows = [
        {"language": place["language"], "label": place["label"], "planted": place["model"]["planted"]}
        | _of(numbers, place, PRIMARY).to_dict()
        for place in places
        if place["model"]["planted"] is not None
    ]
    languages = []
    for language, models in pd.DataFrame(rows).groupby("language", sort=False) if rows else ():
        if models["planted"].nunique() > 1:
            models = models.sort_values("planted", kind="stable")
            shown = [{"label": row["label"], "value": number(row, scale=1)} for _, row in models.iterrows()]
            languages.append({"language": language, "models": shown, **order(models)})
    return languages


def compared(numbers: pd.DataFrame, metric: str, variant: str) -> list[dict]:
    """Comparisons of two models, languages or lists: a metric's variant, by the first definition of their kind."""
    rows = by_first_definition(numbers[(numbers["metric"] == metric) & (numbers["variant"] == variant)])
    return [
        {
            "model": row["model"],
            "group": row["group"],
            "number": number(row, scale=1) | {"note": row["note"] if pd.notna(row["note"]) else None},
            "p": p_text(row["p_adjusted"]),
        }
        for _, row in rows.iterrows()
    ]


def notes(numbers: pd.DataFrame) -> list[dict]:
    """What was left out of a list, once per model and list."""
    rows = numbers[(numbers["variant"] == "cb") & (numbers["unit"] == "list") & numbers["note"].notna()]
    rows = rows.drop_duplicates(["model", "group", "note"])
    return rows[["model", "group", "note"]].to_dict("records")
