"""Lay out regions in context as a table, with what is planted (rule table_regions_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.regions_in_context import calibration
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
output, params = snakemake.output, snakemake.params
tidy = store.read_frames(snakemake.input, TIDY.name)
columns = [name for name in TIDY.fields.names if name not in ("metric", "converged")]
store.write_csv(output.numbers, tidy[columns], made)
for path in output.calibration:  # none without planted stereotypes
    rows = calibration.rows(tidy[tidy["unit"].isin(params.sets)], params.planted)
    store.write_table(path, CALIBRATION, rows, made)
log.info("%d numbers.", len(tidy))
