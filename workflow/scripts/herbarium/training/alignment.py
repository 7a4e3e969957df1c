"""Alignment: a model whose head sees its hidden states rotated into the space of another language's model (Ahn and Oh
2021, "Mitigating Language-Dependent Ethnic Bias in BERT", EMNLP, Section 4.2).

The rotation is an orthogonal matrix W, fitted to words and their translations in context. The paper writes hidden
states as columns, W x; here they are rows, x W. A head begins with a linear layer, which is replaced by its product
with W, so that the aligned model is an ordinary one. In the paper, W is fixed while the head after it is trained. Here
it is part of a layer that is trained. That layer can become the same in both cases, but on a different path, as Adam's
steps depend on the axes.
"""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import ortho_group

from herbarium.core import store
from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.models.loading import hidden_states
from herbarium.scoring.tokenization import Encoded, encode

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# The matrix W, one row each.
ROTATION = schema("rotation", ("weights", pa.list_(pa.float64())))
_BATCH = 256  # inputs of one forward pass
_AT_ONCE = 1000  # texts whose words are in memory at once
_HELD_OUT = 10  # one in this many texts is not used for the fit, but shows how close the two models have become
# The first layer of a head that sees the hidden states, by the model_type of the configuration.
_FIRST_LAYERS = {
    "albert": "predictions.dense",
    "bert": "cls.predictions.transform.dense",
    "camembert": "lm_head.dense",
    "distilbert": "vocab_transform",
    "roberta": "lm_head.dense",
    "xlm-roberta": "lm_head.dense",
}


class Side(NamedTuple):
    """One language of a parallel corpus, and its model.

    model: on its device. max_tokens: the longest input that it takes. words: the aligned words of each text, each as
    its first character and the one after its last. The words of both sides are in the same order.
    """

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerFast"
    max_tokens: int
    texts: Sequence[str]
    words: Sequence[list[tuple[int, int]]]


def anchors(source: Side, target: Side) -> tuple[np.ndarray, np.ndarray]:
    """Two models' vectors of words and their translations: (n_pairs, hidden) each, float32, one row per pair.

    A word in its text is the mean of the last hidden states of its tokens, before the head. Texts that are too
    long for one of the models are left out, as are pairs with a word that has no token. Which texts run together
    depends only on their lengths and order.
    """
    text = np.repeat(np.arange(len(source.words)), [len(words) for words in source.words])
    sides = []
    for side in (source, target):
        encoded = encode(side.tokenizer, list(side.texts))
        first, end = _tokens(encoded, side, text)
        sides.append((side, encoded, first, end, (first < end) & (encoded.lengths[text] <= side.max_tokens)))
    is_kept = np.logical_and(*(fits for *_, fits in sides))
    x, y = (
        _means(side, encoded, text[is_kept], first[is_kept], end[is_kept]) for side, encoded, first, end, _ in sides
    )
    return x, y


def fit(source: Side, target: Side, title: str) -> tuple[np.ndarray, dict]:
    """The rotation W fitted to the words in nine of ten texts, and its effect on those in the others.

    Returns (hidden, hidden), float64, and `n_pairs`, the words that it is fitted to, and the mean cosine of words and
    their translations in the others, `held_out_cosine_before` and `held_out_cosine`, null if these have no words.
    Raises HerbariumError as `procrustes`, and if the numbers of texts or words on the two sides differ.
    """
    n_words = [[len(words) for words in side.words] for side in (source, target)]
    if n_words[0] != n_words[1] or {len(side.texts) for side in (source, target)} != {len(n_words[0])}:
        raise HerbariumError(
            "The two sides of parallel texts differ in the number of texts, or of words in one of them."
        )
    require_same_size(source.model, target.model)
    products, n_pairs, held_out = 0.0, 0, []
    with progress(len(source.texts), "texts", title) as bar:
        for begin in range(0, len(source.texts), _AT_ONCE):
            part = np.arange(begin, min(begin + _AT_ONCE, len(source.texts)))
            is_held_out = part % _HELD_OUT == _HELD_OUT - 1
            x, y = anchors(*(_of_texts(side, part[~is_held_out]) for side in (source, target)))
            products += x.T.astype(np.float64) @ y
            n_pairs += len(x)
            held_out.append(anchors(*(_of_texts(side, part[is_held_out]) for side in (source, target))))
            bar.update(len(part))
    matrix = procrustes(products, n_pairs)
    x, y = (np.concatenate(arrays) for arrays in zip(*held_out, strict=True))
    return matrix, {
        "n_pairs": n_pairs,
        "held_out_cosine_before": _cosine(x, y),
        "held_out_cosine": _cosine(x @ matrix, y),
    }


def as_table(matrix: np.ndarray) -> pd.DataFrame:
    """A rotation, with the schema "rotation"."""
    return pd.DataFrame({"weights": list(matrix)})


def read(path: str) -> np.ndarray:
    """A rotation that was written as such a table."""
    return np.stack(store.read_frame(path, ROTATION.name)["weights"])


def _of_texts(side: Side, rows: np.ndarray) -> Side:
    return side._replace(texts=[side.texts[row] for row in rows], words=[side.words[row] for row in rows])


def _cosine(x: np.ndarray, y: np.ndarray) -> float | None:
    """The mean cosine of corresponding rows; None if there are none."""
    if not len(x):
        return None
    return float(((x * y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)).mean())


def require_same_size(source: "PreTrainedModel", target: "PreTrainedModel") -> None:
    """Raise HerbariumError for two models of different hidden sizes."""
    sizes = [model.config.hidden_size for model in (source, target)]
    if sizes[0] != sizes[1]:
        raise HerbariumError(
            f"One model has hidden states of {sizes[0]} numbers and the other of {sizes[1]}, so no rotation "
            "maps one to the other. Align it to a model of the same hidden size."
        )


def _tokens(encoded: Encoded, side: Side, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first token that covers any of a word's characters, and the one after the last, (n,) each; the latter is 0 if
    there is none. text: (n,) the text of each word.
    """
    # the characters of all texts, one after the other, with room at the edges of each
    shift = np.cumsum([0, *(len(text) + 2 for text in side.texts)])
    ordinary = np.flatnonzero(~encoded.is_special)
    spans = encoded.spans[ordinary] + shift[encoded.sentence[ordinary]][:, None]
    of_word = np.array([word for words in side.words for word in words], dtype=int).reshape(-1, 2)
    start, end = (of_word + shift[text][:, None]).T
    # tokens are in the order of the characters, so those of a word are consecutive
    first, behind = np.searchsorted(spans[:, 1], start, "right"), np.searchsorted(spans[:, 0], end, "left")
    none = first >= behind
    first[none], behind[none] = 0, 1
    return ordinary[first], np.where(none, 0, ordinary[behind - 1] + 1)


def _means(side: Side, encoded: Encoded, text: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n, hidden) the mean of the hidden states of tokens first to end - 1 of a text, (n,) each; texts ascending."""
    import torch

    means = np.empty((len(text), side.model.config.hidden_size), dtype=np.float32)
    text_numbers = np.unique(text)
    for length in np.unique(encoded.lengths[text_numbers]):
        alike = text_numbers[encoded.lengths[text_numbers] == length]
        for rows in np.split(alike, range(_BATCH, len(alike), _BATCH)):
            ids = encoded.token_ids[encoded.starts[rows][:, None] + np.arange(length)].astype(np.int64)
            with torch.inference_mode():
                states, _ = hidden_states(side.model, torch.from_numpy(ids).to(side.model.device))
            states = states.float().cpu().numpy()
            for row, text_states in zip(rows, states, strict=True):
                begin = encoded.starts[row]
                for k in range(np.searchsorted(text, row), np.searchsorted(text, row, "right")):
                    means[k] = text_states[first[k] - begin : end[k] - begin].mean(axis=0)
    return means


def procrustes(products: np.ndarray, n_pairs: int) -> np.ndarray:
    """The orthogonal W, (hidden, hidden), for which x W is closest to y in least squares (Schönemann 1966).

    products: xᵀ y, (hidden, hidden), for x and y, (n_pairs, hidden), one row per word and its translation; they are
    neither centred nor scaled, as in the paper. Raises HerbariumError if they are too few to determine W.
    """
    if n_pairs < len(products):
        raise HerbariumError(
            f"{n_pairs} pairs of a word and its translation do not determine a rotation of {len(products)} "
            "dimensions; give at least as many pairs, better many more. Texts that are too long for a model, and words "
            "without a token, are left out."
        )
    u, _, v = np.linalg.svd(products)
    return u @ v


def random_orthogonal(d: int, seed: int) -> np.ndarray:
    """A random orthogonal matrix (d, d), uniform (Haar): the paper's control, "random alignment"."""
    return ortho_group.rvs(d, random_state=stream(seed, "random_orthogonal"))


def first_layer(model: "PreTrainedModel") -> "torch.nn.Linear":
    """The first layer of a head that sees the hidden states. Raises HerbariumError if it is not known."""
    model_type = model.config.model_type
    if model_type not in _FIRST_LAYERS or model.get_output_embeddings() is None:
        raise HerbariumError(
            f"{type(model).__name__}: the first layer of this family's head is not known, so nothing can be put before "
            f"it; use a masked language model of {', '.join(_FIRST_LAYERS)}."
        )
    return model.get_submodule(_FIRST_LAYERS[model_type])


def folded(model: "PreTrainedModel", W: np.ndarray, offset: np.ndarray | None = None) -> "PreTrainedModel":
    """A copy of a model whose head sees h W + offset instead of the last hidden state h; nothing else is changed.

    The head's first layer, which maps h to h Aᵀ + b, then has A Wᵀ instead of A, and b + offset Aᵀ instead of b. W:
    (hidden, hidden). offset: (hidden,); None: 0.
    Raises HerbariumError if the head does not begin with such a layer, or W is of another size.
    """
    import torch

    turned = copy.deepcopy(model)
    layer = first_layer(turned)
    if W.shape != (layer.in_features,) * 2:
        raise HerbariumError(
            f"The hidden states have {layer.in_features} numbers, but the matrix is {'×'.join(map(str, W.shape))}; it "
            f"should be {layer.in_features}×{layer.in_features}."
        )
    with torch.no_grad():
        if offset is not None:
            added = torch.from_numpy(np.asarray(offset, dtype=np.float64)).to(layer.weight.device)
            layer.bias.copy_(layer.bias.double() + layer.weight.double() @ added)
        rotation = torch.from_numpy(np.asarray(W, dtype=np.float64)).to(layer.weight.device)
        layer.weight.copy_(layer.weight.double() @ rotation.T)
    return turned
