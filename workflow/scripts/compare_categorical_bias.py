"""Differences of Categorical Bias between models, languages and lists, paired (rule compare_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.differences import differences
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = differences(
    store.read_frames(given.associations, "associations"),
    store.read_frames(given.tokens, "attribute_tokens"),
    {
        f"{language}/{name}": stimuli.read(folder)
        for language, of in params.languages.items()
        for name, folder in of["lists"].items()
    },
    params.languages,
    ddof=params.ddof,
    level=params.level,
    method=params.correction,
)
store.write_table(snakemake.output[0], TIDY, numbers, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
