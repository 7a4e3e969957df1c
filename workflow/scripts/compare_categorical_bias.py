"""Differences of Categorical Bias between models, languages and lists, paired (rule compare_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias.differences import differences
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = differences(
    store.read_frames(given.numbers, "tidy"),
    store.read_frames(given.replicates, "replicates"),
    params.languages,
    level=params.level,
    method=params.correction,
)
store.write_table(snakemake.output[0], TIDY, numbers, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
