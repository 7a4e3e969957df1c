"""Measure how the log-odds of a decision depend on the person (rule measure_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import numbers, stimuli
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
model, name = snakemake.wildcards.model, snakemake.wildcards.name
sentences, scores = store.read_frames(given.stimuli, stimuli.STIMULI.name), store.read_frame(given.scores, "scores")
observations = stimuli.observe(sentences, scores)
measured = numbers.measure(model, name, observations, params.effects, params.level, params.correction)
store.write_table(snakemake.output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
log.info("%d numbers of %d prompts.", len(measured), len(observations))
