"""Measure how the perplexity of sentences varies between the descriptors of an axis (rule measure_likelihood_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.likelihood_bias import numbers, stimuli
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
model, name = snakemake.wildcards.model, snakemake.wildcards.name
sentences, scores = store.read_frames(given.stimuli, stimuli.STIMULI.name), store.read_frame(given.scores, "scores")
observations = stimuli.observe(sentences, scores)
measured = numbers.measure(model, name, observations, params.level, params.correction)
store.write_table(snakemake.output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
log.info("%d numbers of %d sentences.", len(measured), len(observations))
