"""Tables to read: the tidy rows, each at its place."""

import pandas as pd
import pytest

from herbarium.metrics.herb import overview
from herbarium.statistics.tidy import tidy

NAMES = {"earth": "the Earth", "continent:AF": "Africa", "continent:AS": "Asia"}


def rows(metric, *of_variants, **columns):
    table = pd.DataFrame(of_variants, columns=["variant", "group", "estimate", "ci_low", "ci_high"])
    return tidy(
        table.assign(model="m", metric=metric, **{"definition": "paper", "unit": "continent", "n": 3, **columns})
    )


def test_intervals_stand_side_by_side():
    numbers = [
        rows(
            "herb_intervals",
            ("C_w_over_sub_regions", "continent:AF", 1.0, 0.1, 1.9),
            ("C_w_size_free_over_sub_regions", "continent:AF", 2.0, 0.2, 2.9),
        ),
        rows("herb", ("C_w", "continent:AF", 1.0, 0.5, 1.5), ("C_w", "earth", 1, 1, 1)),
    ]
    table = overview.intervals(pd.concat(numbers), NAMES)
    assert table[["variant", "name", "estimate"]].values.tolist() == [
        ["C_w", "Africa", 1.0],
        ["C_w_size_free", "Africa", 2.0],
    ]
    assert table["descriptions_low"].tolist() == [0.5, pytest.approx(float("nan"), nan_ok=True)]
    assert table["sub_regions_high"].tolist() == [1.9, 2.9]


def test_wordings_stand_beside_the_published_one():
    numbers = rows(
        "herb",
        ("C_w", "earth", 1.0, 0.5, 1.5),
        ("C_w", "country:FR", 1.0, 0.5, 1.5),
        ("C_w_template_mine", "earth", 1.1, 0.5, 1.5),
        ("C_w_size_free_templates_variance", "earth", 0.1, 0.0, 0.2),
        ("C_w_without_mind", "earth", 7.0, 0.5, 1.5),
        ("C_z_over_names", "earth", 1.2, 0.5, 1.5),
    )
    released = rows("herb", ("C_w", "earth", 9.0, 8.0, 10.0), definition="released")
    table = overview.wordings(pd.concat([numbers, released]), NAMES)
    assert table[["variant", "wording", "region", "estimate"]].values.tolist() == [
        ["C_w", "as published", "earth", 1.0],
        ["C_w", "template_mine", "earth", 1.1],
        ["C_w_size_free", "templates_variance", "earth", 0.1],
        ["C_z", "over_names", "earth", 1.2],
    ]


def test_both_sides_of_a_difference_are_named():
    numbers = rows(
        "herb_differences", ("C_w_over_descriptions", "continent:AF − continent:AS", 1.0, 0.5, 1.5), p_adjusted=0.1
    )
    table = overview.differences(numbers, NAMES)
    assert table.loc[0, ["name", "p_adjusted"]].tolist() == ["Africa − Asia", 0.1]


def test_the_hierarchy_has_its_levels():
    numbers = rows("herb_hierarchy", ("effect", "earth", 0.2, 0.1, 0.3), p_value=0.01)
    assert overview.hierarchy(numbers, NAMES).loc[0, ["unit", "estimate", "p_value"]].tolist() == [
        "continent",
        0.2,
        0.01,
    ]
