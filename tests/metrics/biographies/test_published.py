"""Published tables on biographies: as the thesis prints them, and ours beside them."""

import re

import pandas as pd
import pytest

from herbarium.core.resources import read_text_table
from herbarium.metrics.biographies import published

FIGURES = read_text_table(
    "resources/biographies/published.csv", ["table", "row", "column", "learned", "tested", "source", "value", "doubt"]
)
M_BERT = "bert-base-multilingual-uncased"
# The tables in the order of the thesis: how their headings begin, and how many columns come before the numbers.
TABLES = {
    "Table 3.11": ("MLBs\tEmb.", 2),
    "Table 3.12": ("Trans.\tSrc.", 3),
    "Table 3.13": ("Trans.\tSrc.", 3),
    "Table 3.14": ("Trans.\tSrc.", 3),
    "Table 3.15": ("MLBs\tAvg.", 1),
    "Table 3.16": ("Trans.\tAvg.", 1),
}


def test_figures_are_those_of_the_thesis(shared):
    text = re.sub(r"</?b>| ?[↓↑]", "", (shared / "papers/zhao_thesis_2021.txt").read_text())
    lines = text[text.index("#occupation") :].splitlines()
    sizes = [cell.replace(",", "") for line in lines[:2] for cell in line.split("\t")[1:]]
    assert FIGURES.loc[FIGURES["table"] == "Table 3.10", "value"].tolist() == sizes
    for table, (heading, n_names) in TABLES.items():
        start = next(n for n, line in enumerate(lines) if line.startswith(heading))
        chosen = FIGURES[FIGURES["table"] == table]
        rows = [line.split("\t") for line in lines[start + 1 : start + 1 + len(chosen) // 4]]
        assert [cell for row in rows for cell in row[n_names:]] == chosen["value"].tolist(), table
        # what a row is called is what is printed before its numbers, of the first also below it
        words = [word for row in rows for word in row[:n_names] if word]
        assert all(any(word in name for name in chosen["row"]) for word in words)
        lines = lines[start + 1 :]


@pytest.mark.parametrize("column", ["learned", "tested"])
def test_languages_are_those_of_the_rows(column):
    place = {"learned": 0, "tested": -1}[column]
    languages = FIGURES["row"].str.partition(",")[0].str.lower().str.split("→").str[place]
    assert (languages == FIGURES[column]).all()


def number(model, unit, definition, variant, estimate, group="input"):
    row = {"metric": "biographies", "model": model, "unit": unit, "definition": definition, "variant": variant}
    return row | {
        "estimate": estimate,
        "group": group,
        "ci_low": estimate - 0.1,
        "ci_high": estimate + 0.1,
        "note": None,
    }


NUMBERS = pd.DataFrame(
    [
        number("en", "bios", "scrubbed", "accuracy", 0.8),
        number("en", "bios", "as_is", "accuracy", 0.9),
        number("es-de", "bios-es", "scrubbed", "absolute_difference", 0.05),
        number("en_es-en", "bios/en→es", "scrubbed", "accuracy_female", 0.4),
        number("en_es-en", "bios/en→es", "scrubbed_balanced", "accuracy_female", 0.3),
        number(M_BERT, "bios", "scrubbed", "accuracy_male", 0.7, "fine-tuned"),
        number(M_BERT, "bios/en→de", "scrubbed", "accuracy_male", 0.5, "0"),
        number(M_BERT, "bios/en→de", "scrubbed", "accuracy_male", 0.6, "12"),
        number("en", "reviews", "scrubbed", "accuracy", 0.1),
    ]
)


def test_ours_stand_beside_the_figure_of_their_languages_source_and_training():
    table = published.beside(FIGURES, NUMBERS, {"bios": {"n": 900, "n_occupations": 8}, "other": {}})
    assert len(table) == len(FIGURES)
    ours = table[table["agreement"] != "not measured"]
    assert set(ours["agreement"]) == {"not comparable"}
    assert dict(zip(ours["table"] + ": " + ours["row"] + ", " + ours["column"], ours["paper"], strict=True)) == (
        pytest.approx(
            {
                "Table 3.10: EN, #occupation": 8,
                "Table 3.10: EN, #instance": 900,
                "Table 3.11: EN, en, Avg.": 80,
                "Table 3.11: ES, es-de, |Diff|": 5,
                "Table 3.12: EN→ES, en and es-en, Female": 40,
                "Table 3.13: EN→ES, en and es-en, Female": 30,
                "Table 3.15: EN, Male": 70,
                "Table 3.16: EN→DE, Male": 60,  # the last layer
            }
        )
    )
    is_of_network = ours["note"].str.contains("linear probe")
    assert set(ours.loc[is_of_network, "table"]) == {"Table 3.11", "Table 3.12", "Table 3.13", "Table 3.16"}


def test_without_tasks_of_these_names_nothing_is_measured():
    table = published.beside(FIGURES, NUMBERS[NUMBERS["unit"] == "reviews"], {})
    assert (table["agreement"] == "not measured").all()
