"""The fits of all models in one table, p-values adjusted, and as tidy numbers (rule adjust_mixed_effects)."""

import pandas as pd

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import mixed_effects_overview, tidy

start_log(snakemake.log[0])
fits = pd.concat([store.read_frame(path, "mixed_effects_fits") for path in snakemake.input], ignore_index=True)
adjusted = mixed_effects_overview.adjusted(fits, snakemake.params.correction)
provenance = {"code": snakemake.params.code}
store.write_table(snakemake.output.fits, mixed_effects_overview.ADJUSTED, adjusted, provenance)
store.write_table(snakemake.output.numbers, tidy.TIDY, mixed_effects_overview.overview(adjusted), provenance)
log.info("%d fits of %d models.", len(fits), fits["model"].nunique())
