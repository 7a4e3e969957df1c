"""Compare Tables 4.1, 4.2 and 4.4 of the thesis with our numbers (rule reproduce_local_group_bias)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.local_group_bias import published
from herbarium.statistics.agreement import CELL, PUBLISHED

made = begin(snakemake)
given = snakemake.input
table = published.beside(
    resources.read_text_table(given.published, [*CELL, "value", "doubt"]),
    store.read_frames(given.clusters, "local_group_bias_clusters"),
    store.read_frames(given.numbers, "tidy"),
    snakemake.params.others,
)
store.write_table(snakemake.output[0], PUBLISHED, table, made)
