"""Measure how reliable the primary number of each metric is in this study (rule table_reliability)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study import reliability

made = begin(snakemake)
params = snakemake.params
items = store.read_frames(snakemake.input, "items")
store.write_csv(snakemake.output.reliability, reliability.table(items, params.trainings, params.seed), made)
