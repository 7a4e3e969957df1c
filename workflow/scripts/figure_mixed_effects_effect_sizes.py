"""R² of mixed models by dimension and model, and the table that the figure was drawn from (rule
figure_mixed_effects_effect_sizes)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import effect_sizes

made = begin(snakemake)
table = effect_sizes.table(
    store.read_frame(snakemake.input.fits, "mixed_effects_adjusted"),
    snakemake.params.probes,
    [store.read_record(path) for path in snakemake.input.models],
    snakemake.params.interval_level,
)
store.write_csv(snakemake.output.csv, table, made)
style.save(effect_sizes.figure(table), snakemake.output.pictures, made)
