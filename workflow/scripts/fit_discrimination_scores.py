"""Fit the mixed model of the paper to the log-odds of decisions (rule fit_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import published, stimuli
from herbarium.statistics import lme4
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
params, wildcards = snakemake.params, snakemake.wildcards
observations = store.read_frame(snakemake.input[0], stimuli.OBSERVATIONS.name)
fitted = published.measure(wildcards.model, wildcards.name, observations, params.effects, params.level, lme4.fit)
store.write_table(snakemake.output[0], TIDY, fitted, made)
log.info("%d fixed effects.", len(fitted))
