from functools import cache

import pandas as pd
from tests.metrics.examples import MODELS, pictures
from tests.metrics.mixed_effects.test_report import SETTINGS, fit, fits

from herbarium.metrics.mixed_effects.report import part as of_page
from herbarium.statistics import fits_overview
from herbarium.statistics.fits import FITS

PICTURES = {name: pd.DataFrame(columns=module.COLUMNS) for name, module in of_page.FIGURES.items()}
SLOPES = {"structure": "slopes", "estimate": 1.3, "p_equivalence": 0.9, "mde": 0.03}
# What a study may ask beside the main questions.
FURTHER = [
    fit("strong", "order", structure="pairs", estimate=1.5, singular=True),
    fit("strong", "order", **SLOPES),
    *(fit("strong", "order", subset=f"without t{i}", estimate=1.0 + i / 4) for i in (1, 2)),
    fit("strong", "order", subset="with_negative", estimate=0.5),
    *(fit("strong", "order", subset=subset, definition="released") for subset in ("all", "shared")),
]


def written():
    keys = {"model": "m", "data": "traits", "structure": "intercepts", "contrast": "male-female"}
    keys |= {"subset": "all", "dimension": "order", "converged": True}
    known = pd.DataFrame([keys | {"definition": definition} for definition in ("paper", "released")])
    known = known.reindex(columns=FITS.fields.names)
    numbers = known.columns[known.isna().all()]
    adjusted = fits_overview.adjusted(known.fillna(dict.fromkeys(numbers, 0.5)), "holm")
    return [fits_overview.overview(adjusted)]


@cache
def drawn():
    return pictures(**{f"mixed_effects_{name}": table for name, table in PICTURES.items()})


def part_of(rows):
    return of_page.part(rows, ["traits", "nouns"], MODELS, drawn(), SETTINGS)


def numbers():
    return fits(*FURTHER)
