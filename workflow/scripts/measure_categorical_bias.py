"""Categorical Bias of a model in a language, with replicates for differences (rule measure_categorical_bias)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import categorical_bias_table, tidy
from herbarium.probes import categorical_bias

start_log(snakemake.log[0])
model, params = snakemake.wildcards.model, snakemake.params
numbers, replicates = categorical_bias_table.measure(
    model,
    snakemake.wildcards.language,
    lists={name: categorical_bias.read(folder) for name, folder in params.lists.items()},
    associations=store.read_frame(snakemake.input.associations, "associations"),
    ddof=params.ddof,
    bootstrap=params.bootstrap,
    tests=params.tests,
    seed=params.seed,
)
provenance = {"code": params.code, "model": model}
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, provenance)
store.write_table(snakemake.output.replicates, categorical_bias_table.REPLICATES, replicates, provenance)
log.info("%d numbers.", len(numbers))
