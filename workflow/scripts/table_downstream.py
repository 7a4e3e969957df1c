"""Compare Tables 4 and 5 of HERB, published and ours (rule table_downstream)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream import published
from herbarium.statistics.agreement import PUBLISHED, marked

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(snakemake.params.tasks, given.prefixes)
figures = resources.read_table(given.published, ["value"])
tables = {}
for number in published.TABLES:
    table = published.table(numbers, prefixes, figures, number)
    tables[number] = marked(table, published.reasons(table, number, snakemake.params.others))
    store.write_csv(output[f"table{number}"], table, made)
store.write_table(output.published, PUBLISHED, published.beside(figures, tables), made)
