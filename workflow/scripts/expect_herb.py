"""Compute what a perfect model of a planted text would score, and how much a model learned (rule expect_herb)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.herb import control, expected

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
regions = store.read_frame(given.regions, "regions")
wordings = {name: [tuple(frame) for frame in frames] for name, frames in params.wordings.items()}
rows = expected.expected(
    snakemake.wildcards.model,
    regions,
    params.topics,
    {name: store.read_where(given.likelihoods, "likelihoods", "wording", name) for name in wordings},
    wordings,
    params.strength,
    params.seed,
    control.regions(params.control, regions),
)
store.write_table(snakemake.output[0], expected.EXPECTED, rows, made)
