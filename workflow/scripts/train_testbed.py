"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.mixed_effects import stimuli as mixed_effects
from herbarium.training import planted as testbed

begin(snakemake)
torch.set_num_threads(snakemake.threads)
given, params = snakemake.input, snakemake.params
sentences = []
if params.frames:
    regions = store.read_frame(given.regions, "regions")
    sentences += testbed.region_sentences(regions, params.frames, params.strength, params.seed)
for folder in params.lists:
    sentences += testbed.target_sentences(stimuli.read(folder), params.strength, params.seed)
for probe in params.probes:
    lists = mixed_effects.read(probe["lists"])
    choice = probe["determiners"], probe["lowercase"]
    sentences += testbed.gendered_sentences(lists, *choice, params.strength, params.seed)
with store.atomic_folder(Path(snakemake.output[0]).parent) as folder:
    testbed.train(folder, sentences, **params.settings, seed=params.seed)
log.info("%d sentences, planted strength %g.", len(sentences), params.strength)
