"""Fine-tune a model on a task (rule finetune)."""

import os
import shutil
from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin, of_model
from herbarium.metrics.downstream import tasks
from herbarium.models import devices, loading, saving
from herbarium.scoring import classifiers, tuning
from herbarium.training import head

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
params, (task, name, number) = snakemake.params, (snakemake.wildcards[key] for key in ("task", "model", "set"))
record, settings, precision = store.read_record(snakemake.input.model), params.training, params.precision
folder = loading.folder_of(record)
examples = store.read_frame(snakemake.input.examples, "task_examples")
tokenizer = loading.load_tokenizer(folder, name)
max_tokens = min(settings["max_tokens"], record["max_tokens"])
title = f"{task} {name} set {number}"


def part(split):
    """Texts of a part of the training set as tokens, and their labels."""
    rows = examples[(examples["split"] == split) & (examples["set"] == int(number))]
    return classifiers.encode(tokenizer, rows["text"], max_tokens, record["lowercase"]), rows["label"].to_numpy()


def sample(split):
    texts = tasks.sample(examples, split, precision["sentences"], task, params.seed)
    return classifiers.encode(tokenizer, texts, max_tokens, record["lowercase"])


own_seed = int(stream(params.seed, "finetune", task, name, number).integers(2**31))
model = classifiers.begin(folder, tokenizer, name, own_seed)
training = {"set": int(number), **settings, "bfloat16": False}
if record["dtype"] != tuning.EXACT and "bfloat16" in tuning.faster_dtypes(device):
    changes = classifiers.bfloat16_changes(model.to(device).eval(), device, sample("train"))
    training["bfloat16"] = tuning.is_accepted(changes, precision)
    log.info("%s: bfloat16 changes log-odds by %.2g at most: %s.", title, changes["max"], training["bfloat16"])

target = Path(snakemake.output.classifier[0]).parent
identity = {
    "training": training,
    "model": record,
    "examples": store.read_header(snakemake.input.examples, "task_examples"),
}
checkpoints = saving.checkpoint(target.with_name(".checkpoints"), [params.code, identity])
training |= head.fine_tune(
    model,
    tokenizer,
    part("train"),
    part("validation"),
    settings,
    own_seed,
    checkpoints,
    device,
    training["bfloat16"],
    title,
)
with store.atomic_folder(target) as written:
    saving.save(written, model, tokenizer)
said = classifiers.describe(name, target, 1, record["dtype"], device, sample("test"), precision)
source = {"task": task, "hub": None, "revision": None, "path": os.path.relpath(target)}
limits = {"max_tokens": max_tokens, "lowercase": record["lowercase"]}
classifier = said | source | limits | {"training": training, "base": record}
made["models"] |= of_model(classifier, f"{task}/{name}/set-{number}")
store.write_record(snakemake.output.record, classifier, made)
shutil.rmtree(checkpoints)
