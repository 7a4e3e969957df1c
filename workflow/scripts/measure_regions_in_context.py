"""Measure regions in the vectors of words in context (rule measure_regions_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.regions_in_context import numbers, stimuli
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
source, name = snakemake.wildcards.source, snakemake.wildcards.name
design, vectors = store.read_frame(given.design, stimuli.DESIGN.name), tables.read(given.vectors)
crossed, settings = numbers.crossed(design, vectors), numbers.Settings(**params.settings)
measured = numbers.measure(source, name, crossed, vectors.layers, settings)
store.write_table(snakemake.output[0], TIDY, measured, made)
log.info("%d numbers of %d layers.", len(measured), len(vectors.layers))
