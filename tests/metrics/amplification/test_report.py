"""The part on bias amplification: its numbers are those of the tables; and its figures, in words and as panels."""

import pandas as pd
import pytest
from tests.metrics.amplification import test_numbers, toy
from tests.metrics.parts import assert_part
from tests.reports import table

from herbarium.drawing import tasks
from herbarium.drawing.printed import printed
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.figures import iterations, margins, rates
from herbarium.metrics.amplification.report import part
from herbarium.metrics.amplification.section import Amplification
from herbarium.page import build
from herbarium.report.pictures import Picture

NAMES = toy.REGIONS.set_index("region")["name"].to_dict()
WHERE = tasks.places([("reviews", "m")], {})
MEASURED = dict.fromkeys(outputs.MEASURES, 0.25) | {"activities": 2, "margin": 0.1, "accuracy": float("nan")}
SETTINGS = Amplification(tasks=["reviews"], margin=0.1).model_dump(mode="json")


@pytest.fixture(scope="module")
def measured():
    return test_numbers.measured()


@pytest.fixture(scope="module")
def tables(measured):
    return {
        "rates": rates.table(measured.numbers, WHERE, NAMES),
        "iterations": iterations.table(measured.iterations, WHERE),
        "margins": margins.table(measured.by_method, WHERE),
    }


def drawn(tables):
    return {
        "rates": printed(rates.panels(tables["rates"], 0.1), rates.EMPTY),
        "iterations": printed(iterations.panels(tables["iterations"]), iterations.EMPTY),
        "margins": printed(margins.panels(tables["margins"], 0.1), margins.EMPTY),
    }


@pytest.fixture(scope="module")
def page_part(measured, tables, tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    pictures = {}
    for name, figure in drawn(tables).items():
        figure.savefig(folder / f"{name}.png")
        csv = tables[name].to_csv(index=False).encode()
        pictures[f"amplification_{name}"] = Picture((folder / f"{name}.png").read_bytes(), csv)
    structured = pd.DataFrame([{"name": "field", "method": "rba", "sets": 3, "instances": 9} | MEASURED])
    arguments = (
        measured.numbers,
        measured.by_method,
        structured,
        {"reviews": 2.0},
        NAMES,
        {"m": "m"},
        pictures,
        SETTINGS,
    )
    return assert_part(part.part(*arguments), "amplification")


def test_the_part_has_the_numbers(page_part, measured):
    text = build.build([page_part], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})
    (row,) = table(text, "table-amplification-reviews")
    estimate = measured.numbers.set_index(["definition", "variant"]).loc[("own", "amplification"), "estimate"]
    assert row[0] == "m"
    assert row[2].startswith(f"{100 * estimate:.3g}")
    groups = table(text, "table-amplification-groups-reviews")
    assert {cells[1] for cells in groups} == {"Africa", "Europe"}
    ways = table(text, "table-amplification-methods-reviews")
    assert [cells[1] for cells in ways if cells[2] == "0"].count("optimum") == 1
    (row,) = table(text, "table-amplification-structured")
    assert row[:3] == ["field", "RBA, ours", "3 × 9, 2"]
    assert row[5] == "25"
    assert "Left out, with fewer than 20 training texts: Oceania." in page_part.html
    assert "points" in page_part.overview


def test_figures_in_words(tables):
    assert rates.describe(tables["rates"]).startswith("Scatter plots of positive rates of groups")
    assert "RBA, as published from" in iterations.describe(tables["iterations"])
    assert "optimum 0 violations" in margins.describe(tables["margins"])
    assert [len(figure_module.panels(tables[name], *more)) for figure_module, name, more in _panels()] == [1, 1, 1]


def _panels():
    return (rates, "rates", [0.1]), (iterations, "iterations", []), (margins, "margins", [0.1])


def test_a_set_that_has_ended_counts_with_what_it_ended_with():
    rows = [("rba", 1, 0, 2), ("rba", 1, 1, 0), ("rba", 2, 0, 4), ("rba", 2, 1, 2), ("rba", 2, 2, 1)]
    table = pd.DataFrame(rows, columns=["method", "set", "iteration", "violations"]).assign(model="m", task="reviews")
    assert iterations.table(table, WHERE)["violations"].tolist() == [3, 1, 0.5]
