"""Measure the association of attributes with a dialect, and of their ratings with that (rule measure_matched_guise)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.matched_guise import numbers, stimuli
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
model, name = snakemake.wildcards.model, snakemake.wildcards.name
sentences, scores = store.read_frame(given.stimuli, stimuli.STIMULI.name), store.read_frame(given.scores, "scores")
observations = stimuli.observe(sentences, scores)
measured = numbers.measure(model, name, observations, params.level, params.correction, params.seed)
store.write_table(snakemake.output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
log.info("%d numbers of %d pairs.", len(measured), observations["pair"].nunique())
