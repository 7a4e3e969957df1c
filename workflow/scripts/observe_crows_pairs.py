"""The score and the pseudo-perplexity of both sentences of every pair of CrowS-Pairs (rule observe_crows_pairs)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import stimuli

made = begin(snakemake)
observations = stimuli.observe(
    store.read_frame(snakemake.input.probe, "crows_pairs_probe"), store.read_frame(snakemake.input.scores, "scores")
)
store.write_table(snakemake.output[0], stimuli.OBSERVATIONS, observations, made)
log.info("%d sentences, %d of them refused.", len(observations), observations["association"].isna().sum())
