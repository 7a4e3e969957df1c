"""Write the text on ethnic targets that a model with a planted bias learns (rule plant_categorical_bias)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
text = [
    sentence
    for design in map(store.read_record, snakemake.input.designs)
    for sentence in planted.sentences(stimuli.lists_from(design), params.strength, params.seed)
]
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences, planted strength %g.", len(text), params.strength)
