"""Write the text on gendered words from which a model learns its bias (rule plant_mixed_effects)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import planted, stimuli
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
sentences = [
    sentence
    for entry, design in zip(params.stimuli, snakemake.input.designs, strict=True)
    for sentence in planted.sentences(
        stimuli.lists_from(store.read_record(design)),
        entry["determiners"],
        entry["lowercase"],
        params.strength,
        params.seed,
    )
]
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": sentences}), made)
log.info("%d sentences, planted strength %g.", len(sentences), params.strength)
