"""What is asked for where there are mixed models: the fits of groups, tidy numbers, a part of the page."""

from herbarium.core.targets import Targets
from herbarium.statistics import targets

NUMBERS = ["<results>/metrics/mixed_effects.parquet"]
GROUPED = {("m", "tasks/reviews"): "<results>/grouped/m/tasks/reviews.parquet", ("n", "mine"): "anywhere.parquet"}


def test_every_model_and_data_with_groups_is_fitted():
    assert targets.group_fits(Targets(grouped=GROUPED)) == [
        "<results>/fits/groups/m/tasks/reviews.parquet",
        "<results>/fits/groups/n/mine.parquet",
    ]


def test_numbers_are_asked_for_where_anything_is_fitted_and_a_part_where_groups_are():
    assert targets.of_fits(Targets()) == Targets()
    assert targets.of_fits(Targets(fits=["a.parquet"])) == Targets(numbers=NUMBERS)
    assert targets.of_fits(Targets(grouped=GROUPED)) == Targets(numbers=NUMBERS, parts=["<results>/parts/groups.json"])
