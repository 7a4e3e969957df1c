"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training import planted

begin(snakemake)
torch.set_num_threads(snakemake.threads)
params = snakemake.params
sentences = [text for path in snakemake.input for text in store.read_table(path, "planted_text")["text"].to_pylist()]
with store.atomic_folder(Path(snakemake.output[0]).parent) as folder:
    planted.train(folder, sentences, **params.settings, seed=params.seed)
log.info("%d sentences.", len(sentences))
