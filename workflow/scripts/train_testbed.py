"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import pandas as pd
import torch

from herbarium import resources, store, testbed
from herbarium.console import log, start_log

start_log(snakemake.log[0])
torch.set_num_threads(snakemake.threads)
given, params = snakemake.input, snakemake.params
sentences = testbed.corpus(
    store.read_frame(given.regions, "regions"),
    params.frames,
    pd.read_csv(given.pairs, comment="#"),
    {Path(path).stem: resources.read_words(path) for path in given.traits},
    params.strength,
    params.seed,
)
with store.atomic_folder(snakemake.output[0]) as folder:
    testbed.train(folder, sentences, **params.settings, seed=params.seed)
log.info("%d sentences, planted strength %g.", len(sentences), params.strength)
