"""Classifiers of texts: a language model with a new head, fine-tuned on labelled texts of any number of classes.

All metrics that fine-tune share this; the texts, and the use of the classifier, are their own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from herbarium.core.console import log
from herbarium.models import loading, saving, tokenizer_files
from herbarium.scoring import classifiers, tuning
from herbarium.training import head

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# Texts, and the numbers of their classes, (n_texts,).
Labelled = tuple[Sequence[str], np.ndarray]


class Tuned(NamedTuple):
    """model: with the weights of the lowest validation loss, on the device. limits: how texts are shown to it, as
    arguments of `classifiers.encode`. training: its settings, whether products were in bfloat16, and the result of
    `head.fine_tune`. checkpoints: a folder to be removed once everything is written."""

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerFast"
    limits: dict
    training: dict
    checkpoints: Path


def tune(
    record: dict,
    classes: Sequence[str],
    train: Labelled,
    validation: Labelled,
    sample: Sequence[str],
    settings: dict,
    precision: dict,
    seed: int,
    device: str,
    place: Path,
    what: object,
    title: str,
) -> Tuned:
    """Fine-tune a language model to classify texts.

    record: of the model. classes: their names, by number. validation: texts for early stopping. sample: texts on which
    products in bfloat16 are tried, if the record leaves the number format open. settings: as in the configuration.
    precision: how much bfloat16 may change. seed: of the head, the order of texts and dropout. place: the beginning of
    the path of checkpoints. what: everything else that the training depends on, as plain data.

    Raises HerbariumError for a model that transformers cannot turn into a classifier.
    """
    name = record["name"]
    folder = loading.folder_of(record)
    tokenizer = tokenizer_files.load_compared(record, folder)
    limits = {"max_tokens": min(settings["max_tokens"], record["max_tokens"]), "lowercase": record["lowercase"]}
    model = classifiers.begin(folder, tokenizer, name, seed, classes, unused=record["unused_tensors"])
    training = {**settings, "bfloat16": False}
    if record["dtype"] != tuning.EXACT and "bfloat16" in tuning.faster_dtypes(device):
        encoded = classifiers.encode(tokenizer, sample, **limits)
        changes = classifiers.bfloat16_changes(model.to(device).eval(), device, encoded)
        training["bfloat16"] = tuning.is_accepted(changes, precision)
        log.info("%s: bfloat16 changes log-odds by %.2g at most: %s.", title, changes["max"], training["bfloat16"])
    parts = [(classifiers.encode(tokenizer, texts, **limits), label) for texts, label in (train, validation)]
    checkpoints = saving.checkpoint(place, [what, seed, {"training": training, "model": record}])
    results = head.fine_tune(model, tokenizer, *parts, settings, seed, checkpoints, device, training["bfloat16"], title)
    return Tuned(model, tokenizer, limits, training | results, checkpoints)
