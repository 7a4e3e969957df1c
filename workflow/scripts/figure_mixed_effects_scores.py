"""Bias scores of mixed models by dimension and model, and the table that the figure was drawn from (rule
figure_mixed_effects_scores)."""

from herbarium import store
from herbarium.figures import mixed_effects_scores, style
from herbarium.step import begin

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
