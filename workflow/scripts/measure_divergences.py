"""How far the distributions over targets of two languages lie apart (rule measure_divergences)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import categorical_bias_divergences, tidy
from herbarium.probes import categorical_bias

start_log(snakemake.log[0])
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
store.write_table(snakemake.output[0], tidy.TIDY, numbers, {"code": params.code})
log.info("%d divergences.", len(numbers))
