"""The mixed models of all probes of a model, in one process as R starts slowly (rule measure_mixed_effects)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import score
from herbarium.metrics.mixed_effects import bins as mixed_effects_bins
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.questions import ask, ask_crows_pairs, questions
from herbarium.statistics import fits as mixed_effects_fits
from herbarium.statistics import lme4, tidy

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, given, params = snakemake.wildcards.model, snakemake.input, snakemake.params
chosen = mixed_effects_fits.settings(params.settings, params.seed)
found, bins, scores = [], [], []


def answers(probe, asked):
    log.info("Fitting %s.", probe)
    found.append(mixed_effects_fits.answers(model, probe, tracked(asked, None, "models", probe), lme4.fit, chosen))


for (name, folder), path in zip(params.probes.items(), given.observations, strict=True):
    lists, observations = stimuli.read(folder), store.read_frame(path, "observations")
    answers(name, ask(observations, lists, questions(lists)))
    bins.append(mixed_effects_bins.bins({"model": model, "probe": name}, lists, observations))
for path in given.crows_pairs:
    observations = store.read_frame(path, "crows_pairs_observations")
    answers("crows_pairs", ask_crows_pairs(observations))
    scores.append(score.score(model, observations, chosen.level))
for path, schema, parts in (
    (snakemake.output.fits, mixed_effects_fits.FITS, [fits for fits, _ in found]),
    (snakemake.output.levels, mixed_effects_fits.LEVELS, [levels for _, levels in found]),
    (snakemake.output.bins, mixed_effects_bins.BINS, bins),
    (snakemake.output.crows_pairs, tidy.TIDY, scores),
):
    empty = pd.DataFrame(columns=schema.fields.names)
    store.write_table(path, schema, pd.concat(parts) if parts else empty, made)
fits = pd.concat([fits for fits, _ in found])
log.info(
    "%d models; %d did not converge, %d are singular.", len(fits), (~fits["converged"]).sum(), fits["singular"].sum()
)
