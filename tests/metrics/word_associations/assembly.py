"""What makes rows of several sources of vectors: see tests/assembly.py."""

from functools import cache

import pandas as pd
from tests.assembly import Assembly
from tests.metrics.word_associations import test_changes, test_published, toy

from herbarium.metrics.word_associations import calibration, changes, published, stimuli

# what is expected of a planted source, and a change over left-out words, take seconds for all lists
FEW = stimuli.read(
    toy.NOTHING | {"occupations": toy.ENTRY["occupations"], "directions": {"he-she": toy.ENTRY["directions"]["he-she"]}}
)


@cache
def of_source(name="after", strength=2.0):
    return toy.measured(strength=strength, source=name)[0]


def of_two():
    numbers = pd.concat([of_source("before", 1.0), of_source()])
    return changes.changes(test_changes.COMPARED, test_changes.TEXTS, test_changes.sources(), FEW, numbers)


ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: calibration.rows(of_source(), {"after": 2.0}, FEW, 1),
        rows={"model": "after", "unit": "jobs, he-she"},
        nothing={"metric": "weat", "group": "stereotype"},
    ),
    Assembly(changes.changes, of_two, rows={"model": "after"}, nothing={"metric": "weat", "unit": "jobs, he-she"}),
    Assembly(
        published.beside,
        lambda: test_published.test_ours_stand_beside_the_source_of_that_name(of_source()),
        nothing={"model": "glove", "metric": "projection_size", "definition": "paper", "group": "cosine"},
    ),
]
