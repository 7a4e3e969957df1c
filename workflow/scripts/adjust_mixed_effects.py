"""The fits of all models in one table, p-values adjusted, and as tidy numbers (rule adjust_mixed_effects)."""

from herbarium import store
from herbarium.console import log
from herbarium.metrics import mixed_effects_overview, tidy
from herbarium.step import begin

made = begin(snakemake)
fits = store.read_frames(snakemake.input, "mixed_effects_fits")
adjusted = mixed_effects_overview.adjusted(fits, snakemake.params.correction)
store.write_table(snakemake.output.fits, mixed_effects_overview.ADJUSTED, adjusted, made)
store.write_table(snakemake.output.numbers, tidy.TIDY, mixed_effects_overview.overview(adjusted), made)
log.info("%d fits of %d models.", len(fits), fits["model"].nunique())
