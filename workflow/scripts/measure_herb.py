"""HERB of every region, with intervals (rule measure_herb)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import herb_table, tidy
from herbarium.probes.herb import PAPER

start_log(snakemake.log[0])
model = snakemake.wildcards.model
numbers = herb_table.measure(
    model,
    regions=store.read_frame(snakemake.input.regions, "regions"),
    topics=snakemake.params.topics,
    likelihoods=store.read_where(snakemake.input.likelihoods, "likelihoods", "wording", PAPER),
    bootstrap=snakemake.params.bootstrap,
    seed=snakemake.params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, {"code": snakemake.params.code, "model": model})
log.info("%d numbers; %d regions could not be measured.", len(numbers), numbers["estimate"].isna().sum())
