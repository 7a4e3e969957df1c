"""Toys of the figures: one task, two classifiers and four countries, one of which has no shape on the map."""

from functools import cache

from tests.metrics.downstream.toy import COUNTRIES, GEOJSON, LEAN, MODELS, STRENGTHS, numbers_of, task_prefixes

from herbarium.drawing import tasks
from herbarium.metrics.downstream.figures import map, planted, ranking

CODES = ("NA", "IN", "FR", "AD")
MEASURED = [("reviews", "strong"), ("reviews", "hub")]
PREFIXES = task_prefixes(COUNTRIES[COUNTRIES["iso2"].isin(CODES)])
OUTLINES = GEOJSON | {
    "features": [feature for feature in GEOJSON["features"] if feature["properties"]["iso2"] in (*CODES, "BR")]
}
OF = {"reviews": PREFIXES}, tasks.places(MEASURED, MODELS)


@cache
def numbers():
    return numbers_of(MEASURED, PREFIXES)


TOYS = {
    "map": lambda: (map.table(numbers(), *OF, OUTLINES), OUTLINES),
    "planted": lambda: (planted.table(numbers(), *OF, LEAN, STRENGTHS), numbers()),
    "ranking": lambda: (ranking.table(numbers(), *OF),),
}
