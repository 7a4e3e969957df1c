"""Lay out associations as tables, with those of planted models (rule table_matched_guise)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.matched_guise import calibration, numbers, stimuli
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
store.write_csv(output.numbers, tidy[numbers.COLUMNS], made)
observed = [
    store.read_frame(path, stimuli.OBSERVATIONS.name).assign(model=model, guises=name)
    for (model, name), path in zip(params.measured, given.observations, strict=True)
]
store.write_csv(output.pairs, pd.concat(observed)[["guises", "model", *stimuli.OBSERVATIONS.fields.names]], made)
tables = [store.read_frame(path, stimuli.STIMULI.name) for path in given.stimuli]
lists = {name: stimuli.asked(table) for name, table in zip(params.rated, tables, strict=True)}
for path in output.calibration:  # none without planted models
    store.write_table(path, CALIBRATION, calibration.rows(tidy, params.planted, lists), made)
log.info("%d numbers.", len(tidy))
