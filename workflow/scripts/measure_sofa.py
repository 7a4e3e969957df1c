"""Measure how the perplexity of stereotypes varies between the identities of a category (rule measure_sofa)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sofa import numbers, stimuli
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
model, name = snakemake.wildcards.model, snakemake.wildcards.name
sentences, scores = store.read_frames(given.stimuli, stimuli.STIMULI.name), store.read_frame(given.scores, "scores")
observations = stimuli.observe(sentences, scores)
measured = numbers.measure(model, name, observations, params.level, params.correction)
store.write_table(output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(output.numbers, TIDY, measured, made)
store.write_table(output.of_items, ITEMS, numbers.of_items(model, name, observations), made)
log.info("%d numbers of %d probes.", len(measured), len(observations))
