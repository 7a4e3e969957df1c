"""Put gendered words and the targets of one shard into the templates (rule instantiate_mixed_effects_probe)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import mixed_effects
from herbarium.step import begin

made = begin(snakemake)
probe = snakemake.params.probe
made |= {"quantities": mixed_effects.QUANTITIES, "slots": mixed_effects.SLOTS}
made["roles"] = {slot: slot for slot in mixed_effects.SLOTS}
n_rows = 0
with store.table_writer(snakemake.output[0], mixed_effects.PROBE, made) as append:
    for sentences in mixed_effects.instantiate(
        mixed_effects.read(probe["lists"]),
        probe["determiners"],
        probe["lowercase"],
        int(snakemake.wildcards.shard),
        snakemake.params.n_shards,
    ):
        append(sentences)
        n_rows += len(sentences)
log.info("%d candidate sentences.", n_rows)
