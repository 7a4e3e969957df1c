"""Differences of HERB between models and between continents, paired (rule compare_herb)."""

from herbarium import store
from herbarium.console import log
from herbarium.metrics import herb_differences, tidy
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = herb_differences.differences(
    store.read_frames(given.numbers, "tidy"),
    {
        model: store.read_frame(path, "herb_replicates")
        for model, path in zip(params.models, given.replicates, strict=True)
    },
    store.read_frame(given.regions, "regions"),
    level=params.level,
    method=params.correction,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
