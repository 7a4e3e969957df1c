import pandas as pd
from tests.metrics.cards import assert_cards

from herbarium.statistics import fits_overview
from herbarium.statistics.fits import FITS


def test_every_number_has_a_card_and_every_card_a_number():
    keys = {"model": "m", "data": "traits", "structure": "intercepts", "contrast": "male-female"}
    keys |= {"subset": "all", "dimension": "order", "converged": True}
    fits = pd.DataFrame([keys | {"definition": definition} for definition in ("paper", "released")])
    fits = fits.reindex(columns=FITS.fields.names)
    numbers = fits.columns[fits.isna().all()]
    fits = fits_overview.adjusted(fits.fillna(dict.fromkeys(numbers, 0.5)), "holm")
    assert_cards("mixed_effects", [fits_overview.overview(fits)])
