"""The part of the page on a metric that declares itself: what its card says, and its numbers."""

from pathlib import Path

import pandas as pd

from herbarium.drawing.panels import by_model
from herbarium.report.answers import answer, foremost
from herbarium.report.declared.numbers import describe, names, panels
from herbarium.report.numbers import noted, p_value, text
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent


def part(card: dict, numbers: pd.DataFrame, models: list[dict], picture: Picture) -> Part:
    """card: `core.targets.Card.words`. numbers: tidy rows of all models. models: model records. picture: the figure of
    all numbers."""
    metric, title, section = card["metric"], card["title"], card["metric"].replace("_", "-")
    drawn = panels(picture.table, title, card["unit"], card["null"])
    first = _first(numbers.assign(of=names(numbers, "")), card["level"])
    family = card["family"] if numbers["p_value"].notna().any() else ""
    facts = {
        "card": card,
        "family": family,
        "section": section,
        "level": f"{100 * card['level']:g}",
        "picture": shown(picture, describe(picture.table, title), f"{metric}_numbers", drawn),
        "models": [
            {"label": label, "rows": [_row(row) for row in rows.to_dict("records")]}
            for label, rows in by_model(picture.table)
        ],
        "findings": [
            {"label": label, **_row(row)}
            for label, rows in by_model(first.assign(name=first["of"], planted=first["model"].map(_strength(models))))
            for row in rows.to_dict("records")
        ],
    }
    told = {name: card[name] for name in ("null", "over", "directions")}
    return Part(
        name=metric,
        title=title,
        sections=[(section, title)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", facts),
        tested=[Tested(metric, title, section, family, card["correction"])],
        models=models,
        answers=[answer(title, card["measures"], card["unit"], section, first, _strength(models), **told)],
        lead=render(_HERE, "lead.html.j2", facts),
    )


def _first(numbers: pd.DataFrame, level: float) -> pd.DataFrame:
    """The number of each model for the first screen: its only one, or that with the smallest adjusted p-value, with an
    interval that holds for all of its numbers at once."""
    known = numbers.dropna(subset="estimate")
    if known["model"].is_unique:
        return known
    return foremost(known.assign(df=known["n"] - 1), ["model"], level)


def _strength(models: list[dict]) -> dict[str, float | None]:
    return {model["name"]: model["planted"] for model in models}


def _row(row: dict) -> dict:
    return {"name": row["name"], "n": text(row["n"], ",.0f"), "number": noted(row), "p": p_value(row["p_adjusted"])}
