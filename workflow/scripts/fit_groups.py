"""The mixed model of groups on the scores of a metric (rule fit_groups)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.statistics import fits, grouped, lme4

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
(model, data), params = (snakemake.wildcards.model, snakemake.wildcards.data), snakemake.params
asked = tracked(grouped.ask(store.read_frame(snakemake.input[0], "grouped")), None, "models", f"{data} {model}")
found, _ = fits.answers(model, data, asked, lme4.fit, fits.settings(params.settings, params.seed))
store.write_table(snakemake.output[0], fits.FITS, found, made)
log.info("%d models of %s.", len(found), data)
