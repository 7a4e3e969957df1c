"""The score and the pseudo-perplexity of both sentences of every pair of CrowS-Pairs (rule observe_crows_pairs)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.probes import crows_pairs

start_log(snakemake.log[0])
observations = crows_pairs.observe(
    store.read_frame(snakemake.input.probe, "crows_pairs_probe"), store.read_frame(snakemake.input.scores, "scores")
)
provenance = {"code": snakemake.params.code, "model": snakemake.wildcards.model}
store.write_table(snakemake.output[0], crows_pairs.OBSERVATIONS, observations, provenance)
log.info("%d sentences, %d of them refused.", len(observations), observations["association"].isna().sum())
