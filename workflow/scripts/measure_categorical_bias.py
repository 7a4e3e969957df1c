"""Measure the Categorical Bias of a model, and the items of its primary number (rule measure_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.numbers import measure
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
params = snakemake.params
numbers, items = measure(
    snakemake.wildcards.model,
    snakemake.wildcards.language,
    lists={design["list"]: stimuli.lists_from(design) for design in map(store.read_record, snakemake.input.designs)},
    associations=store.read_frame(snakemake.input.associations, "associations"),
    cut=store.read_frame(snakemake.input.tokens, "attribute_tokens"),
    ddof=params.ddof,
    level=params.level,
    tests=params.tests,
    seed=params.seed,
)
store.write_table(snakemake.output.numbers, TIDY, numbers, made)
store.write_table(snakemake.output.values, ITEMS, items, made)
log.info("%d numbers.", len(numbers))
