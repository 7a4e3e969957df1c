"""Put both guises of every pair into the prompts, with every attribute (rule instantiate_matched_guise)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.matched_guise import stimuli

made = begin(snakemake)
made |= {"quantities": stimuli.QUANTITIES, "slots": list(stimuli.ROLES), "roles": stimuli.ROLES}
params = snakemake.params
sentences = stimuli.instantiate(stimuli.read(**params.lists), params.pairs_per_unit)
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d sentences of %d pairs.", len(sentences), sentences["pair"].nunique())
