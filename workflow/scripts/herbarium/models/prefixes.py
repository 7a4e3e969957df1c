"""What a causal model keeps of the beginning of an input, its prefix, so that it is computed once for all that follow.

A prefix is run as any input; the keys and values of its tokens are kept, and what stands behind it, the rest, attends
to them. Each prefix is filled up with places that no token attends to, on its left, so that prefixes of different
lengths can run together: distances between tokens stay what they were.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from herbarium.models import loading, trial

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

# Largest difference of a number that rounding explains, as a share of the largest.
_ROUNDING = 1e-4

# Ways to scale rotary positions that follow from the length of the input: a prefix alone would be numbered otherwise.
_BY_LENGTH = ("dynamic", "longrope")

# by model: it never changes
_ABLE: "WeakKeyDictionary[PreTrainedModel, bool]" = WeakKeyDictionary()
_POSITIONS: "WeakKeyDictionary[PreTrainedModel, int | None]" = WeakKeyDictionary()


class Kept:
    """The keys and values of prefixes, token by token, by layer. Token 0 is none: what fills prefixes up."""

    def __init__(self):
        self._passes: list[list[tuple[torch.Tensor, torch.Tensor]]] = []

    def add(self, layers: Sequence[tuple["torch.Tensor", "torch.Tensor"]], n: int) -> None:
        """Keep the first n prefixes of a pass. layers: keys and values, (n_rows, n_heads, length, size) each."""
        self._passes.append([tuple(states[:n].transpose(1, 2).flatten(0, 1) for states in pair) for pair in layers])

    @cached_property
    def layers(self) -> list[tuple["torch.Tensor", "torch.Tensor"]]:
        """Keys and values by layer, (n_tokens, n_heads, size) each, of all prefixes: after the last was added."""
        import torch

        def joined(of_passes: Sequence["torch.Tensor"]) -> "torch.Tensor":
            return torch.cat([torch.zeros_like(of_passes[0][:1]), *of_passes])

        return [tuple(map(joined, zip(*pairs, strict=True))) for pairs in zip(*self._passes, strict=True)]


def begin(model: "PreTrainedModel", token_ids: "torch.Tensor", kept: Kept, n: int) -> "torch.Tensor":
    """What `loading.logits` is to be given, (n_rows, length, size), of prefixes, (n_rows, length); the first n of them
    are kept."""
    from transformers import DynamicCache

    cache = DynamicCache()  # without a configuration, it keeps all of a sliding window
    states = _run(model, input_ids=token_ids, past_key_values=cache)
    kept.add([(layer.keys, layer.values) for layer in cache.layers], n)
    return states


def go_on(
    model: "PreTrainedModel", kept: Kept, at: "torch.Tensor", token_ids: "torch.Tensor", n_tokens: "torch.Tensor"
) -> "torch.Tensor":
    """As `begin`, (n, length, size), of what stands behind prefixes, (n, length).

    at: (n, n_before) the tokens of each prefix among those that are kept, at its end; before them, one 0 at least.
    n_tokens: (n,) how many of `length` are no filler, which has no position of its own.
    """
    import torch

    is_token = torch.arange(token_ids.shape[1], device=at.device) < n_tokens[:, None]
    mask = torch.cat([at > 0, is_token], dim=1).long()
    position_ids = mask.cumsum(dim=1)[:, at.shape[1] :] - 1
    cache = _behind(kept.layers, at)
    return _run(model, input_ids=token_ids, attention_mask=mask, past_key_values=cache, position_ids=position_ids)


def _run(model: "PreTrainedModel", **given) -> "torch.Tensor":
    """What `loading.before_head` gives. given: to the model's own forward pass, position_ids only if it takes any."""
    part = loading.trunk(model) if loading.forward(model).in_two else model
    if "position_ids" not in signature(part.forward).parameters:
        given.pop("position_ids", None)
    output = part(**given, use_cache=True)
    return output.logits if part is model else output.last_hidden_state


def _behind(layers: Sequence[tuple["torch.Tensor", "torch.Tensor"]], at: "torch.Tensor"):
    """A cache that holds the prefixes of `go_on`. A layer's keys and values are put together when it asks for them,
    and forgotten at once, so that there is never more than one layer of them."""
    import torch
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    class Layer(DynamicLayer):
        def __init__(self, pair):
            super().__init__()
            self._pair = pair
            self.is_initialized = True

        def get_seq_length(self):
            return at.shape[1]

        def update(self, key_states, value_states, *_, **__):
            pairs = zip(self._pair, (key_states, value_states), strict=True)
            return tuple(torch.cat([kept[at].transpose(1, 2), new], dim=2) for kept, new in pairs)

    cache = DynamicCache()
    cache.layers = [Layer(pair) for pair in layers]
    return cache


def scales_by_length(config: Mapping) -> bool:
    """Whether a configuration, as plain data, says that positions depend on the length of an input."""
    stated = [config.get(key) or {} for key in ("rope_parameters", "rope_scaling")]
    stated += [part for parts in stated for part in parts.values() if isinstance(part, dict)]  # by the type of a layer
    return any(part.get(key) in _BY_LENGTH for part in stated for key in ("rope_type", "type"))


def able(model: "PreTrainedModel") -> bool:
    """Whether a prefix can be computed apart: what the model gives for a few tokens is the same in two parts.

    A model whose layers keep something else than keys and values (Mamba), or that numbers positions in its own way, is
    run on whole inputs.
    """
    import torch

    if model not in _ABLE:
        may_be = loading.is_causal(model) and not scales_by_length(model.config.to_dict())
        with torch.inference_mode():
            try:
                _ABLE[model] = may_be and _same_in_two(model)
            except torch.OutOfMemoryError:
                raise
            except Exception:  # of any kind: whatever a model wants that it is not given here
                _ABLE[model] = False
    return _ABLE[model]


def positions(model: "PreTrainedModel") -> int | None:
    """As `trial.positions`, tried once."""
    if model not in _POSITIONS:
        _POSITIONS[model] = trial.positions(model)
    return _POSITIONS[model]


def _same_in_two(model: "PreTrainedModel") -> bool:
    import torch

    whole, n = loading.some_tokens(model, loading.FEW), loading.FEW // 2
    expected = loading.before_head(model, whole)[0][0]
    if not torch.equal(begin(model, whole, Kept(), 1)[0], expected):
        return False  # an input would have other bits where another begins with it
    kept, at = Kept(), whole.new_zeros((2, n + 1))
    for length in (n, n - 1):  # one is filled up more than the other
        begin(model, whole[:, :length], kept, 1)
    at[0, 1:], at[1, 2:] = torch.arange(n) + 1, torch.arange(n - 1) + n + 1
    rest = torch.cat([whole[:, n : n + 4], whole[:, n - 1 : n + 3]])
    behind = go_on(model, kept, at, rest, torch.full_like(rest[:, 0], 4))
    difference = behind - torch.stack([expected[n : n + 4], expected[n - 1 : n + 3]])
    rounding = _ROUNDING if model.dtype is torch.float32 else 8 * torch.finfo(model.dtype).eps
    return bool(difference.abs().max() <= rounding * expected.abs().max())
