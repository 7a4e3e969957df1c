"""Targets by attributes, and the table that they were drawn from (rule figure_categorical_bias_heatmap)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import categorical_bias, categorical_bias_heatmap, style

start_log(snakemake.log[0])
languages = snakemake.params.languages
table = categorical_bias_heatmap.table(
    categorical_bias.load(snakemake.input.associations, languages),
    languages,
    [store.read_json(path) for path in snakemake.input.models],
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(categorical_bias_heatmap.figure(table), [snakemake.output.pdf, snakemake.output.png])
