"""Do regions of one region lie closer than chance has it? (rule measure_herb_hierarchy)"""

from herbarium import store
from herbarium.console import log
from herbarium.metrics import herb_hierarchy, tidy
from herbarium.metrics.herb_selection import select
from herbarium.probes.herb import PAPER
from herbarium.step import begin

made = begin(snakemake)
model, params = snakemake.wildcards.model, snakemake.params
numbers = herb_hierarchy.measure(
    model,
    select(
        store.read_frame(snakemake.input.regions, "regions"),
        params.topics,
        store.read_where(snakemake.input.likelihoods, "likelihoods", "wording", PAPER),
    ),
    permutations=params.tests["permutations"],
    bootstrap=params.bootstrap,
    method=params.tests["correction"],
    seed=params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
for row in numbers[numbers["variant"] == "effect"].itertuples():
    log.info("%s: effect %.3f, p %.3g.", row.unit, row.estimate, row.p_adjusted)
