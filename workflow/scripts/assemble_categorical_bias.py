"""Lay out log P' of every target and sentence (rule assemble_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards
associations = stimuli.associate(
    wildcards.model,
    wildcards.language,
    store.read_frame(given.stimuli, "categorical_bias_stimuli"),
    store.read_frame(given.scores, "scores"),
)
store.write_table(snakemake.output[0], stimuli.ASSOCIATIONS, associations, made)
log.info("%d values of log P', %d of them refused.", len(associations), associations["log_p"].isna().sum())
