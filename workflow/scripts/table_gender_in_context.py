"""Lay out gender in context as tables, with what is planted (rule table_gender_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import calibration, names
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
tidy = store.read_frames(given.numbers, TIDY.name)
columns = [name for name in TIDY.fields.names if name not in ("metric", "converged")]
store.write_csv(output.numbers, tidy[columns], made)
store.write_csv(output.accuracies, store.read_frames(given.accuracies, names.BY_NU.name), made)
store.write_csv(output.places, store.read_frames(given.places, names.PLACES.name), made)
for path in output.calibration:  # none without planted models
    last = tidy.groupby("model", sort=False)["group"].last()
    store.write_table(path, CALIBRATION, calibration.rows(tidy, params.planted, last), made)
log.info("%d numbers.", len(tidy))
