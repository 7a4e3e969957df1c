"""Put the descriptors of one shard before every noun into every template (rule instantiate_likelihood_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.likelihood_bias import stimuli

made = begin(snakemake)
params = snakemake.params
lists = stimuli.read(params.entry["lists"], params.entry["axes"])
sentences = stimuli.instantiate(lists, int(snakemake.wildcards.shard), params.n_shards)
made |= {"quantities": stimuli.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d sentences.", len(sentences))
