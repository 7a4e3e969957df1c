"""The number format in which a model scores stimuli, measured on the device that runs it.

A lower precision than float32 is used only if it changes the scores of the study's own sentences by no more than the
configuration accepts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.scoring import answering
from herbarium.scoring.quantities import AUL, SPAN_RELEASED, gather

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from herbarium.scoring.planning import Block

AUTO, EXACT = "auto", "float32"


def faster_dtypes(device: str) -> tuple[str, ...]:
    """Number formats whose products are faster on a device than those of float32, in the order in which they are tried.

    bfloat16 comes first: it has the range of float32, so that no sentence can overflow.
    """
    import torch

    if device == "cuda":
        return ("bfloat16", "float16")
    able = torch.cpu.get_capabilities()
    return ("bfloat16",) if able.get("amx_bf16") or able.get("avx512_bf16") else ()


def choose_dtype(
    values: Callable[[str], np.ndarray], wanted: str, device: str, accepted: dict, name: str
) -> tuple[str, dict[str, dict[str, float]]]:
    """The number format to score in, and how much each one that was tried changes: its "max" and "mean" |Δ|.

    values: number format -> the model's values for a sample of the study (such as `means`); raises HerbariumError if
    they are not finite. wanted: a number format, or "auto" for the first faster one that is accepted, else float32.
    accepted: largest "max" and "mean" of |Δ|, their change against float32. name: the model, for messages. If every
    sentence of the sample is refused, there is nothing to compare: float32.
    Raises HerbariumError when the wanted format changes more than is accepted.
    """
    tried = faster_dtypes(device) if wanted == AUTO else () if wanted == EXACT else (wanted,)
    changes = {}
    exact = values(EXACT) if tried else None
    if tried and not len(exact):
        log.warning("%s: every sentence of the sample is refused, so it stays in float32.", name)
        return EXACT, {}
    for dtype in tried:
        try:
            change = np.abs(values(dtype) - exact)
        except HerbariumError:  # not finite
            change = np.array([np.finfo(float).max])
        changes[dtype] = {"max": float(change.max()), "mean": float(change.mean())}
        text = f"max |Δ| {changes[dtype]['max']:.2g}, mean |Δ| {changes[dtype]['mean']:.2g} against float32"
        log.info("%s in %s, %d sentences: %s.", name, dtype, len(exact), text)
        if is_accepted(changes[dtype], accepted):
            return dtype, changes
        if wanted != AUTO:
            raise HerbariumError(
                f"models.{name}: '{dtype}' changes the scores of this study by more than `precision` accepts (max "
                f"{accepted['max']:g}, mean {accepted['mean']:g}): {text}. Use `dtype: float32` or `dtype: auto`, "
                "or accept larger changes."
            )
    return EXACT, changes


def is_accepted(change: dict[str, float], accepted: dict) -> bool:
    """Whether "max" and "mean" of |Δ| are no larger than a study accepts."""
    return all(change[figure] <= accepted[figure] for figure in ("max", "mean"))


def means(
    load: Callable[[str], "PreTrainedModel"], device: str, sample: "Block", name: str
) -> Callable[[str], np.ndarray]:
    """A function of the number format: the mean log-probability per token of each planned sentence that is scored.

    load: gives the model in a number format, on the device. sample: planned sentences of the study. For a span as
    released, it is the mean of the two log-probabilities that are used.
    """

    def values(dtype: str) -> np.ndarray:
        if not len(sample.requests):
            return np.empty(0)
        return sentence_means(answering.answer_all(load(dtype), device, sample, f"{name} in {dtype}"), sample)

    return values


def sentence_means(answers: np.ndarray, sample: "Block") -> np.ndarray:
    """The mean log-probability per token of each planned sentence that is scored, as in `means`. answers: by
    request."""
    quantity = sample.sentences["quantity"]
    as_mean = pc.if_else(pc.equal(quantity, SPAN_RELEASED), SPAN_RELEASED, AUL)
    as_means = sample.sentences.set_column(sample.sentences.column_names.index("quantity"), "quantity", as_mean)
    values = gather(answers, as_means)["value"].to_numpy()
    return values[np.isfinite(values)]
