"""Differences of HERB between models and between continents, paired (rule compare_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import differences as herb_differences
from herbarium.statistics import tidy

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
tests = {"level": params.level, "method": params.correction}
of_crossed = herb_differences.of_crossed(
    store.read_frames(given.crossed, "tidy"), store.read_frames(given.influences, "herb_influences"), **tests
)
as_published = herb_differences.differences(
    store.read_frames(given.numbers, "tidy"),
    store.read_frames(given.replicates, "replicates"),
    store.read_frame(given.regions, "regions"),
    **tests,
)
numbers = pd.concat([of_crossed, as_published], ignore_index=True)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
