"""Categorical Bias by language and model, and the table that the figure was drawn from (rule
figure_categorical_bias_scores)."""

from herbarium import store
from herbarium.figures import categorical_bias_scores, style
from herbarium.step import begin

made = begin(snakemake)
table = categorical_bias_scores.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    snakemake.params.languages,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(categorical_bias_scores.figure(table), snakemake.output.pictures, made)
