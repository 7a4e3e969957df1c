"""Bias scores of mixed models by dimension and model, and the table that the figure was drawn from (rule
figure_mixed_effects_scores)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import scores as mixed_effects_scores

made = begin(snakemake)
table = mixed_effects_scores.table(
    store.read_frame(snakemake.input.fits, "mixed_effects_adjusted"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
    snakemake.params.interval_level,
    snakemake.params.equivalence_ratio,
)
store.write_csv(snakemake.output.csv, table, made)
style.save(mixed_effects_scores.figure(table), snakemake.output.pictures, made)
