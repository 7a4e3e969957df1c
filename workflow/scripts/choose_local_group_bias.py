"""Choose the instances of every comparison of groups (rule choose_local_group_bias)."""

from herbarium.core import attributes, store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.local_group_bias import numbers as local

made = begin(snakemake)
given, params, task = snakemake.input, snakemake.params, snakemake.wildcards.task
examples = store.read_frame(given.examples, "task_examples")
examples = examples[examples["split"] == "test"]
labels = examples["label"].to_numpy()
prefixes = store.read_frame(given.prefixes, "task_prefixes")
comparisons = [local.pairs(prefixes, len(labels), *pair) for pair in params.pairs]
comparisons += [
    local.one_against_rest(prefixes, labels, continent, stream(params.seed, "local_group_bias", task, continent))
    for continent in params.continents
]
comparisons += [local.own_groups(examples["groups"], pair) for pair in attributes.pairs(params.groups)]
store.write_table(snakemake.output[0], local.INSTANCES, local.instance_table(comparisons), made)
log.info("%s: %d comparisons.", task, len(comparisons))
