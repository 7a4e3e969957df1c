"""Embed the texts of local group comparisons with a classifier (rule embed_local_group_bias)."""

import torch

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.models import devices, loading
from herbarium.scoring import classifiers, perturbation

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record = store.read_record(snakemake.input.classifier)
name, folder = record["name"], loading.folder_of(record)
examples = store.read_frame(snakemake.input.examples, "task_examples")
texts = examples.loc[examples["split"] == "test", "text"].tolist()
prefixes = store.read_frame(snakemake.input.prefixes, "task_prefixes")
instances = store.read_frame(snakemake.input.instances, "local_instances", ["example", "prefix"]).drop_duplicates()
tokenizer = loading.load_tokenizer(folder, name)
model = classifiers.load(folder, name, record["dtype"]).to(device)
title = f"{record['task']} {name} features"
made |= {"classifier": record, "device": devices.name(device)}
limits = record["max_tokens"], record["lowercase"]
rows, encoded = perturbation.chosen(tokenizer, texts, prefixes, instances, *limits)
features = classifiers.features(model, device, encoded, title)
store.write_table(snakemake.output[0], perturbation.FEATURES, rows.assign(feature=list(features)), made)
