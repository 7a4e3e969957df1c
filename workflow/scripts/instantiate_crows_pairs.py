"""Lay out the sentences of CrowS-Pairs, pair by pair (rule instantiate_crows_pairs)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import stimuli

made = begin(snakemake)
given = snakemake.input
(table,), remarks = given.lists, [stimuli.read_remarks(path) for path in given.remarks]
sentences = stimuli.instantiate(stimuli.read(table), *remarks)
made |= {"quantities": stimuli.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d pairs.", len(sentences) // 2)
