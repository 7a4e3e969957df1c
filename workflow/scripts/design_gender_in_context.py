"""Read the stereotypes of occupations (rule design_gender_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import counts

made = begin(snakemake)
occupations = counts.read_occupations(snakemake.input.lists)
store.write_record(snakemake.output[0], {"stereotypes": occupations}, made)
log.info("%d occupations.", len(occupations))
