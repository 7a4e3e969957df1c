"""Rows of several models, in every metric: see tests/assembly.py."""

from importlib import import_module
from pathlib import Path

import pytest
from tests.assembly import Assembly, arguments, assert_assembled
from tests.drawing.test_every_figure import figures, module_of
from tests.metrics.test_contract import METRICS

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


@pytest.mark.parametrize("assembly", ASSEMBLED, ids=lambda assembly: assembly.name)
def test_what_stands_beside_it_changes_no_row(assembly):
    assert_assembled(assembly)


def a_model(given):
    """The name of one of the models that a figure shows."""
    if models := given.get("models"):
        return models[0]["name"]
    return next(table["model"].iloc[0] for table in given.values() if "model" in getattr(table, "columns", ()))


@pytest.mark.parametrize("name", FIGURES)
def test_another_model_changes_no_row_of_a_figure(name):
    """But for their order, which may be by what all models have. The first model of a language may be its own."""
    function, (_, metric, _, figure) = module_of(name).table, name.split(".")
    toy = import_module(f"tests.metrics.{metric}.figure_toys").TOYS[figure]
    model = {"model": a_model(arguments(function, toy))}
    assert_assembled(Assembly(function, toy, rows=model, leading=("model",), in_order=False))
