from functools import cache

import pandas as pd
from tests.metrics import examples
from tests.metrics.sentence_sets import test_each, toy
from tests.metrics.sentence_sets import test_report as page
from tests.metrics.sentence_sets.test_numbers import OTHERS

from herbarium.metrics.sentence_sets import each, numbers, published

MODELS = page.MODELS
FAULTS = [
    ("shares", "a", 1, "two differ", True),
    ("shares", "a", 7, "two differ", True),
    ("shares", "b", 2, "x", False),
]
COREFERENCE = [
    ["dev", "type 1", published.OURS, "questions", "strong", 80.0, 60.0, 70.0, 20.0, 12, None],
    ["dev", "type 1", published.THEIRS, None, "E2E", 76.0, 49.4, 62.7, 26.6, None, "a doubt"],
]
ENTRIES = toy.ENTRIES | OTHERS
NAMES = {"name": list(ENTRIES)}


@cache
def written():
    tables = []
    for name, entry in ENTRIES.items():
        observed, of_each = toy.observations(entry), entry | {"each": "cook"}
        tables.append(numbers.measure("m", name, observed, entry, 1))
        tables.append(each.measure("m", name, observed.assign(each=observed["group"]), of_each, 1))
    known = pd.DataFrame({"thing": ["a", "b"], "beside": "age", "known": [30.0, 40.0], "std_error": 0.0})
    of_pairs = tables[1][tables[1]["variant"] == "pll_difference"]
    return [*tables, each.correlate("m", "pronouns", of_pairs, known, toy.ENTRY | {"each": "cook"}, 1)]


def part():
    names = [model["name"] for model in MODELS]
    correlations = each.correlations(test_each.measured(), test_each.ENTRIES, names).to_dict("records")
    more = {"of_each": test_each.rows(), "correlations": correlations, "coreference": COREFERENCE, "faults": FAULTS}
    shown = {name: ENTRIES[name] for name in ("pronouns", "shares", "questions", "answers")}
    return page.part_of(shown, **more)


def lost_part():
    rows = page.rows_of().assign(**examples.LOST, equivalence_bound=None, least_shown=None, n_needed=None)
    return page.part_of(toy.ENTRIES, rows)
