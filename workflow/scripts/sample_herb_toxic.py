"""Train a model on some of HERB's sentences, and estimate what an epoch of its toxic training will take (rule
sample_herb_toxic)."""

import numpy as np
import pyarrow as pa

from herbarium.core import store
from herbarium.core.costs import TRAIN, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.herb import design
from herbarium.models import devices, saving
from herbarium.training import costs, toxic

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
recipe, title = params.recipe, f"{name} training"
random = stream(params.seed, "estimate", name)
candidates = store.read_frames(given.stimuli, "herb_stimuli")
# which sentences are likeliest is not known before they are scored: any of each description
scores = candidates[["sentence_id"]].assign(value=random.uniform(size=len(candidates)))
dimensions = design.dimensions(store.read_record(given.design))
likeliest = toxic.likeliest(candidates, scores, dimensions, recipe["sentences"]).sample(frac=1, random_state=random)
trainings = costs.Trainings([len(likeliest)], [0], 1, recipe["batch_size"])
row = trainings.counted(TRAIN, len(saving.FILES) + 1)
if given.get("model"):  # of one that the workflow trains, nothing is known before
    started = costs.language_model(store.read_record(given.model), devices.choose(snakemake.resources.gpu))
    takes = started.record["max_tokens"], started.record["lowercase"]
    sample = toxic.examples(started.tokenizer, *takes, pa.Table.from_pandas(likeliest))
    lengths = np.array([len(example.token_ids) for example in sample])

    def train(n):
        settings = recipe["learning_rate"], recipe["batch_size"], started.tokenizer.pad_token_id
        toxic.train_epoch(started.model, sample[:n], *settings, random, title)

    def tokens(n):
        return costs.padded_tokens(lengths, costs.in_order(n, recipe["batch_size"]))

    row |= trainings.measured(train, tokens, len(sample), started, title) | {"bytes": started.bytes}
write(snakemake.output[0], [row], name, f"recipes/{recipe['recipe']}", made)
