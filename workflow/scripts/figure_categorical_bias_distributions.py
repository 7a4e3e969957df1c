"""Distributions over targets, and the table that they were drawn from (rule figure_categorical_bias_distributions)."""

from herbarium import store
from herbarium.figures import categorical_bias, categorical_bias_distributions, style
from herbarium.step import begin

made = begin(snakemake)
languages = snakemake.params.languages
table = categorical_bias_distributions.table(
    categorical_bias.load(snakemake.input.associations, languages),
    store.read_frame(snakemake.input.summary, "tidy"),
    languages,
    [store.read_record(path) for path in snakemake.input.models],
    snakemake.params.shown,
)
store.write_csv(snakemake.output.csv, table, made)
style.save(categorical_bias_distributions.figure(table), snakemake.output.pictures, made)
