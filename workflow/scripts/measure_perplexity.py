"""Measure how well a model predicts held-out texts (rule measure_perplexity)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.perplexity import score
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
model, corpus = snakemake.wildcards.model, snakemake.wildcards.corpus
numbers = score.measure(model, corpus, store.read_frame(snakemake.input[0], "scores"), snakemake.params.level)
store.write_table(snakemake.output[0], TIDY, numbers, made)
log.info("%s, %s: %.4g.", model, corpus, numbers["estimate"].iloc[0])
