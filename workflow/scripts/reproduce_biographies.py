"""Compare the published tables on biographies with our numbers (rule reproduce_biographies)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.biographies import published
from herbarium.statistics.agreement import CELL, PUBLISHED

made = begin(snakemake)
given = snakemake.input
figures = resources.read_text_table(given.published, [*CELL, "learned", "tested", "source", "value", "doubt"])
texts = dict(zip(snakemake.params.tasks, map(store.read_record, given.counted), strict=True))
table = published.beside(figures, store.read_frames(given.numbers, "tidy"), texts)
store.write_table(snakemake.output[0], PUBLISHED, table, made)
