"""Packed weights: the products of the plain ones, and the plain ones to whoever reads them."""

import pytest
import torch

from herbarium.models import packing

USES = {
    "product": lambda weight, states: weight @ states,
    "transposed": lambda weight, states: weight.t().clone(),
    "parts": lambda weight, states: torch.cat(weight.chunk(3)),
    "layer": lambda weight, states: torch.nn.functional.linear(states.t(), weight),
    "format": lambda weight, states: weight.to(torch.float64),
}


@pytest.fixture(params=["float32", "bfloat16"])
def dtype(request):
    dtype = getattr(torch, request.param)
    if not packing.can_pack(dtype):
        pytest.skip(f"this CPU has no packed weights in {request.param}")
    return dtype


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("inference", [True, False])
def test_a_packed_weight_is_read_as_it_was(dtype, use, inference):
    layer = torch.nn.Linear(4, 6).to(dtype).requires_grad_(False)
    weight, states = layer.weight.clone(), torch.randn(4, 5, dtype=dtype)
    packing.pack(torch.nn.Sequential(layer), 512)
    assert (layer.weight.shape, layer.weight.dtype, layer.weight.device) == (weight.shape, dtype, weight.device)
    with torch.inference_mode(inference):
        assert torch.equal(USES[use](layer.weight, states), USES[use](weight, states))


def test_an_embedding_keeps_the_weight_that_it_shares_with_a_layer(dtype):
    embedding, layer = torch.nn.Embedding(6, 4, dtype=dtype), torch.nn.Linear(4, 6, dtype=dtype)
    layer.weight = embedding.weight
    before = embedding.weight.clone()
    packing.pack(torch.nn.ModuleList([embedding, layer]), 512)
    assert torch.equal(embedding.weight, before)
    assert torch.equal(layer.weight.clone(), before)


def test_the_original_is_not_kept(dtype):
    layer = torch.nn.Linear(4, 6, dtype=dtype)
    packing.pack(torch.nn.Sequential(layer), 512)
    assert list(dict(layer.named_parameters())) == ["bias"]
