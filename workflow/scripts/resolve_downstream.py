"""Record what a published classifier is (rule resolve_downstream)."""

import os
from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.step import begin, of_model
from herbarium.metrics.downstream import tasks
from herbarium.models import devices, loading
from herbarium.scoring import classifiers

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(0)
params, task, name = snakemake.params, snakemake.wildcards.task, snakemake.wildcards.model
entry, precision = params.entry, params.precision
folder = Path(entry["path"]) if entry["path"] else loading.fetch(entry["hub"], entry["revision"])
loading.check_files(folder, name)
tokenizer = loading.load_tokenizer(folder, name)
model = classifiers.load(folder, name, "float32")
limits = {"max_tokens": min(params.max_tokens, loading.max_tokens(model, tokenizer)), "lowercase": False}
examples = store.read_frame(snakemake.input.examples, "task_examples")
texts = tasks.sample(examples, "test", precision["sentences"], task, params.seed)
sample = classifiers.encode(tokenizer, texts, **limits)
positive = classifiers.class_number(model, entry["positive"], name)
description = classifiers.describe(name, folder, positive, "float32", device, sample, precision)
path = os.path.relpath(folder) if entry["path"] else None
source = {"task": task, "hub": entry["hub"], "revision": entry["revision"], "path": path}
record = description | source | limits | {"training": None, "base": None}
made["models"] |= of_model(record, f"{task}/{name}")
store.write_record(snakemake.output[0], record, made)
