"""Fits that the paper does not have: other random effects, fewer templates (rule measure_mixed_effects_further)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.questions import ask, further_questions
from herbarium.statistics import fits as mixed_effects_fits
from herbarium.statistics import lme4

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, params = snakemake.wildcards.model, snakemake.params
chosen = mixed_effects_fits.settings(params.settings, params.seed)
found = []
for (name, folder), path in zip(params.probes.items(), snakemake.input.observations, strict=True):
    lists, observations = stimuli.read(folder), store.read_frame(path, "observations")
    asked = ask(observations, lists, further_questions(lists, params.asked))
    found.append(mixed_effects_fits.answers(model, name, tracked(asked, None, "models", name), lme4.fit, chosen)[0])
fits = pd.concat(found)
store.write_table(snakemake.output[0], mixed_effects_fits.FITS, fits, made)
log.info(
    "%d models; %d did not converge, %d are singular.", len(fits), (~fits["converged"]).sum(), fits["singular"].sum()
)
