"""Convert weights that exist only as pytorch_model.bin to safetensors (rule convert_weights)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving

made, name = begin(snakemake), snakemake.wildcards.model
entry = snakemake.params.entry
source = entry["path"] or loading.fetch(entry["hub"], snakemake.params.commit, with_bin=True)
folder = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(folder) as written:
    loading.keep_as_safetensors(Path(source), written, entry["kind"], name)
saving.write_record(snakemake.output.record, name, folder, devices.name(devices.CPU), made)
