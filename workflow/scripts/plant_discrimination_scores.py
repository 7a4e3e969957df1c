"""Write the text of decisions that a planted model learns (rule plant_discrimination_scores)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
starts = range(0, len(given), params.n_shards)
tables = [store.read_frames(given[start : start + params.n_shards], stimuli.STIMULI.name) for start in starts]
text = [
    sentence
    for prompts, effects in zip(tables, params.effects, strict=True)
    for sentence in planted.sentences(prompts, effects, params.strength, params.seed)
]
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
