"""Measure the crossed distance of regions, with its items and influences, and compare it with that of other regions of
the map (rule measure_herb_crossed)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.herb import contiguous, crossed, design
from herbarium.metrics.herb.stimuli import CONDITIONAL
from herbarium.regions.positions import positions
from herbarium.statistics import tidy
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.items import ITEMS

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
study = (
    snakemake.wildcards.model,
    store.read_frame(given.regions, "regions"),
    design.topics(store.read_record(given.design)),
    {name: store.read_where(given.likelihoods, "likelihoods", "wording", name) for name in params.templates},
)
measured = crossed.measure(*study, params.level)
# the same partitions for every model
among_others = contiguous.measure(
    *study, positions(store.read_json(given.countries)), stream(params.seed, "herb", "partitions")
)
numbers = [measured.numbers, among_others]
# of causal models
of_descriptions = store.read_where(given.likelihoods, "likelihoods", "wording", CONDITIONAL)
if len(of_descriptions):
    numbers.append(crossed.conditional(*study[:3], of_descriptions, params.level))
store.write_table(output.numbers, tidy.TIDY, pd.concat(numbers, ignore_index=True), made)
store.write_table(output.by_word, ITEMS, measured.items, made)
store.write_table(output.influences, INFLUENCES, measured.influences, made)
for row in measured.numbers.itertuples():
    log.info("%s, %s: %.3g, %.3g to %.3g.", row.variant, row.group, row.estimate, row.ci_low, row.ci_high)
