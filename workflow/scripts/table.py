"""Lay out a table to read (rule table)."""

from herbarium.core import passages, store
from herbarium.core.console import log
from herbarium.core.step import begin

made = begin(snakemake)
table = passages.result(snakemake)
store.write_csv(snakemake.output.csv, table, made)
log.info("%d rows.", len(table))
