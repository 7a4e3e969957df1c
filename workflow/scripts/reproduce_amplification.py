"""Compare the published amplification with that of tables of rates and of potentials (rule reproduce_amplification)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.amplification import outputs, published
from herbarium.statistics.agreement import CELL, PUBLISHED

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
figures, *tables = given.published
figures = resources.read_text_table(figures, [*CELL, "value", "doubt"])
rates = {name: published.read_rates(path) for name, path in zip(params.names, tables, strict=True)}
table = published.beside(figures, rates, params.others, outputs.read(given.structured))
store.write_table(snakemake.output[0], PUBLISHED, table, made)
