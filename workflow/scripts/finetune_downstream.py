"""Fine-tune a model on a task (rule finetune_downstream)."""

import os
import shutil
from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.random import stream
from herbarium.core.step import begin, of_model
from herbarium.metrics.downstream import tasks
from herbarium.models import devices, saving
from herbarium.scoring import classifiers
from herbarium.training import classification

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
params, (task, name, number) = snakemake.params, (snakemake.wildcards[key] for key in ("task", "model", "set"))
record, precision = store.read_record(snakemake.input.model), params.precision
examples = store.read_frame(snakemake.input.examples, "task_examples")


def part(split):
    """Texts of a part of the training set, and their labels."""
    rows = examples[(examples["split"] == split) & (examples["set"] == int(number))]
    return rows["text"], rows["label"].to_numpy()


def sample(split):
    return tasks.sample(examples, split, precision["sentences"], task, params.seed)


target = Path(snakemake.output.classifier[0]).parent
tuned = classification.tune(
    record,
    tasks.CLASSES,
    part("train"),
    part("validation"),
    sample("train"),
    params.training,
    precision,
    int(stream(params.seed, "finetune", task, name, number).integers(2**31)),
    device,
    target.with_name(".checkpoints"),
    [params.code, number, store.read_header(snakemake.input.examples, "task_examples")],
    f"{task} {name} set {number}",
)
with store.atomic_folder(target) as written:
    saving.save(written, tuned.model, tuned.tokenizer)
shown = classifiers.encode(tuned.tokenizer, sample("test"), **tuned.limits)
description = classifiers.describe(name, target, 1, record["dtype"], device, shown, precision)
source = {"task": task, "hub": None, "revision": None, "path": os.path.relpath(target)}
training = {"set": int(number)} | tuned.training
classifier = description | source | tuned.limits | {"training": training, "base": record}
made["models"] |= of_model(classifier, f"{task}/{name}/set-{number}")
store.write_record(snakemake.output.record, classifier, made)
shutil.rmtree(tuned.checkpoints)
