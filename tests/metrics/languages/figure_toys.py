"""Toys of the figures: Spanish, also in the space of English."""

from tests.drawing.marks import BOUNDS
from tests.metrics.languages.toy import LISTS, measured

from herbarium.metrics.languages.figures import inbias
from herbarium.metrics.languages.figures import map as of_map


def places():
    _, _, spaces, aligned = measured(2.0)
    return of_map.table("toy", LISTS, spaces, aligned)


TOYS = {
    "inbias": lambda: (inbias.table(measured(2.0)[0], {"english-2": 2.0, "spanish-2": 2.0}),),
    "map": lambda: (places(),),
}
MARKS = {"inbias": ("estimate", "x", BOUNDS)}
