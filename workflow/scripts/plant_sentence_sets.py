"""Write the text on sentence sets that a model of the testbed learns (rule plant_sentence_sets)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import planted, stimuli
from herbarium.metrics.sentence_sets.formats import read
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
text = []
for entry in params.entries:
    table = stimuli.instantiate(
        read(entry["format"], entry["files"], entry["repairs"], entry["reading"]), entry["sides"], entry["quantity"]
    )
    text += planted.sentences(table, entry["sides"], params.strength, entry["contrast"], params.seed)
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": text}), made)
log.info("%d sentences.", len(text))
