"""Merge the adapter of a model into its base, and save the result as safetensors (rule merge_adapter)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import adapters, devices, loading, saving

made, name = begin(snakemake), snakemake.wildcards.model
torch.set_num_threads(snakemake.threads)
params = snakemake.params
entry, file = params.entry, loading.source_file(params.entry)
base = Path(entry["path"] or loading.fetch(entry["hub"], params.commit, file))
adapter = Path(entry["adapter"]["path"] or loading.fetch(entry["adapter"]["hub"], params.adapter_commit))
made_for = adapters.named_base(adapter, entry, name)
folder = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(folder) as written:
    choices = file is not None, entry["unused_tensors"], entry["tokenizer"]
    change = adapters.merge(base, adapter, written, entry["kind"], name, *choices)
merged = {
    "base": adapters.identity(entry, params.commit, base, file),
    "adapter": adapters.identity(entry["adapter"], params.adapter_commit, adapter),
    "made_for": made_for,
    "change": change,
}
log.info("%s: merging moves a log-probability by at most %.2g.", name, change["max"])
saving.write_record(snakemake.output.record, name, folder, devices.name(devices.CPU), made, merged=merged)
