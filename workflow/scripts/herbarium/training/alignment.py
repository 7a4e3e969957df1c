"""Alignment: a model whose head sees its hidden states turned into the space of another language's model (Ahn and Oh
2021, "Mitigating Language-Dependent Ethnic Bias in BERT", EMNLP, Section 4.2).

The turn is an orthogonal matrix W, fitted to words and their translations in context. The paper writes hidden states
as columns, W x; here they are rows, x W. A head begins with a linear layer, in whose place its product with W is put:
the aligned model is an ordinary one. In the paper W stays as it is while the head is trained behind it. Here it is in a
layer that is trained. What that layer can become is the same in both, and the way there is not, since Adam's steps
depend on the axes.
"""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import ortho_group

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.models.loading import hidden_states
from herbarium.scoring.tokenization import Encoded, encode

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

_BATCH = 256  # inputs of one forward pass
# The layer of a head that the hidden states meet first, by the model_type of the configuration.
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

    model: on its device. max_tokens: the longest input that it takes. words: of each text, as the first character of a
    word and the one behind its last, in their order (`word_alignment.words`).
    """

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerFast"
    max_tokens: int
    texts: Sequence[str]
    words: Sequence[list[tuple[int, int]]]


def anchors(source: Side, target: Side, alignments: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """What two models make of words and their translations: (n_pairs, hidden) each, float32, row by row of one pair.

    A word in its text is the mean of the last hidden states of its tokens, before the head.
    alignments: of each text and its translation, (n, 2) places of a source word and a target word among its words. Left
    out are texts that one of the models cannot take whole, and pairs with a word that a tokenizer makes nothing of.
    All are in memory, 4 bytes a number; which texts run together depends on their lengths and order alone.
    Raises HerbariumError where texts, words and alignments are not of as many texts, or no pair is left.
    """
    of_parts = [len(part) for side in (source, target) for part in (side.texts, side.words)] + [len(alignments)]
    if len(set(of_parts)) > 1:
        raise HerbariumError(
            "Texts and words of the source, texts and words of the target, and alignments are "
            f"{', '.join(map(str, of_parts))}; each must be of the same texts."
        )
    text = np.repeat(np.arange(len(alignments)), [len(pairs) for pairs in alignments])
    places = np.concatenate([np.empty((0, 2), dtype=int), *alignments])
    sides = []
    for side, place in zip((source, target), places.T, strict=True):
        encoded = encode(side.tokenizer, list(side.texts))
        first, end = _tokens(encoded, side, text, place)
        sides.append((side, encoded, first, end, (first < end) & (encoded.lengths[text] <= side.max_tokens)))
    is_kept = np.logical_and(*(fits for *_, fits in sides))
    if not is_kept.any():
        raise HerbariumError(
            f"Of {len(text)} pairs of a word and its translation none is left to align two models by: the models take "
            "none of the texts whole, or their tokenizers make nothing of the words. Give more and shorter texts."
        )
    x, y = (
        _means(side, encoded, text[is_kept], first[is_kept], end[is_kept]) for side, encoded, first, end, _ in sides
    )
    return x, y


def _tokens(encoded: Encoded, side: Side, text: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first token, and the one behind the last, that cover any of a word's characters, (n,) each; the latter is 0
    where there is none.

    text, place: (n,) which text the word is of, and which of its words it is.
    """
    # characters of all texts, one behind the other, with room for what begins or ends at the edge of one
    shift = np.cumsum([0, *(len(text) + 2 for text in side.texts)])
    ordinary = np.flatnonzero(~encoded.is_special)
    spans = encoded.spans[ordinary] + shift[encoded.sentence[ordinary]][:, None]
    of_word = np.array([side.words[i][j] for i, j in zip(text, place, strict=True)], dtype=int).reshape(-1, 2)
    start, end = (of_word + shift[text][:, None]).T
    # tokens are in the order of the characters, so that those of a word follow one another
    first, behind = np.searchsorted(spans[:, 1], start, "right"), np.searchsorted(spans[:, 0], end, "left")
    none = first >= behind
    first[none], behind[none] = 0, 1
    return ordinary[first], np.where(none, 0, ordinary[behind - 1] + 1)


def _means(side: Side, encoded: Encoded, text: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n, hidden) the mean of the hidden states of tokens first to end - 1 of a text, (n,) each; texts ascending."""
    import torch

    found = None
    asked = np.unique(text)
    for length in np.unique(encoded.lengths[asked]):
        alike = asked[encoded.lengths[asked] == length]
        for rows in np.split(alike, range(_BATCH, len(alike), _BATCH)):
            ids = encoded.token_ids[encoded.starts[rows][:, None] + np.arange(length)].astype(np.int64)
            with torch.inference_mode():
                states, _ = hidden_states(side.model, torch.from_numpy(ids).to(side.model.device))
            states = states.float().cpu().numpy()
            if found is None:
                found = np.empty((len(text), states.shape[2]), dtype=np.float32)
            for row, own in zip(rows, states, strict=True):
                begin = encoded.starts[row]
                for k in range(np.searchsorted(text, row), np.searchsorted(text, row, "right")):
                    found[k] = own[first[k] - begin : end[k] - begin].mean(axis=0)
    return found


def procrustes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The orthogonal W, (hidden, hidden), for which x W is nearest to y, by the sum of squares (Schönemann 1966).

    x, y: (n, hidden), row by row of a word and its translation; they are neither centred nor scaled, as in the paper.
    Raises HerbariumError where the two are not of one shape, or are too few to say what W is.
    """
    if x.shape[1] != y.shape[1]:
        raise HerbariumError(
            f"One model has hidden states of {x.shape[1]} numbers and the other of {y.shape[1]}: no rotation leads "
            "from one to the other. Align it to a model of the same hidden size."
        )
    if len(x) != len(y):
        raise HerbariumError(f"{len(x)} words have {len(y)} translations; each must have one.")
    if len(x) < x.shape[1]:
        raise HerbariumError(
            f"{len(x)} pairs of a word and its translation do not say how {x.shape[1]} dimensions are to be turned; "
            "give at least as many, better many more."
        )
    u, _, v = np.linalg.svd(x.T.astype(np.float64) @ y.astype(np.float64))
    return u @ v


def random_orthogonal(d: int, seed: int) -> np.ndarray:
    """An orthogonal matrix (d, d), all being equally likely (Haar): the paper's control, "random alignment"."""
    return ortho_group.rvs(d, random_state=stream(seed, "random_orthogonal"))


def first_layer(model: "PreTrainedModel") -> "torch.nn.Linear":
    """The layer of a head that the hidden states meet first. Raises HerbariumError where that is not known."""
    of = model.config.model_type
    if of not in _FIRST_LAYERS or model.get_output_embeddings() is None:
        raise HerbariumError(
            f"{type(model).__name__}: where the head of this family meets the hidden states is not known, so that "
            f"nothing can be put between the two; masked language models are wanted, of {', '.join(_FIRST_LAYERS)}."
        )
    return model.get_submodule(_FIRST_LAYERS[of])


def folded(model: "PreTrainedModel", W: np.ndarray) -> "PreTrainedModel":
    """A copy of a model whose head sees h W where it saw the last hidden state h; nothing else of it is changed.

    The head's first layer, which makes h Aᵀ + b of h, then has A Wᵀ for A. W: (hidden, hidden).
    Raises HerbariumError where the head does not begin with such a layer, or W is of another size.
    """
    import torch

    turned = copy.deepcopy(model)
    layer = first_layer(turned)
    if W.shape != (layer.in_features,) * 2:
        raise HerbariumError(
            f"The hidden states have {layer.in_features} numbers, but the matrix is {'×'.join(map(str, W.shape))}; one "
            f"of {layer.in_features}×{layer.in_features} would be right."
        )
    with torch.no_grad():
        by = torch.from_numpy(np.asarray(W, dtype=np.float64)).to(layer.weight.device)
        layer.weight.copy_(layer.weight.double() @ by.T)
    return turned
