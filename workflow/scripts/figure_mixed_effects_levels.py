"""Random effects of templates and targets, and the table that the figure was drawn from (rule
figure_mixed_effects_levels)."""

from herbarium import store
from herbarium.figures import mixed_effects_levels, style
from herbarium.step import begin

made = begin(snakemake)
table = mixed_effects_levels.table(
    store.read_frames(snakemake.input.levels, "mixed_effects_levels"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(mixed_effects_levels.figure(table), snakemake.output.pictures, made)
