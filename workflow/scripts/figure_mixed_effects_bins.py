"""Bias score and R² by pseudo-perplexity, and the table that the figure was drawn from (rule
figure_mixed_effects_bins)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import bins

made = begin(snakemake)
table = bins.table(
    store.read_frames(snakemake.input.bins, "mixed_effects_bins"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(bins.figure(table), snakemake.output.pictures, made)
