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
    tested = {test.metric: test for part in reversed(list(parts)) for test in part.tested}
    rows = []
    for row in table.to_dict("records"):
        tested_part = tested.get(row["metric"])
        row |= {
            "name": tested_part.name if tested_part else row["metric"],
            "section": tested_part.section if tested_part else None,
        }
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
    texts = {name: text(row[name], ".2f") for name in numbers} | {name: text(row[name], ",.0f") for name in counts}
    texts["training_sd"] = text(row["training_sd"])
    alpha, one = (
        {
            "value": texts[value],
            "low": texts[f"{coefficient}_low"],
            "high": texts[f"{coefficient}_high"],
            "note": row["note"] or None,
        }
        for coefficient, value in (("alpha", "alpha"), ("one", "one_training"))
    )
    return texts | {"of_alpha": alpha, "of_one": one}
