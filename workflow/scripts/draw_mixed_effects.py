"""Plot the figures of mixed effects, with the tables that they show (rule draw_mixed_effects)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import bins, effect_sizes, levels, scores

made = begin(snakemake)
style.order(snakemake.params.order)
given, output, params = snakemake.input, snakemake.output, snakemake.params
models = [store.read_record(path) for path in given.models]
fits = store.read_frame(given.fits, "adjusted_fits")
of_levels = store.read_frames(given.levels, "fit_levels")
of_bins = store.read_frames(given.bins, "mixed_effects_bins")
for files, module, table in (
    (output.scores, scores, scores.table(fits, params.stimuli, models, params.level, params.equivalence_ratio)),
    (output.effect_sizes, effect_sizes, effect_sizes.table(fits, params.stimuli, models, params.level)),
    (output.levels, levels, levels.table(of_levels, params.stimuli, models)),
    (output.bins, bins, bins.table(of_bins, params.stimuli, models)),
):
    style.keep(files, table, module.figure(table), made)
