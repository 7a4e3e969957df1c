"""Record which model's scores a neutralised model averages (rule record_neutralised)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin, of_model
from herbarium.training import neutralised

made = begin(snakemake)
name, derived = snakemake.wildcards.model, snakemake.params.derived
record = neutralised.record(store.read_record(snakemake.input[0]), name, derived)
made["models"] |= of_model(record)
store.write_record(snakemake.output[0], record, made)
log.info("%s has the weights of %s.", name, derived["from"])
