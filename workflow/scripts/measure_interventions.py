"""Measure preferences between subjects, and how interventions change them (rule measure_interventions)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.interventions import numbers, stimuli
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
model, name = snakemake.wildcards.model, snakemake.wildcards.name
sentences, scores = store.read_frame(given.stimuli, stimuli.STIMULI.name), store.read_frame(given.scores, "scores")
observations = numbers.observe(sentences, scores)
measured = numbers.measure(model, name, observations, params.level, params.correction)
store.write_table(snakemake.output.observations, numbers.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
log.info("%d numbers of %d questions.", len(measured), len(observations))
