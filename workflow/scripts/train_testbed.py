"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving, starts, tokenizer_files
from herbarium.models.kinds import Kind
from herbarium.training import planted

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
params = snakemake.params
given = snakemake.input
name, kind = snakemake.wildcards.model, Kind(params.kind)
sentences = planted.equal_shares([store.read_table(path, "planted_text")["text"].to_pylist() for path in given.text])
tokenizer = start = None
if given.tokenizer:
    record = store.read_record(given.tokenizer)
    source = loading.folder_of(record, with_weights=False)
    tokenizer = tokenizer_files.load_compared(record, source)
    if kind is Kind.masked and tokenizer.mask_token_id is None:
        raise HerbariumError(
            f"models.{name}.tokenizer: the tokenizer of '{record['name']}' has no mask token, which a masked model "
            "needs. Set `kind: causal`, or leave the key out: the model gets a tokenizer of whole words."
        )
    start = starts.describe(tokenizer, source, {"kind": kind, "chat_template": None, "start": params.start}, name)
folder = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(folder) as written:
    start_id = start and start["id"]
    planted.train(
        written, sentences, **params.settings, seed=params.seed, kind=kind, tokenizer=tokenizer, start_id=start_id
    )
saving.write_record(snakemake.output.record, name, folder, devices.name(devices.CPU), made)
log.info("%d sentences.", len(sentences))
