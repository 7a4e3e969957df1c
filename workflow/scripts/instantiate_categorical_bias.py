"""Put every target and attribute into the templates of a language's lists (rule instantiate_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli

made = begin(snakemake)
quantities = [quantity for pair in stimuli.QUANTITIES.values() for quantity in pair]
made |= {"quantities": quantities, "slots": stimuli.SLOTS, "roles": stimuli.ROLES}
n_rows = 0
with store.table_writer(snakemake.output[0], stimuli.STIMULI, made) as append:
    for name, folder in snakemake.params.lists.items():
        for sentences in stimuli.instantiate(name, stimuli.read(folder)):
            append(sentences)
            n_rows += len(sentences)
log.info("%d sentences and quantities of %s.", n_rows, ", ".join(snakemake.params.lists))
