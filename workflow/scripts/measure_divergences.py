"""How far the distributions over targets of two languages lie apart (rule measure_divergences)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import divergences as categorical_bias_divergences
from herbarium.metrics.categorical_bias import stimuli
from herbarium.statistics import tidy

made = begin(snakemake)
params = snakemake.params
languages = params.languages
numbers = categorical_bias_divergences.measure(
    {
        (model, language): store.read_frame(path, "associations")
        for (language, model), path in zip(stimuli.measured(languages), snakemake.input.associations, strict=True)
    },
    {
        language: stimuli.read(languages[language]["lists"][name])
        for language, name in stimuli.leading(languages).items()
    },
    languages,
    bootstrap=params.bootstrap,
    seed=params.seed,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d divergences.", len(numbers))
