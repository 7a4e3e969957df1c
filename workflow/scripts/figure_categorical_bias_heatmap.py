"""Targets by attributes, and the table that they were drawn from (rule figure_categorical_bias_heatmap)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import heatmap, shared

made = begin(snakemake)
languages = snakemake.params.languages
table = heatmap.table(
    shared.load(snakemake.input.associations, languages),
    languages,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(heatmap.figure(table), snakemake.output.pictures, made)
