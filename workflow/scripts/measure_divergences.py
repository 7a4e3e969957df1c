"""How far the distributions over targets of two languages lie apart (rule measure_divergences)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import categorical_bias_divergences, tidy
from herbarium.probes import categorical_bias

start_log(snakemake.log[0])
params = snakemake.params
measured = [(model, name) for name, language in params.languages.items() for model in language["models"]]
numbers = categorical_bias_divergences.measure(
    {
        key: store.read_frame(path, "associations")
        for key, path in zip(measured, snakemake.input.associations, strict=True)
    },
    {
        name: categorical_bias.read(next(iter(language["lists"].values())))
        for name, language in params.languages.items()
    },
    params.languages,
    bootstrap=params.bootstrap,
    seed=params.seed,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, {"code": params.code})
log.info("%d divergences.", len(numbers))
