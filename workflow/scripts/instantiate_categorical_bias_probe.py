"""Put every target and attribute into the templates of a language's lists (rule instantiate_categorical_bias_probe)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import categorical_bias
from herbarium.step import begin

made = begin(snakemake)
quantities = [quantity for pair in categorical_bias.QUANTITIES.values() for quantity in pair]
made |= {"quantities": quantities, "slots": categorical_bias.SLOTS, "roles": categorical_bias.ROLES}
n_rows = 0
with store.table_writer(snakemake.output[0], categorical_bias.PROBE, made) as append:
    for name, folder in snakemake.params.lists.items():
        for sentences in categorical_bias.instantiate(name, categorical_bias.read(folder)):
            append(sentences)
            n_rows += len(sentences)
log.info("%d sentences and quantities of %s.", n_rows, ", ".join(snakemake.params.lists))
