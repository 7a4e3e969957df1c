"""What makes rows of several sources of vectors: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.regions_in_context.toy import measured

from herbarium.metrics.regions_in_context import calibration, names

ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: calibration.rows(measured(), {"strong": 2.0}),
        rows={"model": "strong", "unit": "few"},
        nothing={"variant": names.AGREEMENT},
    ),
]
