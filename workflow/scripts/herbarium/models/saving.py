"""The files of a model that the workflow writes itself: always the same, so that each can be an output of a rule.

Beside their folder stands a record of what they were when they were written.
"""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from herbarium.core import store
from herbarium.core.provenance import value_hash
from herbarium.models import folders

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def save(folder: Path, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerFast") -> None:
    """Write a model and its tokenizer as `FILES`, and nothing else, to a folder that is empty."""
    model.save_pretrained(folder, max_shard_size=2**60)  # bytes: the weights are one file, however large
    tokenizer.save_pretrained(folder, save_jinja_files=False)  # a chat template stands in tokenizer_config.json then
    for file in folder.iterdir():
        if file.name not in FILES:  # how a family generates text: nothing here does
            file.unlink()


def checkpoint(place: Path, what: object) -> Path:
    """Where a training keeps its checkpoint, file or folder, through a kill: for a run that would do the same. Those of
    other runs at this place are of no use, and removed.

    place: the beginning of its path. what: all that the training depends on, plain data.
    """
    own = place.with_name(f"{place.name}-{value_hash(what)}")
    for other in place.parent.glob(f"{place.name}-*"):
        if other != own:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return own


def write_record(record: Path, name: str, folder: Path, device: str, made: dict, **more: object) -> None:
    """Say what was written, for `loading.folder_of`, which refuses anything else.

    record: beside the folder, with its name and `.json`. device: by `devices.name`. made: by `step.begin`.
    more: what else it is to say.
    """
    said = {"name": name, "path": os.path.relpath(folder), "files": folders.checksums(folder), "device": device}
    store.write_record(record, said | more, made)
