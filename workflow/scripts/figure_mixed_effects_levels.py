"""Random effects of templates and targets, and the table that the figure was drawn from (rule
figure_mixed_effects_levels)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import levels

made = begin(snakemake)
table = levels.table(
    store.read_frames(snakemake.input.levels, "mixed_effects_levels"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(levels.figure(table), snakemake.output.pictures, made)
