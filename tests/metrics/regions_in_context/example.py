import pandas as pd
from tests.conftest import model_record
from tests.metrics.examples import MARKUP, pictures
from tests.metrics.regions_in_context.toy import measured

from herbarium.metrics.regions_in_context.figures import layers
from herbarium.metrics.regions_in_context.report import part as of_page

KNOWN = [model_record("none", 0.0), model_record("real", None)]
MODEL_OF = {"none-layers": "none", MARKUP: "real"}
MODELS = [{"name": "none-layers", "planted": 0.0}, {"name": MARKUP, "planted": None}]


def numbers():
    return pd.concat([measured("none-layers", lean=0.0), measured(MARKUP)])


def part_of(tidy):
    return of_page.part(tidy, KNOWN, MODEL_OF, 0.95, pictures(regions_in_context_layers=layers.table(tidy)))
