"""Compare numbers of tasks with the strength of what was planted in their texts (rule calibrate_downstream)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.downstream import calibration
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
numbers = store.read_frames(snakemake.input, "tidy")
store.write_table(snakemake.output[0], CALIBRATION, calibration.rows(numbers, snakemake.params.planted), made)
