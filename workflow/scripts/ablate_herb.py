"""What HERB's numbers hang on: topics, hierarchy, departures of the released code (rule ablate_herb)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.metrics import herb_ablations, tidy
from herbarium.probes.herb import PAPER

start_log(snakemake.log[0])
model = snakemake.wildcards.model
numbers = herb_ablations.ablate(
    model,
    regions=store.read_frame(snakemake.input.regions, "regions"),
    topics=snakemake.params.topics,
    likelihoods=store.read_where(snakemake.input.likelihoods, "likelihoods", "wording", PAPER),
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, {"code": snakemake.params.code, "model": model})
log.info("%d numbers.", len(numbers))
