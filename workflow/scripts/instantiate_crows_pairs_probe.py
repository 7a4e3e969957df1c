"""Lay out the sentences of CrowS-Pairs, pair by pair (rule instantiate_crows_pairs_probe)."""

from herbarium import store
from herbarium.console import log, start_log
from herbarium.probes import crows_pairs

start_log(snakemake.log[0])
sentences = crows_pairs.instantiate(crows_pairs.read(snakemake.input[0]))
provenance = {"code": snakemake.params.code, "quantities": crows_pairs.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], crows_pairs.PROBE, sentences, provenance)
log.info("%d pairs.", len(sentences) // 2)
