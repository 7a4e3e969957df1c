"""Distributions over targets, and the table that they were drawn from (rule figure_categorical_bias_distributions)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import distributions, shared

made = begin(snakemake)
languages = snakemake.params.languages
table = distributions.table(
    shared.load(snakemake.input.associations, languages),
    store.read_frame(snakemake.input.summary, "tidy"),
    languages,
    [store.read_record(path) for path in snakemake.input.models],
    snakemake.params.shown,
)
store.write_csv(snakemake.output.csv, table, made)
style.save(distributions.figure(table), snakemake.output.pictures, made)
