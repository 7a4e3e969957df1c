"""Record what a model's weights are (rule resolve_model)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin, of_model
from herbarium.models import loading, records

made = begin(snakemake)
name, commit = snakemake.wildcards.model, snakemake.params.commit
entry = snakemake.params.entry
written = store.read_record(snakemake.input.written) if snakemake.input.written else {}
# a folder that the workflow made: as it was made, or not at all
folder = loading.folder_of(written) if written else Path(entry["path"] or loading.fetch(entry["hub"], commit))
record = records.describe(name, entry, folder, commit, written.get("merged"))
made["models"] |= of_model(record)
store.write_record(snakemake.output[0], record, made)
log.info("%s is %s with %s parameters.", name, record["architecture"], f"{record['n_parameters']:,}")
