from tests.metrics.examples import LOST
from tests.metrics.local_group_bias import test_numbers as toy
from tests.metrics.local_group_bias import test_report as page

MODELS = [{"name": "m", "planted": None}]


def written():
    settings = toy.table.Settings(clusters=2, strength=5, permutations=1, restarts=1)
    prefixes = toy.made_prefixes()
    return [toy.measured(prefixes, *toy.planted(prefixes, worse=0.6, n=60), settings=settings).numbers]


def part():
    return page.part_of(page.local(0.01), page.clusters())


def lost_part():
    return page.part_of([row | LOST for row in page.local(0.01)])
