"""Lay out sentences of one's own, set by set (rule instantiate_sentence_sets)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import stimuli

made = begin(snakemake)
sides, quantity = snakemake.params.sides, snakemake.params.quantity
sentences = stimuli.instantiate(stimuli.read(snakemake.input[0]), sides, quantity)
roles = stimuli.slots(sentences)
made |= {"quantities": stimuli.SCORES[quantity], "slots": list(roles), "roles": roles}
store.write_table(snakemake.output[0], stimuli.stimuli_of(sentences), sentences, made)
log.info("%d sets of %d sentences.", len(sentences) // len(sides), len(sides))
