"""Measure what HERB's numbers depend on: words, templates, names, departures (rule ablate_herb)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import ablations, design
from herbarium.statistics import tidy

made = begin(snakemake)
model, params = snakemake.wildcards.model, snakemake.params
likelihoods = {
    piece["wording"][0].as_py(): piece for piece in store.read_pieces([snakemake.input.likelihoods], "likelihoods")
}
numbers = ablations.ablate(
    model,
    regions=store.read_frame(snakemake.input.regions, "regions"),
    topics=design.topics(store.read_record(snakemake.input.design)),
    likelihoods=likelihoods,
    substituted=params.substituted,
    departures=params.departures,
    without_cities=params.without_cities,
    bootstrap=params.bootstrap,
    seed=params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d numbers of %d wordings.", len(numbers), len(likelihoods))
