"""Continued masked-language training: a model is trained further on a corpus, in the way of Devlin et al. (2019).

The random draws of a step depend only on its number, and a checkpoint holds all that one step passes on to the next: a
run that was stopped continues from its last checkpoint and ends with the same weights.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from herbarium.core import store
from herbarium.core.console import log, progress
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.models import loading
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

# Devlin et al., Appendix A.1: the share of a text's tokens that are to be predicted; of these, the shares that are
# replaced by the mask and by a random token of the vocabulary. The others are unchanged.
NAMED, AS_MASK, AS_OTHER = 0.15, 0.8, 0.1
BETA1, EPSILON = 0.9, 1e-8  # of AdamW
CLIP = 1.0  # largest norm of the gradient of a step
WINDOW = 50  # steps whose texts are sorted by length together, so that there is little padding
CHECKPOINT_AFTER = 60  # seconds
# The families' names for dropout, in the configuration of a model.
DROPOUT = {
    "hidden_dropout": ("hidden_dropout_prob", "dropout"),
    "attention_dropout": ("attention_probs_dropout_prob", "attention_dropout"),
}


def trained_weights(model: "PreTrainedModel", weights: str) -> list["torch.nn.Parameter"]:
    """The parameters that training changes; all others are frozen.

    weights: "all"; "head", all outside the trunk, with which most heads share their word vectors; or "untied_head", the
    same with its own word vectors, which start as those of the trunk.
    Raises HerbariumError if the head has no weights of its own.
    """
    import torch

    if weights == "untied_head":
        output = model.get_output_embeddings()
        for name, parameter in list(output.named_parameters()):  # its bias too: in a file, both are tied or neither
            setattr(output, name, torch.nn.Parameter(parameter.detach().clone()))
        model.config.tie_word_embeddings = False
    of_trunk = {id(parameter) for parameter in model.base_model.parameters()}
    for parameter in model.parameters():
        parameter.requires_grad = weights == "all" or id(parameter) not in of_trunk
    chosen = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not chosen:
        raise HerbariumError(
            f"{type(model).__name__} has a head that consists only of the word vectors, which the trunk shares: it has "
            "nothing to train. Use `weights: untied_head`, or `weights: all`."
        )
    return chosen


def dropout(config: "PreTrainedConfig", settings: dict) -> dict[str, float]:
    """The dropout of a training by the keys that the model's configuration has for it; empty if none is set.

    settings: `hidden_dropout` and `attention_dropout`, each if it is set. Raises HerbariumError for a family without a
    known key for it.
    """
    rates = {}
    for kind in DROPOUT.keys() & settings.keys():
        of_family = [key for key in DROPOUT[kind] if hasattr(config, key)]
        if len(of_family) != 1:
            raise HerbariumError(
                f"`{kind}`: the name of this dropout in models of type '{config.model_type}' is not known: their "
                f"configuration does not have exactly one of {' and '.join(map(repr, DROPOUT[kind]))}. Leave the key "
                "out."
            )
        rates[of_family[0]] = settings[kind]
    return rates


def masked(
    token_ids: np.ndarray, may_be_named: np.ndarray, n_tokens: int, mask_id: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The tokens that the model sees, and where it must predict the true token (bool); both (n_texts, length).

    token_ids, may_be_named: (n_texts, length); neither special tokens nor padding may be predicted. n_tokens: of the
    vocabulary. As in the released BERT code, a share `NAMED` of a text's tokens is predicted, rounded, at least one.
    """
    n_named = np.maximum(1, np.round(NAMED * may_be_named.sum(axis=1)).astype(int))
    draws = np.where(may_be_named, random.uniform(size=token_ids.shape), 2.0)
    rank = draws.argsort(axis=1).argsort(axis=1)
    is_named = (rank < n_named[:, None]) & may_be_named
    fate = random.uniform(size=token_ids.shape)
    other = random.integers(n_tokens, size=token_ids.shape)
    shown = np.where(is_named & (fate < AS_MASK), mask_id, token_ids)
    return np.where(is_named & (fate >= AS_MASK) & (fate < AS_MASK + AS_OTHER), other, shown), is_named


def batches(lengths: np.ndarray, batch_size: int, random: np.random.Generator) -> list[np.ndarray]:
    """The texts of each step of an epoch, as row numbers: each text once, in random order, with texts of similar length
    together."""
    shuffled = random.permutation(len(lengths))
    windows = np.split(shuffled, range(WINDOW * batch_size, len(shuffled), WINDOW * batch_size))
    steps = []
    for window in windows:
        window = window[np.argsort(lengths[window], kind="stable")]
        steps += np.split(window, range(batch_size, len(window), batch_size))
    return [steps[k] for k in random.permutation(len(steps))]


def train(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerFast",
    texts: Encoded,
    held_out: Encoded,
    settings: dict,
    seed: int,
    checkpoint: Path,
    title: str,
) -> list[dict]:
    """Train a model, in place; returns one row per epoch: `epoch`, `steps`, and the mean `loss` and `held_out_loss`.

    Losses are in nats per predicted token; that of an epoch is the mean of its steps, each before the step; the
    held-out texts are masked in the same way every time, and epoch 0 is the model before training. model: on its
    device, in float32. texts, held_out: with special tokens, cut to the trained length. settings: `epochs`,
    `batch_size`, `learning_rate` (its peak), `warm_up` (steps), `decay` ("linear" to 0, "polynomial" of power 1 to
    1e-7, or "released": to 1e-7 at once), `weight_decay`, `beta2`, `keep` (the weights of the "last" epoch, or of the
    "best" by held-out loss) and `weights` (`trained_weights`). checkpoint: a file that no other run uses; training
    continues from its content. Raises HerbariumError when a loss is not finite.
    """
    import torch
    from transformers import get_scheduler

    torch.use_deterministic_algorithms(True, warn_only=True)
    parameters = trained_weights(model, settings["weights"])
    betas = (BETA1, settings["beta2"])
    optimiser = torch.optim.AdamW(parameters, settings["learning_rate"], betas, EPSILON, settings["weight_decay"])
    per_epoch = -(-len(texts.lengths) // settings["batch_size"])
    n_steps = per_epoch * settings["epochs"]
    of_steps = {"linear": ("linear", n_steps), "polynomial": ("polynomial", n_steps), "released": ("polynomial", -1)}
    decay, until = of_steps[settings["decay"]]
    schedule = get_scheduler(decay, optimiser, settings["warm_up"], until)
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    history, losses, best = _resumed(checkpoint, trained, optimiser, schedule)
    if not history:
        before = _held_out_loss(model, tokenizer, held_out, settings["batch_size"], seed)
        history = [{"epoch": 0, "steps": 0, "loss": None, "held_out_loss": before}]
    first, saved = history[-1]["steps"] + len(losses), monotonic()
    if first:
        log.info("%s continues from step %d of %d.", title, first, n_steps)
    with progress(n_steps, "steps", title) as bar:
        bar.update(first)
        for epoch, number, rows in _steps(texts.lengths, settings, seed, first):
            losses.append(_step(model, tokenizer, texts, rows, seed, number))
            torch.nn.utils.clip_grad_norm_(parameters, CLIP)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad()
            bar.update()
            if len(losses) == per_epoch:
                loss = _held_out_loss(model, tokenizer, held_out, settings["batch_size"], seed)
                row = {"epoch": epoch, "steps": number, "loss": float(np.mean(losses)), "held_out_loss": loss}
                if not np.isfinite([row["loss"], loss]).all():
                    raise HerbariumError(f"{title}: the loss is not finite; use a smaller `learning_rate`.")
                earlier = (row["held_out_loss"] for row in history[1:])
                if settings["keep"] == "best" and loss < min(earlier, default=np.inf):
                    best = {name: parameter.detach().clone() for name, parameter in trained.items()}
                history, losses = [*history, row], []
                log.info("%s: epoch %d, loss %.4f, on held-out texts %.4f.", title, epoch, row["loss"], loss)
            if monotonic() - saved > CHECKPOINT_AFTER:
                _save(checkpoint, trained, optimiser, schedule, history, losses, best)
                saved = monotonic()
    if settings["keep"] == "best":
        _put(best, trained)
    model.eval()
    return history


def _steps(lengths: np.ndarray, settings: dict, seed: int, first: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """Epoch, number (both from 1) and texts of each step after the first ones."""
    number = 0
    for epoch in range(1, settings["epochs"] + 1):
        for rows in batches(lengths, settings["batch_size"], stream(seed, "order", epoch)):
            number += 1
            if number > first:
                yield epoch, number, rows


def _step(model, tokenizer, texts: Encoded, rows: np.ndarray, seed: int, number: int) -> float:
    """The loss of a step, whose gradients are left in the parameters."""
    import torch

    torch.manual_seed(int(stream(seed, "dropout", number).integers(2**63)))
    model.train()
    loss, n_named = _loss(model, tokenizer, texts, rows, stream(seed, "mask", number))
    (loss / n_named).backward()
    return float(loss.detach()) / n_named


def _loss(model, tokenizer, texts: Encoded, rows: np.ndarray, random) -> tuple["torch.Tensor", int]:
    """The summed cross-entropy of the tokens that the model must predict in some texts, and their number."""
    import torch

    token_ids, is_text, may_be_named = _side_by_side(texts, rows, tokenizer.pad_token_id)
    shown, is_named = masked(token_ids, may_be_named, len(tokenizer), tokenizer.mask_token_id, random)
    shown, is_text, is_named, token_ids = (
        torch.from_numpy(array).to(model.device) for array in (shown, is_text, is_named, token_ids)
    )
    # the head works position by position: where nothing is to be predicted, its logits are not needed
    states, _ = loading.before_head(model, shown, attention_mask=is_text)
    logits = loading.logits(model, states[is_named])
    loss = torch.nn.functional.cross_entropy(logits.float(), token_ids[is_named], reduction="sum")
    return loss, int(is_named.sum())


def _side_by_side(texts: Encoded, rows: np.ndarray, pad_id: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens of some texts, 0 for padding and else 1, and what may be predicted (bool), each (n_texts, length)."""
    lengths = texts.lengths[rows]
    places = np.arange(lengths.max())
    is_text = places < lengths[:, None]
    at = np.where(is_text, texts.starts[rows][:, None] + places, 0)
    token_ids = np.where(is_text, texts.token_ids[at], pad_id).astype(np.int64)
    return token_ids, is_text.astype(np.int64), is_text & ~texts.is_special[at]


def _held_out_loss(model, tokenizer, texts: Encoded, batch_size: int, seed: int) -> float:
    """The mean loss of held-out texts, in nats per predicted token."""
    import torch

    model.eval()
    total, n = 0.0, 0
    order = np.argsort(texts.lengths, kind="stable")
    with torch.inference_mode():
        for number, rows in enumerate(np.split(order, range(batch_size, len(order), batch_size))):
            loss, n_named = _loss(model, tokenizer, texts, rows, stream(seed, "held_out", number))
            total, n = total + float(loss), n + n_named
    return total / n


def _put(tensors: dict, parameters: dict) -> None:
    """Set parameters to the values of tensors with the same names."""
    import torch

    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])


def _save(checkpoint: Path, trained: dict, optimiser, schedule, history: list, losses: list, best: dict) -> None:
    """Save all that one step passes on to the next. trained: the parameters that change, by name."""
    from safetensors.torch import save_file

    moments = {
        f"{key} {name}": value
        for name, parameter in trained.items()
        for key, value in optimiser.state[parameter].items()
    }
    tensors = {f"now {name}": parameter.detach() for name, parameter in trained.items()} | moments
    tensors |= {f"best {name}": tensor for name, tensor in best.items()}
    state = {"history": history, "losses": losses, "schedule": schedule.state_dict()}
    with store.atomic(checkpoint) as partial:
        save_file(tensors, partial, {"state": json.dumps(state)})


def _resumed(checkpoint: Path, trained: dict, optimiser, schedule) -> tuple[list[dict], list[float], dict]:
    """The epochs so far, the losses of the unfinished one, and the best weights; everything else is restored."""
    from safetensors import safe_open

    if not checkpoint.is_file():
        return [], [], {}
    held: dict[str, dict] = {}
    with safe_open(checkpoint, "pt") as file:
        state = json.loads(file.metadata()["state"])
        for key in file.keys():  # noqa: SIM118 - it is not a dictionary
            kind, _, name = key.partition(" ")
            held.setdefault(kind, {})[name] = file.get_tensor(key)
    _put(held.pop("now"), trained)
    best = held.pop("best", {})
    for name, parameter in trained.items():
        if name in held.get("exp_avg", {}):  # not for a parameter that no step has reached
            device = {"step": "cpu"}
            optimiser.state[parameter] = {
                kind: state[name].to(device.get(kind, parameter.device)) for kind, state in held.items()
            }
    schedule.load_state_dict(state["schedule"])
    for group, rate in zip(optimiser.param_groups, state["schedule"]["_last_lr"], strict=True):
        group["lr"] = rate
    return state["history"], state["losses"], best
