"""Contrast a model's scores of sentence sets (rule measure_sentence_sets)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import beside, each, numbers, stimuli
from herbarium.statistics.items import ITEMS
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import TIDY, with_note

made = begin(snakemake)
(model, name), given, params = (snakemake.wildcards.model, snakemake.wildcards.name), snakemake.input, snakemake.params
observations = stimuli.observe(
    store.read_frame(given.stimuli, "sentence_sets_stimuli"),
    store.read_frame(given.scores, "scores"),
    params.entry["quantity"],
    {key: params.entry[key] for key in ("unit", "crossed_with", "each")},
)
measured = numbers.measure(model, name, observations, params.entry, params.seed)
if params.entry["each"]:
    of_each = each.measure(model, name, observations, params.entry, params.seed)
    measured = pd.concat([measured, of_each], ignore_index=True)
    for path in given.beside:
        known = beside.read(path, params.entry["each"])
        correlated = each.correlate(model, name, of_each, known, params.entry, params.seed)
        measured = pd.concat([measured, correlated], ignore_index=True)
measured = with_note(measured, store.read_header(given.stimuli, "sentence_sets_stimuli").get("sample"))
resampled = numbers.resample(model, name, observations, params.entry, params.seed)
store.write_table(snakemake.output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
store.write_table(snakemake.output.of_items, ITEMS, numbers.of_items(model, name, observations, params.entry), made)
store.write_table(snakemake.output.replicates, REPLICATES, resampled, made)
log.info("%d numbers of %d sentences.", len(measured), len(observations))
