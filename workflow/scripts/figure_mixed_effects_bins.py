"""Bias score and R² by pseudo-perplexity, and the table that the figure was drawn from (rule
figure_mixed_effects_bins)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import mixed_effects_bins, style

start_log(snakemake.log[0])
table = mixed_effects_bins.table(
    store.read_frames(snakemake.input.bins, "mixed_effects_bins"),
    snakemake.params.probes,
    [store.read_json(path) for path in snakemake.input.models],
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(mixed_effects_bins.figure(table), [snakemake.output.pdf, snakemake.output.png])
