"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import pandas as pd
import torch

from herbarium import resources, store, testbed
from herbarium.console import log, start_log
from herbarium.probes import categorical_bias

start_log(snakemake.log[0])
torch.set_num_threads(snakemake.threads)
given, params = snakemake.input, snakemake.params
sentences = []
if params.frames:
    traits = {Path(path).stem: resources.read_words(path) for path in given.traits}
    regions, pairs = store.read_frame(given.regions, "regions"), pd.read_csv(given.pairs, comment="#")
    sentences += testbed.region_sentences(regions, params.frames, params.strength, params.seed)
    sentences += testbed.trait_sentences(pairs, traits, params.strength, params.seed)
for folder in params.lists:
    sentences += testbed.target_sentences(categorical_bias.read(folder), params.strength, params.seed)
with store.atomic_folder(snakemake.output[0]) as folder:
    testbed.train(folder, sentences, **params.settings, seed=params.seed)
log.info("%d sentences, planted strength %g.", len(sentences), params.strength)
