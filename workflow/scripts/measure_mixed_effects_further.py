"""Fit models not in the paper: other random effects, fewer templates (rule measure_mixed_effects_further)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.questions import ask, further_questions
from herbarium.statistics import lme4
from herbarium.statistics.fits import FITS, answers, settings

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, params = snakemake.wildcards.model, snakemake.params
given, chosen = snakemake.input, settings(params.settings, params.seed)
of_stimuli = []
for name, design, path in zip(params.names, given.designs, given.observations, strict=True):
    lists = stimuli.lists_from(store.read_record(design))
    observations = store.read_frame(path, "mixed_effects_observations")
    questions_asked = tracked(ask(observations, lists, further_questions(lists, params.asked)), None, "models", name)
    of_stimuli.append(answers(model, name, questions_asked, lme4.fit, chosen)[0])
fits = pd.concat(of_stimuli)
store.write_table(snakemake.output[0], FITS, fits, made)
log.info(
    "%d models; %d did not converge, %d are singular.", len(fits), (~fits["converged"]).sum(), fits["singular"].sum()
)
