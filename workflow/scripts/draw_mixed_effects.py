"""Plot the figures of mixed effects, with the tables that they show (rule draw_mixed_effects)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.mixed_effects.figures import bins, effect_sizes, levels, scores

made = begin(snakemake)
style.order(snakemake.params.order)
given, output, params = snakemake.input, snakemake.output, snakemake.params
models = [store.read_record(path) for path in given.models]
fits = store.read_frame(given.fits, "adjusted_fits")
of_levels = store.read_frames(given.levels, "fit_levels")
of_bins = store.read_frames(given.bins, "mixed_effects_bins")
table = scores.table(fits, params.stimuli, models, params.level, params.equivalence_ratio)
style.keep(output.scores, table, printed(scores.panels(table), scores.EMPTY), made)
table = effect_sizes.table(fits, params.stimuli, models, params.level)
style.keep(output.effect_sizes, table, printed(effect_sizes.panels(table), effect_sizes.EMPTY), made)
table = levels.table(of_levels, params.stimuli, models)
style.keep(output.levels, table, printed(levels.panels(table), levels.EMPTY), made)
table = bins.table(of_bins, params.stimuli, models)
style.keep(output.bins, table, printed(bins.panels(table), bins.EMPTY), made)
