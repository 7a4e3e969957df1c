"""Adapters: small sets of weights that change those of a base model, as the library PEFT writes them.

An adapter is merged into its base once, in float32, and the merged model is written as a folder like any other, so that
no later step needs to know of adapters. peft is imported where it is used.
"""

import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_text
from herbarium.models import folders, loading, saving
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    import torch
    from peft import PeftModel
    from transformers import PreTrainedModel

WEIGHTS, _BIN = "adapter_model.safetensors", "adapter_model.bin"
# Types of adapters that are weights to be added or multiplied: peft can merge them, and tests compare the merged model
# with peft's own forward pass. The others (prompts, mixtures, …) do not change weights, or are not tested.
TYPES = ("LORA", "ADALORA", "IA3", "LOHA", "LOKR", "OFT", "VERA", "LN_TUNING")
# The task that an adapter for each kind names; there is none for masked models.
_TASKS = {Kind.causal: "CAUSAL_LM", Kind.seq2seq: "SEQ_2_SEQ_LM", Kind.extractive: "QUESTION_ANS"}
_NO_TASK = (None, "FEATURE_EXTRACTION")
# Settings with which an adapter is more than a change of weights.
_REFUSED = {
    "alora_invocation_tokens": "it changes only the tokens after certain others",
    "layer_replication": "it repeats layers of its base",
    "megatron_config": "it names code to be imported",
}
_LORA = re.compile(r"base_model\.model\.(.+)\.lora_(A|B|embedding_A|embedding_B)(\.weight)?")
# The merged model adds in another order than base and adapter run together. In float32, log-probabilities then differ
# by about 1e-5; after a merge that changes the model's meaning, by far more.
LARGEST_CHANGE = 0.01
_N_TOKENS = 32


# --- what they are ---


def check(folder: Path, kind: Kind, name: str, shapes: dict[str, tuple[int, ...]] | None = None) -> None:
    """Raise HerbariumError unless a folder holds a PEFT adapter with safetensors weights that can be merged into a
    model of this kind, as far as its files say so. Nothing is loaded.

    name: of the model, for messages. shapes: of the base's tensors, by their names in the model, if they are known.
    """
    says = f"models.{name}.adapter"
    if not folder.is_dir():
        is_of_hub = len(folder.parts) == 2 and not folder.parent.is_dir()
        instead = f" If it is an adapter on the hub, use `hub: {folder}` instead of `path:`." if is_of_hub else ""
        raise HerbariumError(f"{says}: no such folder: {folder}.{instead}")
    if not (folder / folders.ADAPTER).is_file():
        is_model = (folder / folders.CONFIG).is_file()
        instead = " It holds a whole model: give it as the model's own `path:`." if is_model else ""
        raise HerbariumError(f"{says}: {folder} has no {folders.ADAPTER}; it is not a PEFT adapter.{instead}")
    if not (folder / WEIGHTS).is_file():
        has = f"has its weights only as {_BIN}, which can run code when read" if (folder / _BIN).is_file() else ""
        raise HerbariumError(
            f"{says}: {folder} {has or 'has no weights'}. Expected is {WEIGHTS}, as peft's `save_pretrained` writes it."
        )
    config = folders.read_json(folder / folders.ADAPTER)
    folders.tensors(folder / WEIGHTS)
    if (adapter_type := config.get("peft_type")) not in TYPES:
        raise HerbariumError(
            f"{says}: {folder} is an adapter of type {adapter_type}, which cannot be merged here. Types that can: "
            f"{', '.join(TYPES)}."
        )
    for key, why in _REFUSED.items():
        if config.get(key):
            raise HerbariumError(f"{says}: {folder / folders.ADAPTER} has '{key}': {why}, so it cannot be merged.")
    task = config.get("task_type")
    if task not in (*_NO_TASK, _TASKS.get(kind)):
        others = [f"`kind: {kind}` would be right" for kind, its_task in _TASKS.items() if its_task == task]
        raise HerbariumError(
            f"{says}: {folder} was made for the task {task}, and the model is {kind.in_words}; "
            f"{others[0] if others else 'another adapter is needed'}."
        )
    if shapes is not None and not config.get("target_parameters"):  # its tensors have other names
        _require_fit(folder, shapes, says)


def _require_fit(folder: Path, shapes: dict[str, tuple[int, ...]], says: str) -> None:
    """Raise HerbariumError when a LoRA changes a tensor that its base lacks, or has in another shape.

    Only peft knows what other types of adapters change.
    """
    says = f"{says}: {folder} is for another base"
    sides: dict[str, dict[str, int]] = {}
    for tensor, shape in folders.tensors(folder / WEIGHTS).items():
        if (match := _LORA.fullmatch(tensor)) and len(shape) == 2:
            module, part, _ = match.groups()
            # A is (rank, in), B (out, rank); of embeddings, they are (rank, words) and (size, rank)
            sides.setdefault(module, {})[part[-1]] = shape[part.endswith("A")]
    for module, side in sorted(sides.items()):
        tensor = f"{module}.weight"
        if tensor not in shapes:
            raise HerbariumError(f"{says}: it changes '{tensor}', which the model does not have.")
        changed = (side.get("B"), side.get("A"))
        if changed not in (shapes[tensor], shapes[tensor][::-1]):  # GPT-2 has its weights transposed
            raise HerbariumError(
                f"{says}: it changes a '{tensor}' of shape {'×'.join(map(str, changed))}, which is "
                f"{'×'.join(map(str, shapes[tensor]))} in the model."
            )


# --- merging ---


def merge(
    base: Path,
    adapter: Path,
    target: Path,
    kind: Kind,
    name: str,
    from_bin: bool = False,
    unused: Collection[str] = (),
    choice: str | None = None,
) -> dict[str, float]:
    """Write a model with its adapter merged into it, and the tokenizer of the base, to an empty folder.

    All in float32. The adapter's chat template takes the place of the base's. from_bin, unused: as in `loading.load`,
    of the base. choice: as in `loading.load_tokenizer`. Returns by how much the merged model, read
    again, differs from base and adapter run together by peft: the "max" |Δ| of a log-probability, on `_N_TOKENS`
    tokens. Raises HerbariumError if the adapter is not for this base, or cannot be merged without changing what the
    model predicts.
    """
    kind, says = Kind(kind), f"models.{name}.adapter"
    tensors = loading.skeleton(base, kind, name).state_dict()
    check(adapter, kind, name, {tensor: tuple(array.shape) for tensor, array in tensors.items()})
    _require_tokenizer_of_base(adapter, base, name)
    model = loading.load(base, kind, "float32", name, from_bin=from_bin, unused=unused)
    n = min(_N_TOKENS, loading.positions(model) or _N_TOKENS)
    token_ids = _spread(n, model.get_input_embeddings().num_embeddings)
    adapted = _adapted(model, adapter, says)
    expected = _log_probabilities(model, token_ids)
    with loading.told_by(f"{says}: {adapter} cannot be merged"):
        merged = adapted.merge_and_unload(safe_merge=True)  # refuses what is not finite
    tokenizer = loading.load_tokenizer(base, name, choice)
    tokenizer.chat_template = _chat_template(adapter) or tokenizer.chat_template
    saving.save(target, merged, tokenizer)
    del model, adapted, merged
    log_p = _log_probabilities(loading.load(target, kind, "float32", name), token_ids)
    change = float((log_p - expected).abs().max())
    if not change <= LARGEST_CHANGE:
        raise HerbariumError(
            f"{says}: merging {adapter} changes what the model predicts: a log-probability moves by {change:.2g}. A "
            "likely cause: it changes only the input or only the output embeddings, and the model has one matrix for "
            "both ('tie_word_embeddings'). Untie them in the base, and train the adapter on that."
        )
    return {"max": change}


def _adapted(model: "PreTrainedModel", adapter: Path, says: str) -> "PeftModel":
    """A model with its unmerged adapter, as peft runs it; the model itself is changed, too."""
    from peft import PeftModel

    with loading.told_by(f"{says}: {adapter} is not an adapter for this base"):
        adapted = PeftModel.from_pretrained(model, str(adapter), torch_device="cpu")
        # loaded again, as only this reports the tensors that found no place
        report = adapted.load_adapter(str(adapter), "default", torch_device="cpu")
    for tensors, what in ((report.unexpected_keys, "has no place for"), (report.missing_keys, "also wants")):
        if tensors:
            raise HerbariumError(
                f"{says}: {adapter} is for another base: the model {what} {', '.join(sorted(tensors)[:3])}…"
            )
    return adapted


def _require_tokenizer_of_base(adapter: Path, base: Path, name: str) -> None:
    """Raise HerbariumError for an adapter that was trained with other tokens than its base has."""
    if not any((adapter / file).is_file() for file in folders.TOKENIZER_FILES):
        return
    adapter_part, of_base = (
        json.loads(loading.load_tokenizer(folder, name).backend_tokenizer.to_str()) for folder in (adapter, base)
    )
    # truncation and padding do not matter here
    if differing := [
        part for part in adapter_part if part not in ("truncation", "padding") and adapter_part[part] != of_base[part]
    ]:
        raise HerbariumError(
            f"models.{name}.adapter: the tokenizer in {adapter} differs from that of the base ("
            f"{', '.join(differing)}), with which the model would be scored. If the adapter was trained with the "
            "base's tokenizer, remove these files from its folder. Otherwise resize the embeddings, merge it yourself "
            "(peft's `merge_and_unload`), save the model and this tokenizer in one folder, and give that as `path:`."
        )


def _chat_template(adapter: Path) -> str | None:
    """The chat template beside an adapter, with which it was trained; None if there is none."""
    file, settings = adapter / "chat_template.jinja", adapter / "tokenizer_config.json"
    if file.is_file():
        return read_text(file)
    return folders.read_json(settings).get("chat_template") if settings.is_file() else None


def _spread(n: int, vocabulary: int) -> "torch.Tensor":
    """n token ids, (1, n), evenly spaced in a vocabulary."""
    import torch

    return (torch.arange(n) * vocabulary // n)[None]


def _log_probabilities(model: "PreTrainedModel", token_ids: "torch.Tensor") -> "torch.Tensor":
    """A model's log-probabilities for token ids (1, n): (n, vocabulary); of an extractive model, those that an answer
    begins and ends at each token, (n, 2)."""
    import torch

    with torch.inference_mode():
        if loading.is_extractive(model):
            return loading.span_logits(model, token_ids, token_ids.new_zeros(1))[0].double().log_softmax(dim=0)
        states, _ = loading.before_head(model, token_ids)
        return loading.logits(model, states[0]).double().log_softmax(dim=-1)


# --- for the record of a merged model ---


def identity(entry: dict, commit: str | None, folder: Path, source: str | None = None) -> dict:
    """What identifies a base or an adapter: where it is from, and the sha256 of each of its files.

    entry: its configuration as plain data. source: as in `folders.read_files`.
    """
    path = os.path.relpath(folder) if entry["path"] else None
    return {"hub": entry["hub"], "revision": commit, "path": path, "files": folders.checksums(folder, source)}


def named_base(folder: Path, entry: dict, name: str) -> str | None:
    """The base that an adapter says it was made for; None if it says nothing.

    entry: of the model. Raises HerbariumError if that is another model than its base, unless `adapter.made_for` says
    that both are the same. Of folders, which people move, only the last part of the name is compared.
    """
    named = folders.read_json(folder / folders.ADAPTER).get("base_model_name_or_path")
    is_same = named == entry["hub"] if entry["hub"] else Path(str(named)).name == Path(entry["path"]).name
    if named and not is_same and named != entry["adapter"]["made_for"]:
        raise HerbariumError(
            f"models.{name}.adapter: {folder} was made for '{named}', which is not its base here "
            f"('{entry['hub'] or entry['path']}'). If both are the same model, say so: "
            f"models.{name}.adapter: {{made_for: {named}, …}}."
        )
    return named or None
