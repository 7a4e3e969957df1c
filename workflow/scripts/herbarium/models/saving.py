"""The files of a model that the workflow writes itself: always the same, so that each can be an output of a rule.

A record next to their folder says what they were when they were written.
"""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from herbarium.core import store
from herbarium.core.provenance import value_hash
from herbarium.core.step import WRITTEN
from herbarium.models import folders

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def save(folder: Path, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerFast") -> None:
    """Write a model and its tokenizer as `FILES`, and nothing else, to a folder that is empty."""
    model.save_pretrained(folder, max_shard_size=2**60)  # bytes: the weights are a single file, however large
    tokenizer.save_pretrained(folder, save_jinja_files=False)  # the chat template then goes into tokenizer_config.json
    for file in folder.iterdir():
        if file.name not in FILES:  # settings for generating text, which nothing here does
            file.unlink()


def checkpoint(place: Path, what: object) -> Path:
    """The path of a training's checkpoint, file or folder, which outlives a killed run and serves one that would do the
    same. Checkpoints of other runs at this place are of no use, and removed.

    place: the beginning of its path. what: all that the training depends on, as plain data.
    """
    path = place.with_name(f"{place.name}-{value_hash(what)}")
    for other in place.parent.glob(f"{place.name}-*"):
        if other != path:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return path


def write_record(record: Path, name: str, folder: Path, device: str, made: dict, **more: object) -> None:
    """Record what was written, for `loading.folder_of`, which rejects anything else.

    record: next to the folder, with its name and `.json`. device: from `devices.name`. made: from `step.begin`.
    more: further entries.
    """
    content = {"name": name, "path": os.path.relpath(folder), "files": folders.checksums(folder), "device": device}
    store.write_record(record, content | more, made | {"schema": WRITTEN})
