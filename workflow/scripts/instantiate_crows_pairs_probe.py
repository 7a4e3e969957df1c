"""Lay out the sentences of CrowS-Pairs, pair by pair (rule instantiate_crows_pairs_probe)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import crows_pairs
from herbarium.step import begin

made = begin(snakemake)
sentences = crows_pairs.instantiate(crows_pairs.read(snakemake.input[0]))
made |= {"quantities": crows_pairs.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], crows_pairs.PROBE, sentences, made)
log.info("%d pairs.", len(sentences) // 2)
