"""Published counts and accuracies: as the thesis prints them, and ours beside them."""

import pandas as pd
import pytest

from herbarium.core.resources import read_text_table
from herbarium.metrics.gender_in_context import counts, published

FIGURES = read_text_table("resources/gender_in_context/published.csv", ["table", "row", "column", "value", "doubt"])
SIDES = {"feminine first": ["feminine", "masculine"], "masculine first": ["masculine", "feminine"], "old": ["a", "b"]}
COUNTS = counts.count("talk", ["He is a nurse. She saw her nurse. He left him."], {"nurse": "feminine"})


def test_figures_are_those_of_the_thesis(shared):
    text = (shared / "papers/zhao_thesis_2021.txt").read_text()
    lines = text[text.index("#occurrence") :].splitlines()[1:3]
    printed = [float(cell.replace(",", "")) for line in lines for cell in line.split("\t")[1:]]
    assert FIGURES.loc[FIGURES["table"] == "Table 3.4", "value"].astype(float).tolist() == printed
    accuracies = FIGURES.loc[FIGURES["table"] == "Section 3.2.2.3", "value"]
    assert "{}% and {}% accuracy on sentences where the true gender was male and female".format(*accuracies) in text


def numbers(unit, *values, definition="held_out_pairs", kernel="rbf", layer="12"):
    of_all = {"metric": "gender_in_context", "model": "bert", "unit": unit, "definition": definition, "group": layer}
    names = (f"accuracy_{kernel}", f"accuracy_gap_{kernel}")
    return [of_all | {"variant": name, "estimate": value} for name, value in zip(names, values, strict=True)]


NUMBERS = pd.DataFrame(
    [
        *numbers("feminine first", 0.6, 0.5, layer="0"),
        *numbers("feminine first", 0.8, -0.1),
        *numbers("feminine first", 0.9, 0.0, kernel="linear"),
        *numbers("feminine first", 0.9, 0.0, definition="held_out_words"),
        *numbers("masculine first", 0.7, 0.2),
        *numbers("old", 0.9, 0.1),
    ]
)


def test_ours_stand_beside_them_and_are_of_something_else():
    table = published.beside(FIGURES, NUMBERS, COUNTS, SIDES)
    assert set(table["agreement"]) == {"not comparable"}
    of_corpus = table[table["table"] == "Table 3.4"].set_index(["row", "column"])["paper"]
    assert of_corpus["M"].tolist() == [3, 0, 1]
    assert of_corpus["F"].tolist() == [2, 0, 1]
    assert table.loc[table["table"] == "Table 3.4", "note"].str.endswith("of talk").all()
    # the mean of the two is the accuracy, their difference the gap; of the last layer
    accuracies = table[table["table"] == "Section 3.2.2.3"]
    values = dict(
        zip(accuracies["column"] + " " + accuracies["note"].str.rpartition("of ")[2], accuracies["paper"], strict=True)
    )
    assert values == pytest.approx(
        {
            "male bert, feminine first, 12": 85,
            "female bert, feminine first, 12": 75,
            "male bert, masculine first, 12": 80,
            "female bert, masculine first, 12": 60,
        }
    )


def test_without_corpora_and_without_gender_nothing_is_measured():
    table = published.beside(FIGURES, NUMBERS[NUMBERS["unit"] == "old"], COUNTS.iloc[:0], SIDES)
    assert (table["agreement"] == "not measured").all()
    assert len(table) == len(FIGURES)
