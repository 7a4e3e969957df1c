"""Differences of Categorical Bias between models, languages and lists, paired (rule compare_categorical_bias)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import differences as categorical_bias_differences
from herbarium.metrics.categorical_bias.stimuli import measured
from herbarium.statistics import tidy

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
replicates = [
    store.read_frame(path, "categorical_bias_replicates").assign(model=model)
    for (_, model), path in zip(measured(params.languages), given.replicates, strict=True)
]
numbers = categorical_bias_differences.differences(
    store.read_frames(given.numbers, "tidy"),
    pd.concat(replicates, ignore_index=True),
    params.languages,
    level=params.level,
    method=params.correction,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
