"""Record what a model's weights are (rule resolve_model)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin, of_model
from herbarium.models import loading, records, servers

made = begin(snakemake)
name, commit = snakemake.wildcards.model, snakemake.params.commit
entry = snakemake.params.entry
written = store.read_record(snakemake.input.written) if snakemake.input.written else {}
if written:  # a folder that the workflow made: as it was made, or not at all
    folder = loading.folder_of(written)
else:
    folder = Path(entry["path"] or loading.fetch(entry["hub"], commit, with_weights=loading.has_weights(entry)))
served = servers.connect(entry["served"], name).identity() if entry["served"] else None
weighted, gguf = snakemake.params.weighted, written.get("gguf")
record = records.describe(name, entry, folder, commit, written.get("merged"), served, weighted, gguf)
made["models"] |= of_model(record)
store.write_record(snakemake.output[0], record, made)
n_parameters = record["n_parameters"]
how_many = "an unknown number of" if n_parameters is None else f"{n_parameters:,}"
log.info("%s is %s with %s parameters.", name, record["architecture"], how_many)
for note in record["tokenizer_notes"]:
    log.warning("%s: %s.", name, note)
