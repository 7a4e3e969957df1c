"""Measure the crossed distance of regions, with its items and influences (rule measure_herb_crossed)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import crossed
from herbarium.statistics import tidy
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.items import ITEMS

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
found = crossed.measure(
    snakemake.wildcards.model,
    store.read_frame(given.regions, "regions"),
    params.topics,
    {name: store.read_where(given.likelihoods, "likelihoods", "wording", name) for name in params.templates},
    params.level,
)
store.write_table(output.numbers, tidy.TIDY, found.numbers, made)
store.write_table(output.by_word, ITEMS, found.items, made)
store.write_table(output.influences, INFLUENCES, found.influences, made)
for row in found.numbers.itertuples():
    log.info("%s: %.3g, %.3g to %.3g.", row.group, row.estimate, row.ci_low, row.ci_high)
