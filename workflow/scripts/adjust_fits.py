"""Put the fits of all models into one table, with adjusted p-values, and as tidy numbers (rule adjust_fits)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.statistics import fits_overview, tidy

made = begin(snakemake)
fits = store.read_frames(snakemake.input, "fits")
adjusted = fits_overview.adjusted(fits, snakemake.params.correction)
store.write_table(snakemake.output.fits, fits_overview.ADJUSTED, adjusted, made)
store.write_table(snakemake.output.numbers, tidy.TIDY, fits_overview.overview(adjusted), made)
log.info("%d fits of %d models.", len(fits), fits["model"].nunique())
