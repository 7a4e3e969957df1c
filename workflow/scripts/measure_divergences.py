"""How far the distributions over targets of two languages lie apart (rule measure_divergences)."""

from herbarium import store
from herbarium.console import log
from herbarium.metrics import categorical_bias_divergences, tidy
from herbarium.probes import categorical_bias
from herbarium.step import begin

made = begin(snakemake)
params = snakemake.params
languages = params.languages
numbers = categorical_bias_divergences.measure(
    {
        (model, language): store.read_frame(path, "associations")
        for (language, model), path in zip(
            categorical_bias.measured(languages), snakemake.input.associations, strict=True
        )
    },
    {
        language: categorical_bias.read(languages[language]["lists"][name])
        for language, name in categorical_bias.leading(languages).items()
    },
    languages,
    bootstrap=params.bootstrap,
    seed=params.seed,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d divergences.", len(numbers))
