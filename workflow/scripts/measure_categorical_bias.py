"""Categorical Bias of a model in a language, with replicates for differences (rule measure_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.numbers import measure
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
params = snakemake.params
numbers, replicates = measure(
    snakemake.wildcards.model,
    snakemake.wildcards.language,
    lists={name: stimuli.read(folder) for name, folder in params.lists.items()},
    associations=store.read_frame(snakemake.input.associations, "associations"),
    ddof=params.ddof,
    bootstrap=params.bootstrap,
    tests=params.tests,
    seed=params.seed,
)
store.write_table(snakemake.output.numbers, TIDY, numbers, made)
store.write_table(snakemake.output.replicates, REPLICATES, replicates, made)
log.info("%d numbers.", len(numbers))
