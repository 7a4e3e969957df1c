"""Categorical Bias of a model in a language, with replicates for differences (rule measure_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import numbers as categorical_bias_table
from herbarium.metrics.categorical_bias import stimuli
from herbarium.statistics import tidy

made = begin(snakemake)
model, params = snakemake.wildcards.model, snakemake.params
numbers, replicates = categorical_bias_table.measure(
    model,
    snakemake.wildcards.language,
    lists={name: stimuli.read(folder) for name, folder in params.lists.items()},
    associations=store.read_frame(snakemake.input.associations, "associations"),
    ddof=params.ddof,
    bootstrap=params.bootstrap,
    tests=params.tests,
    seed=params.seed,
)
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
store.write_table(snakemake.output.replicates, categorical_bias_table.REPLICATES, replicates, made)
log.info("%d numbers.", len(numbers))
