"""Categorical Bias by language and model, and the table that the figure was drawn from (rule
figure_categorical_bias_scores)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import categorical_bias_scores, style

start_log(snakemake.log[0])
table = categorical_bias_scores.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    snakemake.params.languages,
    [store.read_json(path) for path in snakemake.input.models],
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(categorical_bias_scores.figure(table), [snakemake.output.pdf, snakemake.output.png])
