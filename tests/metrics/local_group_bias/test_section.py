"""The section of the configuration: every fault of it is named with its key."""

import pytest
from tests.study.configurations import faults


@pytest.mark.parametrize("pair", [["country:IE"], ["country:IE", "country:IE"]])
def test_a_pair_is_of_two_regions(values, pair):
    text = faults({**values, "local_group_bias": {"pairs": [pair]}})
    assert f"pairs: {pair} is not a pair; give two region ids" in text
