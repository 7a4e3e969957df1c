"""The room of the page with some of the sentences behind each number."""

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import text
from herbarium.study.sentences import SHOWN, of_metrics


def sentences(table: pd.DataFrame) -> Room:
    """table: of `study.sentences.examples`."""
    facts = {
        "metrics": [
            {"name": metric, "sets": [_set(name, rows) for name, rows in of_metric.groupby("stimuli", sort=False)]}
            for metric, of_metric in of_metrics(table)
        ],
        "most": SHOWN,
    }
    return room("sentences", "Sentences", facts)


def _set(name: str, rows: pd.DataFrame) -> dict:
    """A row for each sentence and quantity, with a cell for each model, empty where it has no such quantity."""
    by_place = {(row["sentence"], row["quantity"], row["model"]): row for row in rows.to_dict("records")}
    models = list(rows["model"].unique())
    return {
        "name": name,
        "models": models,
        "rows": [
            {
                "sentence": sentence,
                "quantity": quantity,
                "cells": [_cell(by_place.get((sentence, quantity, model))) for model in models],
            }
            for sentence, quantity in dict.fromkeys(place[:2] for place in by_place)
        ],
    }


def _cell(row: dict | None) -> dict:
    if row is None:
        return {"value": None, "note": None}
    return {"value": text(row["value"]), "note": None if pd.isna(row["note"]) else row["note"]}
