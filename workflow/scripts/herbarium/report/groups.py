"""The part of the page on groups: how much their profiles differ, for the scores of any metric."""

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import Part, Tested, render

NAME, TITLE = "groups", "Differences between groups"
_FAMILY = "all models of the same data"
_UNTESTED = {"p_adjusted": math.nan, "ci_high": math.nan}


def part(numbers: pd.DataFrame, models: list[dict], settings: Mapping) -> Part:
    """numbers: tidy rows of `statistics.grouped`. models: records of their models. settings: `mixed_models` of the
    configuration."""
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in style.by_strength(models)}
    tests = settings["tests"]
    facts = {
        "level": f"{settings['bootstrap']['level'] * 100:g}",
        "equivalence_level": f"{100 - 200 * tests['alpha']:g}",
        "bound": f"{tests['equivalence_share']:g}",
        "rows": rows(numbers, labels),
    }
    return Part(
        name=NAME,
        title=TITLE,
        sections=[("groups", "Groups")],
        html=render(Path(__file__).parent, "groups.html.j2", facts),
        overview="",
        limits="",
        tested=[Tested(NAME, "Groups", "groups", _FAMILY, tests["correction"])],
        models=models,
        answers=[share_answer(numbers, models, tests)],
    )


def share_answer(numbers: pd.DataFrame, models: list[dict], tests: Mapping) -> Answer:
    """What the first screen says. Arguments as for `part`; tests: of the settings."""
    rows, equivalent = (numbers[numbers["variant"] == variant] for variant in ("share", "equivalent"))
    is_within = equivalent["p_adjusted"] < tests["alpha"]
    within = set(map(tuple, equivalent.loc[is_within, ["model", "unit"]].to_numpy()))
    bounds = [
        tests["equivalence_share"] if place in within else math.nan
        for place in zip(rows["model"], rows["unit"], strict=True)
    ]
    measures = "How much of the variation in how members of groups are described lies between the groups."
    planted = {model["name"]: model["planted"] for model in models}
    rows = rows.assign(of=rows["unit"], within=bounds)
    return answer(TITLE, measures, "share of variance", "groups", rows, planted)


def rows(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """One row per data and model, models in the order of `labels`."""
    places = {model: place for place, model in enumerate(labels)}
    by_variant = {(row["unit"], row["model"], row["variant"]): row for _, row in numbers.iterrows()}
    shares = numbers[numbers["variant"] == "share"].sort_values(
        "model", key=lambda names: names.map(places), kind="stable"
    )
    entries = []
    for _, share in shares.sort_values("unit", kind="stable").iterrows():
        equivalent = by_variant.get((share["unit"], share["model"], "equivalent"), _UNTESTED)
        entries.append(
            {
                "data": share["unit"],
                "label": labels.get(share["model"], share["model"]),
                "n": int(share["n"]),
                "share": noted(share),
                "p_adjusted": p_text(share["p_adjusted"]),
                "p_equivalence": p_text(equivalent["p_adjusted"]),
                "least": text(equivalent["ci_high"]),
            }
        )
    return entries
