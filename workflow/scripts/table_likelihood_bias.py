"""Lay out likelihood bias as tables, with that of planted models (rule table_likelihood_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.likelihood_bias import calibration, numbers, stimuli
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
units = {"axes": numbers.AXIS, "templates": numbers.TEMPLATE, "descriptors": numbers.DESCRIPTOR}
for name, unit in units.items():
    store.write_csv(output[name], tidy.loc[tidy["unit"] == unit, numbers.COLUMNS], made)
for path in output.calibration:  # none without planted models
    observed = [store.read_frame(table, stimuli.OBSERVATIONS.name) for table in given.observations]
    of_places = {tuple(place): table for place, table in zip(params.measured, observed, strict=True)}
    rows = calibration.rows(tidy, params.planted, params.kinds, of_places, params.seed)
    store.write_table(path, CALIBRATION, rows, made)
log.info("%d numbers.", len(tidy))
