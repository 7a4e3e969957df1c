"""Train a model on a sample of a corpus, and estimate what all of its training will take (rule sample_continued)."""

import tempfile
from pathlib import Path

from herbarium.core import store
from herbarium.core.costs import TRAIN, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving
from herbarium.scoring import classifiers
from herbarium.training import continued, corpora, costs

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
settings, title = params.settings, f"{name} training"
texts = store.read_frame(given.corpus, corpora.CORPUS.name)
of_split = texts["split"].value_counts()
# held-out texts are also evaluated before the first epoch
evaluated = int(of_split["validation"]) * (settings["epochs"] + 1)
trainings = costs.Trainings([int(of_split["train"])], [evaluated], settings["epochs"], settings["batch_size"])
row = trainings.counted(TRAIN, len(saving.FILES) + 1)
if given.get("model"):  # of one that the workflow trains, nothing is known before
    record = store.read_record(given.model)
    config = loading.configuration(loading.folder_of(record), f"models.{record['name']}")
    dropout = continued.dropout(config, settings)
    started = costs.language_model(record, devices.choose(snakemake.resources.gpu), **dropout)
    sample = costs.drawn(texts.loc[texts["split"] == "train", "text"], stream(params.seed, "estimate", name))
    max_tokens = min(settings["max_tokens"], record["max_tokens"])
    encoded = classifiers.encode(started.tokenizer, sample, max_tokens, record["lowercase"])

    def train(n):
        an_epoch = settings | {"epochs": 1, "keep": "last"}
        with tempfile.TemporaryDirectory() as temporary:
            checkpoint = Path(temporary, "checkpoint")
            parts = (costs.first(encoded, count) for count in (n, 1))
            continued.train(started.model, started.tokenizer, *parts, an_epoch, params.seed, checkpoint, title)

    def tokens(n):
        lengths = encoded.lengths[:n]
        batches = continued.batches(lengths, settings["batch_size"], stream(params.seed, "order", 1))
        return costs.padded_tokens(lengths, batches)

    row |= trainings.measured(train, tokens, len(sample), started, title)
    row["bytes"] = started.bytes
write(snakemake.output[0], [row], name, f"recipes/{params.recipe}", made)
