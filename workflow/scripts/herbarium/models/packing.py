"""Weights in the layout that products on a CPU read fastest, in place of the originals.

Products are computed by oneDNN with packed weights, instead of the library that PyTorch picks itself (MKL in float32,
which is two times slower on processors that are not from Intel). To keep both would take twice the memory, unless the
original is a file that the system has mapped.
"""

from functools import cached_property, partial

import torch
from torch.utils._pytree import tree_map_only


def can_pack(dtype: torch.dtype) -> bool:
    """Whether this CPU computes products of a number format with packed weights."""
    able = {torch.float32: torch.backends.mkldnn.is_available()}
    able[torch.bfloat16] = able[torch.float32] and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return able.get(dtype, False)


def pack(model: torch.nn.Module, tokens: int) -> None:
    """Pack the weights of all linear layers. tokens: of a pass, for which the layout is chosen."""
    for layer in model.modules():
        if type(layer) is torch.nn.Linear:
            packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), tokens)
            layer.forward = partial(_product, packed, layer.bias)
            del layer.weight  # and not the same tensor of an embedding
            layer.weight = Packed(packed)


def _product(packed: torch.Tensor, bias: torch.Tensor | None, states: torch.Tensor) -> torch.Tensor:
    return torch.ops.mkldnn._linear_pointwise(states, packed, bias, "none", [], "")


class Packed(torch.Tensor):
    """A packed weight as any other tensor, for models that do not only call the layer: unpacked when it is first
    read."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, packed: torch.Tensor):
        return torch.Tensor._make_wrapper_subclass(cls, packed.shape, dtype=packed.dtype)

    def __init__(self, packed: torch.Tensor):
        self._packed = packed

    @cached_property
    def plain(self) -> torch.Tensor:
        with torch.inference_mode(False):
            return self._packed.to_dense()

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        args, kwargs = tree_map_only(cls, lambda weight: weight.plain, (args, kwargs or {}))
        return function(*args, **kwargs)
