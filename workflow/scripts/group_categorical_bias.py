"""log P' of a model, for the mixed model that compares languages (rule group_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias.groups import grouped
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
table = grouped(store.read_frames(snakemake.input, "associations"), snakemake.params.languages)
store.write_table(snakemake.output[0], GROUPED, table, made)
log.info("%d sentences.", len(table))
