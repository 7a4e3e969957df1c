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
    models = list(rows["model"].unique())
    by_model = [rows[rows["model"] == model].set_index(["sentence", "quantity"]) for model in models]
    asked = rows.drop_duplicates(["sentence", "quantity"])
    return {
        "name": name,
        "models": models,
        "rows": [
            {"sentence": sentence, "quantity": quantity, "cells": [_cell(of, (sentence, quantity)) for of in by_model]}
            for sentence, quantity in asked[["sentence", "quantity"]].itertuples(index=False)
        ],
    }


def _cell(scored: pd.DataFrame, key: tuple[str, str]) -> dict:
    """A model's score; it may have other quantities."""
    if key not in scored.index:
        return {"value": None, "note": None}
    row = scored.loc[[key]].iloc[0]
    return {"value": text(row["value"]), "note": None if pd.isna(row["note"]) else row["note"]}
