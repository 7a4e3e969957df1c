"""Whether countries of a continent lie close together in a model's representations (rule measure_herb_space)."""

from herbarium import hierarchy, store
from herbarium.console import log
from herbarium.metrics import herb_space, tidy
from herbarium.statistics import stream
from herbarium.step import begin

made = begin(snakemake)
model = snakemake.wildcards.model
numbers = herb_space.measure(
    model,
    hierarchy.countries(store.read_frame(snakemake.input.regions, "regions")),
    store.read_frame(snakemake.input.embeddings, "embeddings", ["region", "representation"]),
    stream(snakemake.params.seed, "permutation", "herb_space", model),
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d numbers.", len(numbers))
