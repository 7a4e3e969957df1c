"""Classifiers: where they come from, and their predictions for texts or tokens.

A text is cut at the end to the classifier's longest input; inputs of one length run together, so none is padded and no
text can see another.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import library_versions
from herbarium.models import devices, folders, loading
from herbarium.scoring import answering, tokenization, tuning
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

CLASSES = ("negative", "positive")  # of a classifier that is trained here, by number


def begin(
    folder: Path,
    tokenizer: "PreTrainedTokenizerFast",
    name: str,
    seed: int,
    classes: Sequence[str] = CLASSES,
    by_token: bool = False,
    unused: Collection[str] = (),
) -> "PreTrainedModel":
    """A language model with a new head for some classes, in float32, on the CPU. seed: of the head's weights.

    by_token: it classifies tokens, not texts. unused: as in `loading.require_used`. Raises HerbariumError for an
    architecture for which transformers has no such head.
    """
    import torch

    torch.manual_seed(seed)
    # named, as a configuration that leaves the number of classes at 2 is read back with BART's own 3
    model, missing = _read(folder, f"models.{name}", "float32", by_token, unused, id2label=dict(enumerate(classes)))
    trunk = {f"{model.base_model_prefix}.{key}" for key, _ in model.base_model.named_parameters()}
    missing = sorted(trunk & missing)
    if any("pooler" not in key for key in missing):  # language models are trained, and kept, without BERT's pooler
        raise HerbariumError(
            f"models.{name}: {folder} lacks weights ({', '.join(missing[:3])}…); they would be random."
        )
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id >= model.config.get_text_config().vocab_size:
        tokenizer.pad_token = tokenizer.eos_token
    model.config.pad_token_id = tokenizer.pad_token_id
    return model


def load(folder: Path, name: str, dtype: str) -> "PreTrainedModel":
    """A fine-tuned classifier, in evaluation mode, on the CPU.

    Raises HerbariumError when it does not have two classes, or lacks weights that would then be random.
    """
    model, missing = _read(folder, name, dtype)
    if model.config.num_labels != 2:
        raise HerbariumError(f"{name}: {folder} has {model.config.num_labels} classes; it should have two.")
    if missing:
        raise HerbariumError(f"{name}: {folder} is not fine-tuned: it lacks {', '.join(sorted(missing)[:3])}…")
    return model.eval()


def _read(
    folder: Path, says: str, dtype: str, by_token: bool = False, unused: Collection[str] = (), **options
) -> tuple["PreTrainedModel", set[str]]:
    from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification
    from transformers.models.auto import modeling_auto
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()  # the head is meant to be new
    says = f"{says}: {folder} cannot be read as a classifier"
    config = loading.configuration(folder, says, **options)
    of_texts = AutoModelForSequenceClassification, modeling_auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING
    of_tokens = AutoModelForTokenClassification, modeling_auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING
    auto, mapping = of_tokens if by_token else of_texts
    if type(config) not in mapping:
        what = "tokens" if by_token else "texts"
        raise HerbariumError(
            f"{says}: transformers has no classifier of {what} for models of type '{config.model_type}'; use "
            "another model."
        )
    model, missing, left = loading.weights(auto, folder, config, dtype, says)
    loading.require_used(loading.without_heads(left), unused, folder, says)
    return model, missing


def bfloat16_changes(model: "PreTrainedModel", device: str, sample: Encoded) -> dict[str, float]:
    """The "max" and "mean" change, over texts, of log-odds when the products of a forward pass are in bfloat16; with
    more than two classes, for the two whose log-odds change most."""
    import torch

    exact = logits(model, device, sample, "float32")
    with torch.autocast(device, torch.bfloat16):
        change = np.ptp(logits(model, device, sample, "bfloat16") - exact, axis=1)
    return {"max": float(change.max()), "mean": float(change.mean())}


def class_number(model: "PreTrainedModel", label: str, name: str) -> int:
    """The number of the class with this label in a published classifier.

    Raises HerbariumError if there is none.
    """
    names = {str(label): int(number) for number, label in model.config.id2label.items()}
    if label not in names:
        raise HerbariumError(f"{name}: it has no class '{label}'; its classes are {', '.join(names)}.")
    return names[label]


def describe(name: str, folder: Path, positive: int, wanted: str, device: str, sample: Encoded, accepted: dict) -> dict:
    """What identifies a classifier, and the number format in which it predicts: as `tuning.choose_dtype` finds on a
    sample.

    wanted: a number format, or "auto". accepted: largest "max" and "mean" change of log-odds against float32.
    """

    def values(dtype: str) -> np.ndarray:
        model = answering.place(load(folder, name, dtype), device)
        return log_odds(model, device, sample, positive, f"{name} in {dtype}")

    dtype, changes = tuning.choose_dtype(values, wanted, device, accepted, name)
    model = load(folder, name, "float32")
    return {
        "name": name,
        "positive": positive,
        "dtype": dtype,
        "changes": changes,
        "device": devices.name(device),
        "architecture": type(model).__name__,
        "n_parameters": sum(parameter.numel() for parameter in model.parameters()),
        "files": folders.checksums(folder),
        "libraries": library_versions("torch", "transformers", "tokenizers"),
    }


def encode(tokenizer: "PreTrainedTokenizerFast", texts: Sequence[str], max_tokens: int, lowercase: bool) -> Encoded:
    """Texts as a classifier sees them."""
    return encode_and_cut(tokenizer, texts, max_tokens, lowercase)[0]


def encode_and_cut(
    tokenizer: "PreTrainedTokenizerFast", texts: Sequence[str], max_tokens: int, lowercase: bool
) -> tuple[Encoded, np.ndarray]:
    """Texts as a classifier sees them, and which of them, (n_texts,), were cut at the end."""
    shown = [text.lower() for text in texts] if lowercase else list(texts)
    return cut(tokenization.encode(tokenizer, shown), max_tokens)


def cut(encoded: Encoded, max_tokens: int) -> tuple[Encoded, np.ndarray]:
    """Texts of at most `max_tokens` tokens, and which of them, (n_texts,), lost some.

    The end of the text is lost; the special tokens after it stay.
    """
    lengths = encoded.lengths
    is_text = np.flatnonzero(~encoded.is_special)
    after_last = np.searchsorted(is_text, encoded.starts[1:]) - 1
    last = np.where(after_last >= 0, is_text[np.maximum(after_last, 0)] if len(is_text) else 0, encoded.starts[1:] - 1)
    n_behind = encoded.starts[1:] - 1 - last
    place = np.arange(len(encoded.token_ids)) - encoded.starts[:-1][encoded.sentence]
    of_text = encoded.sentence
    is_within = place < max_tokens - n_behind[of_text]
    is_within |= place >= (lengths - n_behind)[of_text]
    return encoded.repeated(is_within.astype(int)), lengths > max_tokens


def logits(model: "PreTrainedModel", device: str, encoded: Encoded, title: str) -> np.ndarray:
    """The logits for each text, (n_texts, n_classes) float64, natural.

    model: on `device` (`answering.place`). Raises HerbariumError when one is not finite.
    """

    def of_texts(token_ids: "torch.Tensor") -> "torch.Tensor":
        return model(input_ids=token_ids).logits.double()

    outputs = _run(of_texts, model, device, encoded, title)
    if not np.isfinite(outputs).all():
        raise HerbariumError(f"{title}: {(~np.isfinite(outputs)).any(axis=1).sum()} predictions are not finite.")
    return outputs


def log_odds(model: "PreTrainedModel", device: str, encoded: Encoded, positive: int, title: str) -> np.ndarray:
    """log P(positive class) − log P(other class) for each text, (n_texts,) float64, natural.

    model: with two classes, on `device` (`answering.place`). positive: the number of its positive class.
    Raises HerbariumError when one is not finite.
    """
    outputs = logits(model, device, encoded, title)
    return outputs[:, positive] - outputs[:, 1 - positive]


def mean_states(model: "PreTrainedModel", device: str, encoded: Encoded, title: str) -> np.ndarray:
    """The mean of the last hidden states over all tokens of each text, including special ones: (n_texts, hidden).

    model: a language model; the states are what its head sees. Raises HerbariumError when one is not finite.
    """

    def mean(token_ids: "torch.Tensor") -> "torch.Tensor":
        return loading.hidden_states(model, token_ids)[0].double().mean(dim=1)

    states = _run(mean, model, device, encoded, title)
    if not np.isfinite(states).all():
        raise HerbariumError(
            f"{title}: the hidden states of {(~np.isfinite(states)).any(axis=1).sum()} texts are not finite."
        )
    return states


def features(model: "PreTrainedModel", device: str, encoded: Encoded, title: str) -> np.ndarray:
    """The mean of the second-to-last layer's states over the tokens of each text, without special ones: (n_texts,
    hidden).

    This is what LOGAN clusters by (Zhao and Chang 2020); in an encoder-decoder, the encoder's.
    """
    import torch

    special = torch.tensor(np.unique(encoded.token_ids[encoded.is_special]).astype(np.int64), device=device)
    trunk = model.get_encoder() if model.config.is_encoder_decoder else model.base_model

    def pooled(token_ids: torch.Tensor) -> torch.Tensor:
        states = trunk(input_ids=token_ids, output_hidden_states=True).hidden_states[-2].double()
        counts = ~torch.isin(token_ids, special)
        return (states * counts[..., None]).sum(dim=1) / counts.sum(dim=1, keepdim=True)

    return _run(pooled, model, device, encoded, title)


def token_classes(model: "PreTrainedModel", device: str, encoded: Encoded, title: str) -> np.ndarray:
    """The most likely class of each token, (n_tokens,), by number. model: it classifies tokens; on `device`.

    Raises HerbariumError when a prediction is not finite.
    """
    lengths = encoded.lengths

    def run(tokens: int) -> np.ndarray:
        import torch

        classes = np.empty(len(encoded.token_ids), dtype=int)
        with torch.inference_mode(), progress(len(lengths), "texts", title) as bar:
            for rows, n in _passes(np.arange(len(lengths)), lengths, device, tokens):
                places = encoded.starts[rows][:, None] + np.arange(lengths[rows[0]])
                token_ids = torch.from_numpy(encoded.token_ids[places].astype(np.int64)).to(device)
                logits = model(input_ids=token_ids).logits
                if not bool(torch.isfinite(logits).all()):
                    raise HerbariumError(f"{title}: predictions are not finite.")
                classes[places[:n]] = logits.argmax(dim=-1)[:n].cpu().numpy()
                bar.update(n)
        return classes

    return answering.within_memory(run, answering.tokens_a_pass(model, device), int(lengths.max(initial=1)), title)


def _run(
    call: Callable[["torch.Tensor"], "torch.Tensor"],
    model: "PreTrainedModel",
    device: str,
    encoded: Encoded,
    title: str,
) -> np.ndarray:
    """The results of `call`, which runs the model, for the token ids of each text, float64, with each distinct input
    run once."""
    ids = [encoded.token_ids[start:end] for start, end in zip(encoded.starts[:-1], encoded.starts[1:], strict=True)]
    first_of: dict[bytes, int] = {}
    same_as = np.array([first_of.setdefault(text.tobytes(), row) for row, text in enumerate(ids)], dtype=int)
    distinct = np.fromiter(first_of.values(), dtype=int)
    lengths = encoded.lengths

    def run(tokens: int) -> np.ndarray:
        import torch

        outputs: np.ndarray | None = None
        with torch.inference_mode(), progress(len(distinct), "texts", title) as bar:
            for rows, n in _passes(distinct, lengths, device, tokens):
                token_ids = torch.from_numpy(np.stack([ids[row] for row in rows]).astype(np.int64)).to(device)
                values = call(token_ids)[:n].cpu().numpy()
                if outputs is None:
                    outputs = np.empty((len(ids), values.shape[1]))
                outputs[rows[:n]] = values
                bar.update(n)
        return outputs[same_as]

    longest = int(lengths.max(initial=1))
    return answering.within_memory(run, answering.tokens_a_pass(model, device), longest, title)


def _passes(rows: np.ndarray, lengths: np.ndarray, device: str, tokens: int) -> Iterator[tuple[np.ndarray, int]]:
    """The texts of each pass, all of one length, and how many of them are not filler; the longest come first."""
    for length in np.unique(lengths[rows])[::-1]:
        alike = rows[lengths[rows] == length]
        most, least = answering.inputs_a_pass(device, tokens, int(length))
        for start in range(0, len(alike), most):
            chosen = alike[start : start + most]
            # a head reads one state per text: the product of a single row is computed differently (see `scoring`)
            yield answering.filled_up(chosen, max(least, 2)), len(chosen)
