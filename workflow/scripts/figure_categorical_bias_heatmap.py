"""Targets by attributes, and the table that they were drawn from (rule figure_categorical_bias_heatmap)."""

from herbarium import store
from herbarium.figures import categorical_bias, categorical_bias_heatmap, style
from herbarium.step import begin

made = begin(snakemake)
languages = snakemake.params.languages
table = categorical_bias_heatmap.table(
    categorical_bias.load(snakemake.input.associations, languages),
    languages,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(categorical_bias_heatmap.figure(table), snakemake.output.pictures, made)
