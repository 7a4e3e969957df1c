"""Rows of several models, in every metric: see tests/assembly.py."""

from importlib import import_module
from pathlib import Path

import pytest
from tests.assembly import Assembly, arguments, assert_assembled, tables_of_tables
from tests.drawing.test_every_figure import figures, module_of
from tests.metrics.test_contract import LIBRARY, METRICS, module

DECLARED = {metric: Path(f"tests/metrics/{metric}/assembly.py") for metric in METRICS}
ASSEMBLED = [
    assembly
    for metric, path in DECLARED.items()
    if path.exists()
    for assembly in import_module(f"tests.metrics.{metric}.assembly").ASSEMBLED
]
# Figures whose toy is a table of its own, or of no model, or has a patch.
WITHOUT = ("iterations", "margins", "rates", "gaps", "occupations", "sembias", "languages.figures.map", "space")
FIGURES = [name for name in figures() if name.startswith("metrics.") and not name.endswith(WITHOUT)]


# Modules whose tables have rows of several models; `changes` has, wherever it stands.
ROOMS = {"calibration", "changes", "differences", "items", "published", "tables", "words"}
# Functions of a single model, or row by row.
ALONE = {
    *("metrics.categorical_bias.published.beside", "metrics.downstream.published.beside"),
    *("metrics.discrimination_scores.published.data", "metrics.discrimination_scores.published.measure"),
    *("metrics.downstream.published.figures", "metrics.herb.published.figures"),
    *("metrics.gender_in_context.items.of_items", "metrics.gender_in_context.items.placed"),
    *("metrics.herb.published.implied_mean_distance", "metrics.herb.published.reproduced"),
    "metrics.mixed_effects.published.sentences",
}


@pytest.mark.parametrize("metric", METRICS)
def test_every_function_that_assembles_rows_is_declared(metric):
    functions = [
        name
        for path in sorted((LIBRARY / metric).glob("*.py"))
        for name in tables_of_tables(module(metric, path.stem))
        if path.stem in ROOMS or name.endswith(".changes")
    ]
    declared = {assembly.name for assembly in ASSEMBLED}
    assert [name for name in functions if name not in declared | ALONE] == [], f"declare it in {DECLARED[metric]}"


@pytest.mark.parametrize("assembly", ASSEMBLED, ids=lambda assembly: assembly.name)
def test_what_stands_beside_it_changes_no_row(assembly):
    assert_assembled(assembly)


def a_model(given):
    """The name of one of the models that a figure shows."""
    if models := given.get("models"):
        return models[0]["name"]
    return next(table["model"].iloc[0] for table in given.values() if "model" in getattr(table, "columns", ()))


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_another_model_changes_no_row_of_a_figure(name):
    """But for their order, which may be by what all models have. The first model of a language may be its own."""
    function, (_, metric, _, figure) = module_of(name).table, name.split(".")
    toy = import_module(f"tests.metrics.{metric}.figure_toys").TOYS[figure]
    model = {"model": a_model(arguments(function, toy))}
    assert_assembled(Assembly(function, toy, rows=model, leading=("model",), in_order=False))
