"""The mixed models of all probes of a model, in one process as R starts slowly (rule measure_mixed_effects)."""

import pandas as pd

from herbarium import lme4, store
from herbarium.console import log, tracked
from herbarium.metrics import crows_pairs, mixed_effects_bins, mixed_effects_fits, tidy
from herbarium.metrics.mixed_effects_questions import ask, ask_crows_pairs, questions
from herbarium.probes import mixed_effects
from herbarium.step import begin

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
    lists, observations = mixed_effects.read(folder), store.read_frame(path, "observations")
    answers(name, ask(observations, lists, questions(lists)))
    bins.append(mixed_effects_bins.bins({"model": model, "probe": name}, lists, observations))
for path in given.crows_pairs:
    observations = store.read_frame(path, "crows_pairs_observations")
    answers("crows_pairs", ask_crows_pairs(observations))
    scores.append(crows_pairs.score(model, observations, chosen.level))
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
