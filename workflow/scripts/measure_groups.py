"""Measure how much the profiles of groups differ, for every model and metric (rule measure_groups)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.statistics import grouped
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
params = snakemake.params
tests, level = params.settings["tests"], params.settings["bootstrap"]["level"]
tables = [
    grouped.measure(model, data, store.read_frame(path, "grouped"), level, tests["alpha"], tests["equivalence_share"])
    for (model, data), path in zip(params.measured, snakemake.input, strict=True)
]
store.write_table(snakemake.output[0], TIDY, grouped.adjusted(pd.concat(tables), tests["correction"]), made)
log.info("%d models and metrics with groups.", len(tables))
