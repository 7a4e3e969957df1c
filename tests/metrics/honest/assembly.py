"""What makes rows of several models and numbers of completions: see tests/assembly.py."""

from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from tests.assembly import Assembly, made
from tests.metrics.honest import test_numbers
from tests.metrics.honest.figure_toys import LEANS, observations

from herbarium.metrics.honest import calibration, numbers


def of_planted():
    with TemporaryDirectory() as folder:
        read = made(test_numbers.read)(SimpleNamespace(mktemp=lambda _: Path(folder)))
    test_numbers.test_a_perfect_model_of_the_text_finds_what_is_planted(read)


ASSEMBLED = [
    Assembly(
        numbers.changes,
        lambda: numbers.changes(
            "few",
            [("none", "strong", "none", "strong")],
            {model: observations(lean) for model, lean in LEANS.items()},
            0.95,
        ),
        rows={"model": "strong"},
    ),
    Assembly(calibration.calibrate, of_planted, rows={"model": "toy"}, nothing={"variant": "difference_3"}),
]
