"""Write the text from which a planted model learns hurtful completions (rule plant_honest)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.honest import planted, stimuli
from herbarium.metrics.honest.lexicon import read_lexicon
from herbarium.training.text import TEXT

made = begin(snakemake)
params, text = snakemake.params, []
for sentences_from, words_from in params.entries:
    read = stimuli.read(**sentences_from), read_lexicon(**words_from)
    text += planted.sentences(*read, params.strength, params.seed)
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
