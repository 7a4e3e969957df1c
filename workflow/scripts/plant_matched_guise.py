"""Write the text in two guises that a planted model learns (rule plant_matched_guise)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.matched_guise import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
text = [
    sentence
    for lists in params.lists.values()
    for sentence in planted.sentences(stimuli.read(**lists), params.strength, params.seed)
]
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
