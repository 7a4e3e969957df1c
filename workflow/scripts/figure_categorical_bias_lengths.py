"""Categorical Bias against the length of targets, and the table that the figure was drawn from (rule
figure_categorical_bias_lengths)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import lengths

made = begin(snakemake)
table = lengths.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    snakemake.params.languages,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(lengths.figure(table), snakemake.output.pictures, made)
