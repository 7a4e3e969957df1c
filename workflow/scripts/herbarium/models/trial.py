"""What a model does with a few tokens, tried before anything is scored: a configuration may say something else.

Scores rest on this: an input has the same logits beside any others; a causal model sees no later token, and a masked
one does; every token of the tokenizer has an embedding and a logit; and there are positions for every token of an
input.
"""

from typing import TYPE_CHECKING

from herbarium.core.errors import HerbariumError
from herbarium.models import loading
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

# Largest change of a logit that rounding explains, as a share of the largest.
_ROUNDING = 1e-4
# The longer of two inputs that show how positions are numbered. Distances between tokens, which some models look up
# instead, are not all distinguished any more when they are so long.
_LONG = 64


def check(model: "PreTrainedModel", kind: Kind, name: str) -> None:
    """Raise HerbariumError for a model that runs, but whose scores would not be what its kind promises.

    model: in float32.
    """
    import torch

    says = f"models.{name}: {type(model).__name__}"
    with torch.inference_mode():
        with loading.told_by(f"{says} cannot be run on tokens alone"):
            token_ids = loading.some_tokens(model, loading.FEW)
            expected = _logits(model, token_ids)[0]
            among = _logits(model, torch.cat([token_ids.flip(1), token_ids, token_ids.roll(1)]))[1]
        if not expected.isfinite().all():
            raise HerbariumError(f"{says} predicts no numbers (its logits are not finite): its weights are damaged.")
        if _differ(among, expected):
            raise HerbariumError(
                f"{says} gives an input other values when it is asked again, or beside other inputs: a score would not "
                "be of its sentence alone."
            )
        _check_sight(model, token_ids, expected, Kind(kind), says)


def _check_sight(
    model: "PreTrainedModel", token_ids: "torch.Tensor", expected: "torch.Tensor", kind: Kind, says: str
) -> None:
    """Raise HerbariumError if tokens see what they should predict, or only what is before them in a masked model.

    expected: logits for the token ids, (length, vocabulary).
    """
    if kind in (Kind.extractive, Kind.encoder):
        return
    middle, changed = loading.FEW // 2, token_ids.clone()
    changed[0, middle] = token_ids[0, 0]  # neither the first nor the last: these may be marks of a language
    if kind is Kind.seq2seq:
        outputs, n_before = model(input_ids=token_ids, labels=changed).logits[0], middle + 1
    else:
        outputs, n_before = _logits(model, changed)[0], middle
    sees_later = _differ(outputs[:n_before], expected[:n_before])
    if kind is not Kind.masked and sees_later:
        raise HerbariumError(
            f"{says} is not a {kind} language model as it is used here: a token is predicted from itself or from those "
            "after it, so that there is no log-likelihood of a sentence."
        )
    if kind is Kind.masked and not sees_later and _differ(outputs[middle + 1 :], expected[middle + 1 :]):
        raise HerbariumError(
            f"{says} is not a masked language model: no token is predicted from those after it. Use `kind: causal`."
        )


def require_attention(model: "PreTrainedModel", name: str) -> None:
    """Raise HerbariumError for a model from which there is no `aula`."""
    import torch

    with torch.inference_mode():
        try:
            for n in (loading.FEW, loading.FEW + 1):  # one of these may be how many tokens each attends to
                loading.before_head(model, loading.some_tokens(model, n), with_attention=True)
        except HerbariumError as error:
            raise HerbariumError(f"models.{name}: {error}") from error


def _logits(model: "PreTrainedModel", token_ids: "torch.Tensor") -> "torch.Tensor":
    """(n, length, vocabulary), or of an extractive model (n, length, 2), for token ids (n, length); the states of an
    encoder, (n, length, hidden)."""
    if loading.is_encoder(model):
        return model(input_ids=token_ids).last_hidden_state
    if loading.is_extractive(model):
        return loading.span_logits(model, token_ids, token_ids.new_full((len(token_ids),), token_ids.shape[1] // 2))
    return loading.whole(model, token_ids)[0]


def _differ(one: "torch.Tensor", other: "torch.Tensor") -> bool:
    return float((one - other).abs().max()) > _ROUNDING * float(other.abs().max())


def positions(model: "PreTrainedModel") -> int | None:
    """The number of tokens, including special ones, that the model has positions for; None if nothing limits it.

    What the configuration says, unless the model has fewer: its tables of embeddings are watched while an input becomes
    longer.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    limit = loading.positions(model)
    many = _LONG if limit is None else min(_LONG, limit // 2)
    few = many // 2
    pattern = loading.some_tokens(model, min(loading.FEW, few))[0]
    rows: dict[int, int] = {}
    largest: list[dict[int, int]] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, arguments=(), options=None):
            if operation is torch.ops.aten.embedding.default:
                table, index = arguments[:2]
                key, seen = table.data_ptr(), largest[-1]
                rows[key], seen[key] = len(table), max(int(index.max()), seen.get(key, 0))
            return operation(*arguments, **(options or {}))

    for n in (few, many):
        largest.append({})
        with torch.no_grad(), Watch(), loading.told_by(f"{type(model).__name__} cannot be run on {n} tokens"):
            _logits(model, pattern[torch.arange(n) % len(pattern)][None])
    # a table is one of positions if it is asked for as many more rows as there are more tokens
    of_positions = [
        rows[table] - largest[1][table] + many - 1
        for table in largest[0].keys() & largest[1].keys()
        if largest[1][table] - largest[0][table] == many - few > 0
    ]
    return min([*of_positions, *([] if limit is None else [limit])], default=None)


def n_words(model: "PreTrainedModel") -> int:
    """The number of tokens that the model can be given, and can predict."""
    embeddings = model.get_input_embeddings().weight.shape[0]
    has_no_words = loading.is_extractive(model) or loading.is_encoder(model)
    return embeddings if has_no_words else min(embeddings, loading.forward(model).vocabulary)


def require_words(tokenizer: "Tokenizer | PreTrainedTokenizerFast", n: int, name: str) -> None:
    """Raise HerbariumError when a tokenizer has tokens that its model does not know.

    n: the number of tokens that it knows. Padding, which many add without resizing the model, is no part of a text.
    """
    vocabulary = tokenizer.backend_tokenizer.get_vocab(with_added_tokens=True)
    beyond = sorted((i, token) for token, i in vocabulary.items() if i >= n and i != tokenizer.pad_token_id)
    if beyond:
        raise HerbariumError(
            f"models.{name}: the tokenizer has {len(vocabulary):,} tokens, but the model has embeddings for {n:,}: "
            f"{', '.join(repr(token) for _, token in beyond[:3])}{'…' * (len(beyond) > 3)} would be out of its range. "
            "Use the tokenizer that the model was trained with, or resize its embeddings and train them."
        )
