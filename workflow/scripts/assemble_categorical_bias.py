"""log P' of every target in every sentence of a language (rule assemble_categorical_bias)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import categorical_bias
from herbarium.step import begin

made = begin(snakemake)
associations = categorical_bias.associate(
    store.read_frame(snakemake.input.probe, "categorical_bias_probe"),
    store.read_frame(snakemake.input.scores, "scores"),
)
store.write_table(snakemake.output[0], categorical_bias.ASSOCIATIONS, associations, made)
log.info("%d values of log P', %d of them refused.", len(associations), associations["log_p"].isna().sum())
