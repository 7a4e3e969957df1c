"""Bias score and R² by pseudo-perplexity, and the table that the figure was drawn from (rule
figure_mixed_effects_bins)."""

from herbarium import store
from herbarium.figures import mixed_effects_bins, style
from herbarium.step import begin

made = begin(snakemake)
table = mixed_effects_bins.table(
    store.read_frames(snakemake.input.bins, "mixed_effects_bins"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(mixed_effects_bins.figure(table), snakemake.output.pictures, made)
