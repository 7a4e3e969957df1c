"""What is kept of the beginning of an input: keys and values of prefixes, and what stands behind sees just these."""

import pytest
import torch

from herbarium.models import loading, prefixes


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_two_parts_of_an_input_are_the_whole(model_folder, family):
    assert prefixes.able(loading.load(model_folder(family), "causal", "float32", "m"))


@pytest.mark.parametrize(
    ("config", "by_length"),
    [
        ({}, False),
        ({"rope_scaling": {"type": "linear"}}, False),
        ({"rope_scaling": {"type": "dynamic"}}, True),
        ({"rope_parameters": {"rope_type": "longrope"}}, True),
        ({"rope_parameters": {"full_attention": {"rope_type": "dynamic"}}}, True),
    ],
)
def test_positions_may_depend_on_the_length_of_an_input(config, by_length):
    assert prefixes.scales_by_length(config) == by_length


def test_filler_of_a_pass_is_not_kept():
    kept = prefixes.Kept()
    states = torch.arange(2 * 3 * 4.0).reshape(2, 1, 3, 4)  # two rows, of which one is filler
    kept.add([(states, -states)], 1)
    kept.add([(10 * states, -10 * states)], 2)
    ((keys, values),) = kept.layers
    assert keys[:, 0].tolist() == [[0.0] * 4, *states[0, 0].tolist(), *(10 * states).flatten(0, 2).tolist()]
    assert torch.equal(values, -keys)
