"""Keep weights that exist only as pytorch_model.bin as safetensors (rule convert_weights)."""

from pathlib import Path

from herbarium import models, store
from herbarium.step import begin

begin(snakemake)
entry = snakemake.params.entry
source = entry["path"] or models.fetch(entry["hub"], snakemake.params.commit, with_bin=True)
with store.atomic_folder(Path(snakemake.output[0]).parent) as folder:
    models.keep_as_safetensors(Path(source), folder, entry["kind"], snakemake.wildcards.model)
