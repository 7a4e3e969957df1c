"""The part of the report on Categorical Bias: facts here, sentences in `categorical_bias.html.j2`."""

import math
from collections.abc import Iterable

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import distributions as categorical_bias_distributions
from herbarium.metrics.categorical_bias.figures import heatmap as categorical_bias_heatmap
from herbarium.metrics.categorical_bias.figures import lengths as categorical_bias_lengths
from herbarium.metrics.categorical_bias.figures import scores as categorical_bias_scores
from herbarium.metrics.categorical_bias.overview import mean_lengths
from herbarium.metrics.categorical_bias.score import PARTS
from herbarium.page.build import Part
from herbarium.report.numbers import number, p_value
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order

FIGURES = {
    "scores": categorical_bias_scores,
    "distributions": categorical_bias_distributions,
    "heatmap": categorical_bias_heatmap,
    "lengths": categorical_bias_lengths,
}
ALPHA = 0.05
_SECTIONS = [("ethnic", "Ethnic bias"), ("ethnic-firm", "How firm (CB)"), ("ethnic-reading", "How to read CB")]
_ABSENT = pd.Series(
    {"estimate": math.nan, "ci_low": math.nan, "ci_high": math.nan, "p_adjusted": math.nan, "n": 0, "note": None}
)


def part(
    summary: pd.DataFrame,
    measured: list[tuple[str, dict]],
    pictures: dict[str, Picture],
    remarks: pd.DataFrame,
    study: dict,
) -> Part:
    """The part of the page, with all that its template says.

    summary: tidy table. measured: language and model record of all that was measured. pictures: the figures by the name
    of their module, without "categorical_bias_". remarks: of `list_remarks`. study: the effective configuration.
    """
    settings = study["categorical_bias"]
    lists = {language: list(of["lists"]) for language, of in settings["languages"].items()}
    numbers = summary[summary["metric"] == "categorical_bias"]
    places = [
        {"language": language, "label": style.label(model["name"], model["planted"]), "model": model, "list": name}
        for language, model in measured
        for name in lists[language]
    ]
    of_first = [place for place in places if place["list"] == lists[place["language"]][0]]
    lengths = mean_lengths(numbers)
    facts = {
        "settings": settings,
        "scores": [_scores(numbers, lengths, place) for place in of_first],
        "against_chance": [_against_chance(numbers, place) for place in of_first],
        "parts": [_parts(numbers, place) for place in of_first],
        "part_names": [name.replace("_", " × ") for name in PARTS],
        "lists": [_scores(numbers, lengths, place) for place in places] if len(places) > len(of_first) else [],
        "planted": planted(numbers, of_first),
        "differences": compared(summary, "categorical_bias_differences", "cb"),
        "divergences": compared(summary, "categorical_bias_divergences", "jsd"),
        "notes": notes(numbers),
        "remarks": remarks.to_dict("records"),
        "figures": {
            name: shown(pictures[name], module.describe(pictures[name].table), f"categorical_bias_{name}")
            for name, module in FIGURES.items()
        },
    }
    n = len({language for language, _ in measured})
    title = (
        f"Ethnic bias, measured with Categorical Bias (Ahn and Oh, 2021) in {n} {'language' if n == 1 else 'languages'}"
    )
    return Part(title, _SECTIONS, "categorical_bias.html.j2", facts)


def _of(numbers: pd.DataFrame, place: dict, definition: str, variant: str) -> pd.Series:
    """The row of a score of a whole list; absent numbers where there is none."""
    rows = numbers[
        (numbers["model"] == place["model"]["name"])
        & (numbers["group"] == f"{place['language']}/{place['list']}")
        & (numbers["definition"] == definition)
        & (numbers["variant"] == variant)
    ]
    return _ABSENT if rows.empty else rows.iloc[0]


def _scores(numbers: pd.DataFrame, lengths: dict, place: dict) -> dict:
    paper = {variant: _of(numbers, place, "paper", variant) for variant in ("cb", "cb_equal_length", "length_share")}
    tokens = lengths[place["model"]["name"], f"{place['language']}/{place['list']}", "paper"]
    return {
        **{key: place[key] for key in ("language", "label", "list")},
        "n": int(paper["cb"]["n"]),
        "tokens": f"{tokens:.2f}",
        **{variant: number(row, scale=1) for variant, row in paper.items()},
        "released": number(_of(numbers, place, "released", "cb"), scale=1),
    }


def _against_chance(numbers: pd.DataFrame, place: dict) -> dict:
    of_mean, null = (_of(numbers, place, "paper", variant) for variant in ("cb_of_mean", "cb_of_mean_null"))
    return {
        **{key: place[key] for key in ("language", "label")},
        "cb": number(of_mean, scale=1),
        "null": number(null, scale=1),
        "p": p_value(of_mean["p_adjusted"]),
        "is_more": None if pd.isna(of_mean["p_adjusted"]) else bool(of_mean["p_adjusted"] < ALPHA),
        "note": of_mean["note"] if pd.notna(of_mean["note"]) else None,
    }


def _parts(numbers: pd.DataFrame, place: dict) -> dict:
    cells = [number(_of(numbers, place, "paper", f"part_{name}"), scale=1) for name in PARTS]
    return {**{key: place[key] for key in ("language", "label")}, "cells": cells}


def planted(numbers: pd.DataFrame, places: Iterable[dict]) -> list[dict]:
    """For each language with planted models of two strengths: the models from weak to strong with CB, and what
    `planted.order` says of them.
    """
    rows = [
        {"language": place["language"], "label": place["label"], "planted": place["model"]["planted"]}
        | _of(numbers, place, "paper", "cb").to_dict()
        for place in places
        if place["model"]["planted"] is not None
    ]
    found = []
    for language, models in pd.DataFrame(rows).groupby("language", sort=False) if rows else ():
        if models["planted"].nunique() > 1:
            models = models.sort_values("planted", kind="stable")
            with_cb = [{"label": row["label"], "cb": number(row, scale=1)} for _, row in models.iterrows()]
            found.append({"language": language, "models": with_cb, **order(models)})
    return found


def compared(summary: pd.DataFrame, metric: str, variant: str) -> list[dict]:
    """What compares two models, languages or lists: a metric's variant, definition `paper`."""
    rows = summary[(summary["metric"] == metric) & (summary["definition"] == "paper") & (summary["variant"] == variant)]
    return [
        {
            "model": row["model"],
            "group": row["group"],
            "number": number(row, scale=1) | {"note": row["note"] if pd.notna(row["note"]) else None},
            "p": p_value(row["p_adjusted"]),
        }
        for _, row in rows.iterrows()
    ]


def notes(numbers: pd.DataFrame) -> list[dict]:
    """What was left out of a list, once a model and list."""
    rows = numbers[(numbers["variant"] == "cb") & (numbers["unit"] == "list") & numbers["note"].notna()]
    rows = rows.drop_duplicates(["model", "group", "note"])
    return rows[["model", "group", "note"]].to_dict("records")
