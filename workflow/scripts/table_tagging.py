"""Compare Table 6 of Ahn and Oh (2021), published and ours (rule table_tagging)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.tagging import published
from herbarium.statistics.agreement import PUBLISHED, marked

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
figures = resources.read_table(given.published, ["value"])
table = published.table(store.read_frames(given.numbers, "tidy"), figures, params.states, params.training)
table = marked(table, [published.OTHER_SENTENCES] * len(table))
store.write_csv(output.table6, table, made)
store.write_table(output.published, PUBLISHED, published.beside(figures, table), made)
