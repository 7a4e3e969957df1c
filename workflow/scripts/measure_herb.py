"""Measure HERB of every region, with all intervals and the replicates for differences (rule measure_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import control, design
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.statistics import tidy
from herbarium.statistics.replicates import REPLICATES

made = begin(snakemake)
model, params, output = snakemake.wildcards.model, snakemake.params, snakemake.output
designed = store.read_record(snakemake.input.design)
topics = design.topics(designed)
regions = store.read_frame(snakemake.input.regions, "regions")
resampled = herb_numbers.resample(
    model,
    regions=regions,
    topics=topics,
    likelihoods=store.read_where(snakemake.input.likelihoods, "likelihoods", "wording", PAPER),
    bootstrap=params.bootstrap,
    seed=params.seed,
    threads=snakemake.threads,
)
of_control = herb_numbers.of_control(
    model,
    control.regions(designed["made_up_names"], regions),
    topics,
    store.read_table(snakemake.input.control, "likelihoods"),
    params.bootstrap,
    params.seed,
)
numbers = pd.concat([herb_numbers.numbers(resampled, params.bootstrap["level"]), of_control], ignore_index=True)
intervals = herb_numbers.intervals(resampled, params.bootstrap["level"])
store.write_table(output.numbers, tidy.TIDY, numbers, made)
store.write_table(output.intervals, tidy.TIDY, intervals, made)
store.write_table(output.replicates, REPLICATES, herb_numbers.replicates(resampled), made)
log.info("%d numbers; %d regions could not be measured.", len(numbers), numbers["estimate"].isna().sum())
