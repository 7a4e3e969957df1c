"""Put the prompts of one shard into the frame, with every answer (rule instantiate_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import stimuli

made = begin(snakemake)
made |= {"quantities": stimuli.QUANTITIES, "slots": list(stimuli.ROLES), "roles": stimuli.ROLES}
params = snakemake.params
prompts = stimuli.read(**params.prompts_from)
sentences = stimuli.instantiate(prompts, **params.asked, shard=int(snakemake.wildcards.shard), n_shards=params.n_shards)
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d sentences of %d prompts.", len(sentences), sentences["row"].nunique())
