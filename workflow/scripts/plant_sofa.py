"""Write the text on identities that a planted model learns (rule plant_sofa)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sofa import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
sentences = store.read_frames(snakemake.input, stimuli.STIMULI.name)
text = list(planted.sentences(sentences, params.strength, params.seed))
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
