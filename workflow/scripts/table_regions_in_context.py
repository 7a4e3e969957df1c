"""Regions in context as a table to read, and beside what is planted (rule table_regions_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.regions_in_context import calibration
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
output = snakemake.output
tidy = store.read_frames(snakemake.input, TIDY.name)
columns = [name for name in TIDY.fields.names if name not in ("metric", "converged")]
store.write_csv(output.numbers, tidy[columns], made)
for path in output.calibration:  # none without planted stereotypes
    store.write_table(path, CALIBRATION, calibration.rows(tidy, snakemake.params.planted), made)
log.info("%d numbers.", len(tidy))
