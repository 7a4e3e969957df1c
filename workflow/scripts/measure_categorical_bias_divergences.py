"""Measure how far apart distributions over targets are: of two languages, and before and after a change of a model
(rule measure_categorical_bias_divergences)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.divergences import measure
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
params = snakemake.params
numbers = measure(
    store.read_frames(snakemake.input.associations, "associations"),
    {design["language"]: stimuli.lists_from(design) for design in map(store.read_record, snakemake.input.designs)},
    params.languages,
    params.changed,
    level=params.level,
)
store.write_table(snakemake.output[0], TIDY, numbers, made)
log.info("%d divergences.", len(numbers))
