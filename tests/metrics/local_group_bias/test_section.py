"""The section of the configuration: every fault of it is named with its key."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.local_group_bias.section import LocalGroupBias


@pytest.mark.parametrize("pair", [["country:IE"], ["country:IE", "country:IE"]])
def test_a_pair_is_of_two_regions(values, pair):
    text = faults({**values, "local_group_bias": {"pairs": [pair]}})
    assert tells(text, "local_group_bias", "pairs", pair)


def test_comparisons_are_a_family():
    section = LocalGroupBias(pairs=[["country:IE", "country:SY"]], continents=["continent:AF"])
    (family,) = section.families()
    assert (family.n, family.correction) == (2, "holm")
    assert list(LocalGroupBias().families()) == []
