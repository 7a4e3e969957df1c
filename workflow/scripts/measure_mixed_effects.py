"""Fit the mixed models of all stimuli of a model, in one process as R starts slowly (rule measure_mixed_effects)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.bins import BINS, bins
from herbarium.metrics.mixed_effects.items import of_items
from herbarium.metrics.mixed_effects.lengths import noted
from herbarium.metrics.mixed_effects.questions import ask, questions
from herbarium.statistics import lme4
from herbarium.statistics.fits import FITS, LEVELS, answers, settings
from herbarium.statistics.items import ITEMS

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, params, output = snakemake.wildcards.model, snakemake.params, snakemake.output
given, chosen = snakemake.input, settings(params.settings, params.seed)
of_stimuli = []
for name, design, path in zip(params.names, given.designs, given.observations, strict=True):
    lists = stimuli.lists_from(store.read_record(design))
    observations = store.read_frame(path, "mixed_effects_observations")
    questions_asked = tracked(ask(observations, lists, questions(lists)), None, "models", name)
    fits, levels = answers(model, name, questions_asked, lme4.fit, chosen)
    of_stimuli.append(
        (
            noted(fits, observations),
            levels,
            *(function(model, name, lists, observations) for function in (bins, of_items)),
        )
    )
fits, levels, of_bins, items = map(pd.concat, zip(*of_stimuli, strict=True))
store.write_table(output.fits, FITS, fits, made)
store.write_table(output.levels, LEVELS, levels, made)
store.write_table(output.bins, BINS, of_bins, made)
store.write_table(output.of_items, ITEMS, items, made)
log.info(
    "%d models; %d did not converge, %d are singular.", len(fits), (~fits["converged"]).sum(), fits["singular"].sum()
)
