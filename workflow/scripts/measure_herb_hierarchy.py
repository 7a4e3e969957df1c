"""Test whether sub-regions are closer to each other than by chance (rule measure_herb_hierarchy)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import design, hierarchy, likelihoods
from herbarium.metrics.herb.selection import select
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.statistics import tidy

made = begin(snakemake)
model, params, given = snakemake.wildcards.model, snakemake.params, snakemake.input
names = store.read_frames(given.names, "herb_stimuli")
numbers = hierarchy.measure(
    model,
    select(
        store.read_frame(given.regions, "regions"),
        design.topics(store.read_record(given.design)),
        store.read_where(given.likelihoods, "likelihoods", "wording", PAPER),
    ),
    likelihoods.name_tokens(names, store.read_frame(given.scores, "scores", ["sentence_id", "n_tokens"])),
    permutations=params.tests["permutations"],
    bootstrap=params.bootstrap,
    method=params.tests["correction"],
    seed=params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
for row in numbers[numbers["variant"] == "effect"].itertuples():
    log.info("%s: effect %.3f, p %.3g.", row.unit, row.estimate, row.p_adjusted)
