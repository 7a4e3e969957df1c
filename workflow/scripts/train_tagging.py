"""Train a tagger of named entities on a model, and tag the test sentences (rule train_tagging)."""

import shutil
from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.tagging import words
from herbarium.metrics.tagging.sentences import PREDICTIONS, SENTENCES, TEST, classes
from herbarium.models import devices, loading, saving, tokenizer_files
from herbarium.scoring import answering, classifiers
from herbarium.training import head

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
params, (task, name, number) = snakemake.params, (snakemake.wildcards[key] for key in ("task", "model", "set"))
record, settings = store.read_record(snakemake.input.model), params.training
folder = loading.folder_of(record)
sentences = store.read_frame(snakemake.input.sentences, SENTENCES.name)
tokenizer = tokenizer_files.load_compared(record, folder)
limits = {"max_tokens": min(settings["max_tokens"], record["max_tokens"]), "lowercase": record["lowercase"]}
title, names = f"{task} {name} set {number}", classes(sentences)

# without the model's name: compared models have the same order of sentences, dropout and initial weights of the tagger
seed = int(stream(params.seed, "tagging", task, number).integers(2**31))
model = classifiers.begin(folder, tokenizer, name, seed, names, by_token=True, unused=record["unused_tensors"])
if settings["frozen"]:
    model.base_model.requires_grad_(False)
chosen = sentences[sentences["set"] == int(number)]
encoded, first = words.encode(tokenizer, chosen["tokens"], **limits)
identity = {
    "training": settings,
    "model": record,
    "sentences": store.read_header(snakemake.input.sentences, SENTENCES.name),
}
place = Path(snakemake.output[0])
checkpoints = saving.checkpoint(place.with_name(f".{place.stem}"), [params.code, identity])
train = encoded, words.labels(encoded, first, chosen["tags"], names, head.IGNORED)
results = head.fine_tune(model, tokenizer, train, None, settings, seed, checkpoints, device, False, title)

test = sentences[sentences["split"] == TEST]
encoded, first = words.encode(tokenizer, test["tokens"], **limits)
of_tokens = classifiers.token_classes(answering.place(model.eval(), device), device, encoded, title)
rows = test[[]].assign(
    tags=words.tags(first, of_tokens, names),
    n_untagged=[int((first_tokens == words.NONE).sum()) for first_tokens in first],
)
made |= {"training": settings | {"steps": results["steps"]}, "device": devices.name(device)}
store.write_table(snakemake.output[0], PREDICTIONS, rows, made)
shutil.rmtree(checkpoints)
log.info("%s: %d sentences to train on, %d tagged.", title, len(chosen), len(rows))
