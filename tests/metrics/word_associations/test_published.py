"""Published figures: as the thesis prints them, and ours beside them."""

import pandas as pd
import pytest
from tests.metrics.word_associations.toy import ENTRY, HERE, measured, of_source

from herbarium.core.resources import read_text_table
from herbarium.metrics.word_associations import published

FIGURES = read_text_table(HERE / "published.csv", ["table", "row", "column", "source", "value", "doubt"])


def test_figures_are_those_of_the_thesis(shared):
    text = (shared / "papers/zhao_thesis_2021.txt").read_text().replace("<b>", "").replace("</b>", "")
    lines = [line.split("\t") for line in text.splitlines()]
    start = next(n for n, line in enumerate(lines) if line[0] == "SemBias" and line[1:2] == ["GloVe"])
    for table, first, names in (
        ("Table 3.1", start, 1),
        ("Table 3.2", next(n for n, line in enumerate(lines) if line[1:2] == ["Google"]) + 1, 0),
        ("Table 3.3", next(n for n, line in enumerate(lines) if "OntoNotes-test" in line) + 1, 0),
    ):
        chosen = FIGURES[FIGURES["table"] == table]
        n = chosen["row"].nunique()
        rows = [line[1 + names :] for line in lines[first : first + n]]
        assert [cell for row in rows for cell in row] == chosen["value"].tolist(), table
    for value in FIGURES.loc[FIGURES["table"] == "Section 3.1.3", "value"]:
        assert f"is {value}" in text


@pytest.fixture(scope="module")
def numbers():
    return of_source("strong", 2.0)[0]


@pytest.mark.slow
def test_ours_stand_beside_the_source_of_that_name(numbers):
    result = published.beside(FIGURES, numbers.assign(model="glove"), ["own"], "he-she")
    measured_rows = result[result["agreement"] != "not measured"]
    assert set(measured_rows["table"]) == {"Table 3.1", "Section 3.1.3"}
    assert measured_rows["row"].str.endswith("GloVe").all()
    rows = measured_rows.set_index(["table", "row", "column"])["paper"]
    assert rows["Table 3.1", "SemBias, GloVe", "definition"] == 100
    assert rows["Table 3.1", "SemBias (subset), GloVe", "none"] == 0
    chosen = numbers[(numbers["metric"] == "projection_size") & (numbers["group"] == "cosine")]
    assert rows["Section 3.1.3", "GloVe", "projection"] == chosen[chosen["definition"] == "paper"]["estimate"].iloc[0]
    assert len(result) == len(FIGURES)


def test_of_other_sources_lists_and_layers_nothing_is_compared(numbers):
    layers = pd.concat([numbers.assign(variant=layer) for layer in "01"])
    for table, lists, pair in (
        (numbers, ["own"], "he-she"),
        (numbers.assign(model="glove"), [], ""),
        (layers.assign(model="glove"), ["own"], "he-she"),
    ):
        assert (published.beside(FIGURES, table, lists, pair)["agreement"] == "not measured").all()


@pytest.mark.slow
def test_benchmarks_are_found_by_their_names(tmp_path):
    (tmp_path / "ws353.txt").write_text(
        "uncle\taunt\t9\napple\tpear\t7\napple\tking\t1\nspoon\tfork\t8\nqueen\tking\t6\n"
    )
    table, _ = measured(ENTRY | {"similarity": {"ws353": str(tmp_path / "ws353.txt")}}, source="gn-glove")
    result = published.beside(FIGURES, table, [], "")
    cell = result[(result["column"] == "ws353") & (result["row"] == "GN-GloVe-L1")].iloc[0]
    assert cell["paper"] == pytest.approx(100 * table.loc[table["metric"] == "similarity", "estimate"].iloc[0])


def test_analogies_among_the_words_of_the_list_are_not_what_is_published():
    analogy = {"metric": "analogy", "unit": "google", "group": "all", "model": "glove", "variant": "input"}
    rows = pd.DataFrame([analogy | {"definition": name, "estimate": 0.5, "note": ""} for name in ("own", "paper")])
    rows = rows.assign(ci_low=0.4, ci_high=0.6)

    def google(numbers):
        result = published.beside(FIGURES, numbers, [], "")
        return result[(result["column"] == "google") & (result["row"] == "GloVe")].iloc[0]

    assert google(rows[rows["definition"] == "own"])["agreement"] == "not measured"
    assert google(rows.assign(estimate=[0.9, 0.5]))["paper"] == 50
