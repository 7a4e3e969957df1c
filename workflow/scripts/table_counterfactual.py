"""Lay out how swapping gendered words changes scores, as tables (rule table_counterfactual)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.counterfactual import score

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
numbers = store.read_frames(given.numbers, "tidy")
places = zip(snakemake.params.measured, given.changes, strict=True)
tables = [
    store.read_frame(path, score.CHANGED.name).assign(model=model, stimuli=stimuli) for (model, stimuli), path in places
]
changes = pd.concat(tables, ignore_index=True)[["model", "stimuli", *score.CHANGED.fields.names]]
store.write_csv(output.numbers, numbers[score.COLUMNS], made)
store.write_csv(output.sentences, changes, made)
log.info("%d numbers.", len(numbers))
