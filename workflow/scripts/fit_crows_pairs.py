"""Fit the mixed model to CrowS-Pairs, one bias type at a time (rule fit_crows_pairs)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs.questions import ask
from herbarium.metrics.crows_pairs.score import METRIC
from herbarium.statistics import fits, lme4

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, params = snakemake.wildcards.model, snakemake.params
questions = tracked(ask(store.read_frame(snakemake.input[0], "crows_pairs_observations")), None, "models", METRIC)
table, _ = fits.answers(model, METRIC, questions, lme4.fit, fits.settings(params.settings, params.seed))
store.write_table(snakemake.output[0], fits.FITS, table, made)
log.info("%d models; %d did not converge.", len(table), (~table["converged"]).sum())
