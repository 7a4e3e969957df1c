"""What is asked for where there are mixed models or groups: tidy numbers, a part of the page."""

from herbarium.core.targets import Targets
from herbarium.statistics import targets

GROUPED = {("m", "tasks/reviews"): "<work>/grouped/m/tasks/reviews.parquet", ("n", "mine"): "anywhere.parquet"}


def test_numbers_are_asked_for_where_anything_is_fitted_or_grouped_and_a_part_where_groups_are():
    assert targets.of_all(Targets()) == Targets()
    assert targets.of_all(Targets(fits=["a.parquet"])).numbers == ["<work>/metrics/mixed_effects.parquet"]
    groups = targets.of_all(Targets(grouped=GROUPED))
    assert groups.numbers == ["<work>/metrics/groups.parquet"]
    assert groups.parts == ["<work>/parts/groups.json"]
    assert groups.validity == ["resources/groups/validity.csv"]
