"""Classify every test text with every prefix of a shard (rule predict_downstream)."""

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import devices, loading
from herbarium.scoring import answering, classifiers, perturbation, predictions

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record, shard = store.read_record(snakemake.input.classifier), int(snakemake.wildcards.shard)
name, folder = record["name"], loading.folder_of(record)
examples = store.read_frame(snakemake.input.examples, "task_examples")
texts = examples.loc[examples["split"] == "test", "text"].tolist()
prefixes = store.read_frame(snakemake.input.prefixes, "task_prefixes").iloc[shard :: snakemake.params.shards]
tokenizer = loading.load_tokenizer(folder, name)
model = answering.place(classifiers.load(folder, name, record["dtype"]), device)
title = f"{record['task']} {name} shard {shard}"
made |= {"classifier": record, "device": devices.name(device)}
log.info("%s: %d texts with each of %d prefixes.", title, len(texts), len(prefixes))
blocks = perturbation.perturbed(tokenizer, texts, prefixes, record["max_tokens"], record["lowercase"])
with store.table_writer(snakemake.output[0], predictions.PREDICTIONS, made) as append:
    for rows, encoded in blocks:
        append(rows.assign(log_odds=classifiers.log_odds(model, device, encoded, record["positive"], title)))
