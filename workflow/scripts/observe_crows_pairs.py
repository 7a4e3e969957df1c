"""The score and the pseudo-perplexity of both sentences of every pair of CrowS-Pairs (rule observe_crows_pairs)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import crows_pairs
from herbarium.step import begin

made = begin(snakemake)
observations = crows_pairs.observe(
    store.read_frame(snakemake.input.probe, "crows_pairs_probe"), store.read_frame(snakemake.input.scores, "scores")
)
store.write_table(snakemake.output[0], crows_pairs.OBSERVATIONS, observations, made)
log.info("%d sentences, %d of them refused.", len(observations), observations["association"].isna().sum())
