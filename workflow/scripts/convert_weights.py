"""Keep weights that exist only as pytorch_model.bin as safetensors (rule convert_weights)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.models import loading

begin(snakemake)
entry = snakemake.params.entry
source = entry["path"] or loading.fetch(entry["hub"], snakemake.params.commit, with_bin=True)
with store.atomic_folder(Path(snakemake.output[0]).parent) as folder:
    loading.keep_as_safetensors(Path(source), folder, entry["kind"], snakemake.wildcards.model)
