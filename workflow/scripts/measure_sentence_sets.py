"""What a model's scores say of sentences of one's own (rule measure_sentence_sets)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import numbers, stimuli
from herbarium.statistics.items import ITEMS
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
(model, name), given, params = (snakemake.wildcards.model, snakemake.wildcards.name), snakemake.input, snakemake.params
observations = stimuli.observe(
    store.read_frame(given.stimuli, "sentence_sets_stimuli"),
    store.read_frame(given.scores, "scores"),
    params.entry["quantity"],
    params.entry["unit"],
    params.entry["crossed_with"],
)
measured = numbers.measure(model, name, observations, params.entry, params.seed)
resampled = numbers.resample(model, name, observations, params.entry, params.seed)
store.write_table(snakemake.output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
store.write_table(snakemake.output.of_items, ITEMS, numbers.of_items(model, name, observations, params.entry), made)
store.write_table(snakemake.output.replicates, REPLICATES, resampled, made)
log.info("%d numbers of %d sentences.", len(measured), len(observations))
