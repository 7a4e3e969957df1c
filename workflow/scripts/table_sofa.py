"""Lay out social bias probing as tables, with that of planted models (rule table_sofa)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sofa import calibration, numbers, stimuli
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
units = {
    "categories": [numbers.CATEGORY, numbers.ALL],
    "identities": [numbers.IDENTITY],
    "stereotypes": [numbers.STEREOTYPE],
}
for name, of_table in units.items():
    store.write_csv(output[name], tidy.loc[tidy["unit"].isin(of_table), numbers.COLUMNS], made)
for path in output.calibration:  # none without planted models
    observed = [store.read_frame(table, stimuli.OBSERVATIONS.name) for table in given.observations]
    of_places = {tuple(place): table for place, table in zip(params.measured, observed, strict=True)}
    rows = calibration.rows(tidy, params.planted, params.kinds, of_places, params.seed)
    store.write_table(path, CALIBRATION, rows, made)
log.info("%d numbers.", len(tidy))
