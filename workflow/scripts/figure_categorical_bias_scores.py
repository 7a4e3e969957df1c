"""Categorical Bias by language and model, and the table that the figure was drawn from (rule
figure_categorical_bias_scores)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import scores

made = begin(snakemake)
table = scores.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    snakemake.params.languages,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(scores.figure(table), snakemake.output.pictures, made)
