"""The files of a model that the workflow writes itself: always the same, so that each can be an output of a rule."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def save(folder: Path, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerFast") -> None:
    """Write a model and its tokenizer as `FILES`, and nothing else, to a folder that is empty."""
    model.save_pretrained(folder, max_shard_size=2**60)  # bytes: the weights are one file, however large
    tokenizer.save_pretrained(folder)
    for file in folder.iterdir():
        if file.name not in FILES:  # how a family generates text, or chats: nothing here does
            file.unlink()
