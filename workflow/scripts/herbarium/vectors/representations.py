"""A model's representation of a word or text, layer by layer: the mean of the vectors of its tokens.

HERB represents the bare names of regions in this way (Li et al. 2022, Section 4.3: "contextualised representations of
the single [region] word").
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import console
from herbarium.core.store import schema
from herbarium.models import loading
from herbarium.scoring import checks
from herbarium.scoring.tokenization import encode
from herbarium.vectors.tables import ONLY, made_of

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# One row per region. `representation` is null if the name was refused; `note` says why, or gives another caveat.
EMBEDDINGS = schema(
    "embeddings",
    ("region", pa.string()),
    ("n_tokens", pa.int32()),
    ("representation", pa.list_(pa.float32())),
    ("note", pa.string()),
    nullable=("representation", "note"),
)
# Inputs of one forward pass.
_BATCH = 256


class Asked(NamedTuple):
    """What is run for the vectors of words: the arguments of `represent` with these names. layers: their names."""

    states: "Callable[[torch.Tensor], torch.Tensor]"
    texts: list[str]
    bounds: np.ndarray
    layers: list[str]


def asked(model: "PreTrainedModel", layers: str | list[int], words: pd.DataFrame, source: str) -> Asked:
    """layers: of a source, as in the configuration. words: with the schema "words" (`vectors.tables`)."""
    texts, bounds = words["text"].tolist(), words[["start", "end"]].to_numpy()
    if layers == ONLY:
        # a word on its own as in running text, after a space: for many tokenizers, these are other tokens
        return Asked(partial(loading.input_embeddings, model), [f" {text}" for text in texts], bounds + 1, [ONLY])
    wanted = loading.layers(model, None if layers == "all" else layers, source)
    return Asked(partial(loading.layer_states, model, wanted=wanted), texts, bounds, list(map(str, wanted)))


def represent(
    states: "Callable[[torch.Tensor], torch.Tensor]",
    tokenizer: "PreTrainedTokenizerFast",
    device: str,
    texts: Sequence[str],
    bounds: Sequence[tuple[int, int]],
    max_tokens: int,
    lowercase: bool,
    title: str = "vectors",
) -> pa.Table:
    """One row per text, in order, with the schema "vectors" (`vectors.tables`).

    states: token ids, (n, length) on `device` -> the vectors of all tokens, (n, n_layers, length, dimensions).
    bounds: the beginning and end of the word in each text whose vector is wanted, which is the mean over the tokens
    that cover any of it. max_tokens: the longest input that the model takes. lowercase: lower-case each text first. The
    model sees special tokens, but they do not count in a mean. A text is refused as in scoring (`checks.faults`).

    Each input is run once, however many of its words are asked for. Texts of one length run together, so there is no
    padding; which run together depends only on the texts, not on their order.
    """
    import torch

    if lowercase:
        marked = zip(texts, bounds, strict=True)
        bounds = [(len(text[:start].lower()), len(text[:end].lower())) for text, (start, end) in marked]
        texts = [text.lower() for text in texts]
    encoded = encode(tokenizer, list(texts))
    start, end = np.array(bounds, dtype=int).reshape(-1, 2).T
    words, marks = {"word": (start, end)}, checks.marks_of(tokenizer)
    tokenize = partial(encode, tokenizer)
    refused, notes = checks.faults(encoded, list(texts), words, list(words), marks, max_tokens, tokenize)
    is_of_word = encoded.tokens_of(start, end)
    rows_of: dict[tuple[int, ...], list[int]] = {}  # token ids -> the texts with these tokens
    for row in np.flatnonzero(~refused):
        ids = encoded.token_ids[encoded.starts[row] : encoded.starts[row + 1]]
        rows_of.setdefault(tuple(ids.tolist()), []).append(row)
    rows: list[np.ndarray | None] = [None] * len(texts)
    inputs = sorted(rows_of, key=lambda ids: (len(ids), ids))
    with console.progress(len(inputs), "input", title) as bar, torch.inference_mode():
        for batch in _batches(inputs):
            of_tokens = states(torch.tensor(batch, device=device)).float().cpu().numpy()
            for ids, hidden in zip(batch, of_tokens, strict=True):
                for row in rows_of[ids]:
                    tokens = is_of_word[encoded.starts[row] : encoded.starts[row + 1]]
                    rows[row] = hidden[:, tokens].mean(axis=1)
            bar.update(len(batch))
    n_tokens = np.bincount(encoded.sentence[is_of_word], minlength=len(texts))
    return made_of(rows, np.where(refused, 0, n_tokens), notes)


def _batches(inputs: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Inputs of one length, at most `_BATCH` at a time. inputs: sorted by length."""
    for length in sorted(set(map(len, inputs))):
        alike = [ids for ids in inputs if len(ids) == length]
        yield from (alike[start : start + _BATCH] for start in range(0, len(alike), _BATCH))
