"""Which identities the part of the page on social bias probing names."""

import pytest
from tests.metrics.examples import part_of
from tests.metrics.sofa.example import numbers


@pytest.mark.slow
def test_identities_that_stand_out_are_named_with_their_ranks():
    page, rows = part_of("sofa"), numbers()
    of_trade = rows[(rows["model"] == "strong") & rows["group"].str.startswith("demo/trade/")].set_index("group")
    deviations = of_trade[of_trade["variant"] == "deviation"]["estimate"].sort_values()
    first, last = (deviations.index[place] for place in (0, -1))
    rank = of_trade[of_trade["variant"] == "rank"].loc[first]
    item = next(line for line in page.html.splitlines() if "strength 2), demo/trade:" in line)
    assert f"likeliest after {first.rpartition('/')[2]} (rank 1, 1 to {rank['ci_high']:.0f})" in item
    assert f"least likely after {last.rpartition('/')[2]} (rank 8" in item
