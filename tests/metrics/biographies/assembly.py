"""What makes rows of several sources of vectors: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.biographies import test_published
from tests.metrics.biographies.toy import measured

from herbarium.metrics.biographies import calibration, published

ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: calibration.rows(measured(strength=1.6).numbers, {"toy": 1.6}),
        rows={"model": "toy", "unit": "toy"},
        nothing={"variant": "slope"},
    ),
    Assembly(
        published.beside,
        test_published.test_ours_stand_beside_the_figure_of_their_languages_source_and_training,
        nothing={"unit": "bios", "variant": "accuracy", "definition": "scrubbed"},
    ),
]
