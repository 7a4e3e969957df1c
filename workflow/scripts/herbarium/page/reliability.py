"""The room of the page on reliability: would other words, another form or another training give the same order?"""

from collections.abc import Iterable

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import text
from herbarium.report.part import Part
from herbarium.statistics.reliability import ENOUGH
from herbarium.study.reliability import MODELS, OBJECTS, TRAININGS


def reliability(table: pd.DataFrame, parts: Iterable[Part]) -> Room:
    """table: of `study.reliability`. parts: those of the metrics that were measured."""
    tested = {of.metric: of for part in reversed(list(parts)) for of in part.tested}
    rows = []
    for row in table.to_dict("records"):
        of = tested.get(row["metric"])
        row |= {"name": of.name if of else row["metric"], "section": of.section if of else None}
        rows.append(row | _texts(row))
    over_models = [row for row in rows if row["over"] == MODELS]
    facts = {
        "over_models": over_models,
        "within": [row for row in rows if row["over"] == OBJECTS],
        "trainings": [row for row in rows if row["over"] == TRAININGS],
        "enough": f"{ENOUGH:g}",
        "n_low": sum(row["alpha_low"] is not None and row["alpha_low"].number < ENOUGH for row in over_models),
        "n_known": sum(row["alpha_low"] is not None for row in over_models),
    }
    return room("reliability", "Reliability", facts)


def _texts(row: dict) -> dict:
    numbers = ("alpha", "alpha_low", "alpha_high", "split_half", "parallel_forms", "share_objects", "order_kept", "tau")
    numbers = (*numbers, "one_training", "one_low", "one_high")
    counts = ("n_objects", "n_words", "n_forms", "words_needed", "n_trainings")
    found = {name: text(row[name], ".2f") for name in numbers} | {name: text(row[name], ",.0f") for name in counts}
    found["training_sd"] = text(row["training_sd"])
    alpha, one = (
        {"value": found[value], "low": found[f"{of}_low"], "high": found[f"{of}_high"], "note": row["note"] or None}
        for of, value in (("alpha", "alpha"), ("one", "one_training"))
    )
    return found | {"of_alpha": alpha, "of_one": one}
