"""List the probes of one shard, and their identities alone (rule instantiate_sofa)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sofa import lists, stimuli

made = begin(snakemake)
params = snakemake.params
table = lists.read(params.probes)
sentences = stimuli.instantiate(table, int(snakemake.wildcards.shard), params.n_shards)
made |= {"quantities": stimuli.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d sentences.", len(sentences))
