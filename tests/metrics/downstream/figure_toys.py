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


TABLES = {
    "map": lambda rows: map.table(rows, *OF, OUTLINES),
    "planted": lambda rows: planted.table(rows, *OF, LEAN, STRENGTHS),
    "ranking": lambda rows: ranking.table(rows, *OF),
}
TOYS = {
    "map": lambda: (TABLES["map"](numbers()), OUTLINES),
    "planted": lambda: (TABLES["planted"](numbers()), numbers()),
    "ranking": lambda: (TABLES["ranking"](numbers()),),
}
