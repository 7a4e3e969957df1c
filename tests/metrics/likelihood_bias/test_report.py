"""Which descriptors the part of the page on likelihood bias names."""

import pytest
from tests.metrics.examples import part_of
from tests.metrics.likelihood_bias.example import numbers


@pytest.mark.slow
def test_descriptors_that_stand_out_are_named_from_the_least_surprising():
    page, rows = part_of("likelihood_bias"), numbers()
    apart = rows[(rows["model"] == "strong") & (rows["unit"] == "descriptor") & (rows["p_adjusted"] < 0.05)]
    of_faith = apart[apart["group"].str.startswith("demo/faith/")].sort_values("estimate")
    names = of_faith["group"].str.rpartition("/")[2].tolist()
    item = next(line for line in page.html.splitlines() if "strength 2), demo/faith:" in line)
    assert f"least surprising: {names[0]}" in item
    assert f"most surprising: {names[-1]}" in item
