"""Measure whether countries of a continent are close in a model's representations (rule measure_herb_space)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.herb import space
from herbarium.regions import levels
from herbarium.statistics import tidy

made = begin(snakemake)
model = snakemake.wildcards.model
numbers = space.measure(
    model,
    levels.countries(store.read_frame(snakemake.input.regions, "regions")),
    store.read_frame(snakemake.input.embeddings, "embeddings", ["region", "representation"]),
    stream(snakemake.params.seed, "permutation", "herb_space", model),
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d numbers.", len(numbers))
