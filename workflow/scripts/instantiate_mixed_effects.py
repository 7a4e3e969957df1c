"""Put gendered words and the targets of one shard into the templates (rule instantiate_mixed_effects)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli

made = begin(snakemake)
entry = snakemake.params.sentences
made |= {"quantities": stimuli.QUANTITIES, "slots": stimuli.SLOTS}
made["roles"] = {slot: slot for slot in stimuli.SLOTS}
n_rows = 0
with store.table_writer(snakemake.output[0], stimuli.STIMULI, made) as append:
    for sentences in stimuli.instantiate(
        stimuli.lists_from(store.read_record(snakemake.input.design)),
        entry["determiners"],
        entry["lowercase"],
        int(snakemake.wildcards.shard),
        snakemake.params.n_shards,
    ):
        append(sentences)
        n_rows += len(sentences)
log.info("%d candidate sentences.", n_rows)
