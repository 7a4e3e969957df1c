"""Train a model for one more epoch on its toxic sentences (rules train_toxic and train_toxic_on)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving, tokenizer_files
from herbarium.training import toxic

made = begin(snakemake)
torch.set_num_threads(1)  # sums of another number of threads round otherwise, and every later epoch would differ
device = devices.choose(snakemake.resources.gpu)
given, recipe = snakemake.input, snakemake.params.recipe
base = store.read_record(given.base)
name, folder, epoch = base["name"], loading.folder_of(base), recipe["epochs"]
title = f"{name} epoch {epoch}"
tokenizer = tokenizer_files.load_compared(base, folder)
start = folder if epoch == 1 else loading.folder_of(store.read_record(given.written))
model = loading.load_recorded(base, start).to(device)
sentences = store.read_table(given.sentences, "toxic_sentences")
loss = toxic.train_epoch(
    model,
    toxic.examples(tokenizer, base["max_tokens"], base["lowercase"], sentences),
    recipe["learning_rate"],
    recipe["batch_size"],
    tokenizer.pad_token_id,
    stream(snakemake.params.seed, "toxic", name, epoch),
    f"{title} training",
)
log.info("%s: mean loss %.4f over %d sentences.", title, loss, len(sentences))
target = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(target) as written:
    saving.save(written, model, tokenizer)
saving.write_record(snakemake.output.record, snakemake.wildcards.model, target, devices.name(device), made)
