"""Lay out the results on biographies as tables, with what is planted (rule table_biographies)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.biographies import calibration, numbers
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
tidy = store.read_frames(given.numbers, TIDY.name)
store.write_csv(output.numbers, tidy[[name for name in TIDY.fields.names if name != "metric"]], made)
store.write_csv(output.occupations, store.read_frames(given.occupations, numbers.OCCUPATIONS.name), made)
for path in output.calibration:  # none without planted biographies
    store.write_table(path, CALIBRATION, calibration.rows(tidy, snakemake.params.planted), made)
log.info("%d numbers.", len(tidy))
