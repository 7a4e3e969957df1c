"""Convert weights in another format to safetensors (rule convert_weights)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.models import converting, devices, loading, saving

made, name = begin(snakemake), snakemake.wildcards.model
entry = snakemake.params.entry
file = loading.source_file(entry)
source = entry["path"] or loading.fetch(entry["hub"], snakemake.params.commit, file)
folder = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(folder) as written:
    choices = entry["unused_tensors"], entry["tokenizer"]
    origin = converting.keep_as_safetensors(Path(source), file, written, entry["kind"], name, *choices)
saving.write_record(snakemake.output.record, name, folder, devices.name(devices.CPU), made, **origin)
