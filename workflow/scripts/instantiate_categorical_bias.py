"""Put every target and attribute into the templates of a language's lists (rule instantiate_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli

made = begin(snakemake)
designs = list(map(store.read_record, snakemake.input.designs))
made |= {"quantities": stimuli.QUANTITIES, "slots": stimuli.SLOTS, "roles": stimuli.ROLES}
n_rows = 0
with store.table_writer(snakemake.output[0], stimuli.STIMULI, made) as append:
    for design in designs:
        for sentences in stimuli.instantiate(design["list"], stimuli.lists_from(design)):
            append(sentences)
            n_rows += len(sentences)
log.info("%d sentences and quantities of %s.", n_rows, ", ".join(design["list"] for design in designs))
