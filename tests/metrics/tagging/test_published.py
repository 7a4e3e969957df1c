"""Table 6: the transcription against the paper, and our numbers beside it."""

import re

import pandas as pd
import pytest

from herbarium.core.resources import read_table
from herbarium.metrics.tagging import published

LANGUAGES = {"DE": "german", "ES": "spanish", "KO": "korean", "TR": "turkish", "ZH": "chinese"}
TRAINING = {"frozen": True, "sets": 1}


@pytest.fixture(scope="module")
def figures():
    return read_table("resources/tagging/published.csv", ["value"])


def test_every_figure_is_that_of_the_paper(shared, figures):
    lines = (shared / "papers" / "ahn_oh_2021_categorical_bias.txt").read_text(encoding="utf-8").splitlines()
    end = next(n for n, line in enumerate(lines) if line.startswith("Table 6: "))
    rows = [line.split("\t") for line in lines[end - 7 : end] if line[:2] in LANGUAGES]
    assert len(rows) == len(LANGUAGES)
    for code, *cells in rows:
        printed = [number for cell in cells for number in re.findall(r"\d+\.\d+", cell)]
        assert figures.loc[figures["language"] == LANGUAGES[code], "value"].tolist() == printed
    assert len(figures) == 19  # Korean has none in parentheses
    assert figures.loc[figures["language"] == "korean", "doubt"].str.contains("29 labels").all()


def numbers(model, estimate):
    row = {"model": model, "variant": "f1", "unit": "all", "group": "german/all", "estimate": estimate, "n": 900}
    return row | {"ci_low": estimate - 0.01, "ci_high": estimate + 0.01, "note": None}


def ours():
    types = numbers("bert", 0.1) | {"unit": "entity_type", "group": "german/PER"}
    return pd.DataFrame([numbers("bert", 0.72), numbers("turned", 0.65), numbers("swapped", 0.5), types])


STATES = {"bert": "not aligned", "turned": "aligned"}


def test_ours_stand_where_their_state_and_training_belong(figures):
    table = published.table(ours(), figures, STATES, TRAINING).set_index("model")
    assert set(table.index) == {"bert", "turned"}
    assert table.loc["bert", ["column", "published"]].tolist() == ["not aligned, frozen", 72.14]
    assert table.loc["turned", "difference"] == pytest.approx(65 - 71.41)
    beside = published.beside(figures, table.reset_index())
    assert len(beside) == 19
    german = beside[beside["row"] == "german"].set_index("column")
    assert german.loc["not aligned, frozen", ["agreement", "note"]].tolist() == ["agrees", "of bert"]
    assert german.loc["aligned, frozen", "agreement"] == "differs"
    assert german.loc["not aligned, not frozen", "agreement"] == "not measured"


def test_what_was_not_frozen_stands_beside_what_others_published_too(figures):
    table = published.table(ours(), figures, STATES, {"frozen": False, "sets": 3})
    assert table["column"].tolist() == ["not aligned, not frozen", "not aligned, not frozen, by others"]
    assert (table["note"] == "trained on one of 3 parts of the sentences").all()
    beside = published.beside(figures, table).set_index(["row", "column"])
    assert beside.loc[("german", "not aligned, not frozen, by others"), "agreement"] == "doubtful"
