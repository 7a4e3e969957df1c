"""Write the text on interventions that a planted model learns (rule plant_interventions)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.interventions import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
text = []
for path in snakemake.input:
    sentences = store.read_frame(path, stimuli.STIMULI.name)
    text += planted.sentences(sentences, snakemake.params.strength, snakemake.params.seed)
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
