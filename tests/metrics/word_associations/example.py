from functools import cache

import pandas as pd
from tests.conftest import model_record
from tests.metrics.examples import LOST, MARKUP, pictures
from tests.metrics.word_associations import toy

from herbarium.metrics.word_associations.figures import occupations, sembias
from herbarium.metrics.word_associations.report import part as of_page

STRENGTHS = {"none": 0.0, "strong": 2.0}
MODELS = [
    *({"name": name, "planted": planted} for name, planted in STRENGTHS.items()),
    {"name": MARKUP, "planted": None},
]


@cache
def measured():
    """Numbers, and analogies among all words of a source and among those of the list; projections."""
    tables = [toy.of_source(name, strength) for name, strength in (*STRENGTHS.items(), (MARKUP, 1.0))]
    numbers, projections = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    analogy = numbers.head(1).assign(metric="analogy", unit="google", group="all", estimate=0.5)
    analogies = [analogy.assign(definition=definition) for definition in ("paper", "own")]
    return pd.concat([numbers, *analogies], ignore_index=True), projections


def written():
    return toy.everything()


def part_of(tidy, projections):
    bars, dots = sembias.table(tidy, STRENGTHS), occupations.table(projections, tidy, STRENGTHS)
    drawn = pictures(word_associations_sembias=bars, word_associations_occupations=dots)
    return of_page.part(tidy, [model_record("bert", None)], STRENGTHS, 0.95, "holm", drawn)


def part():
    return part_of(*measured())


def lost_part():
    numbers, projections = measured()
    return part_of(numbers.assign(**LOST), projections[:0])
