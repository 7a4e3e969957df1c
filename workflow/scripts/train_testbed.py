"""Train a model with a planted bias (rule train_testbed)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving
from herbarium.training import planted

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
params = snakemake.params
given = snakemake.input
sentences = planted.equal_shares([store.read_table(path, "planted_text")["text"].to_pylist() for path in given.text])
tokenizer = None
if given.tokenizer:
    record = store.read_record(given.tokenizer)
    tokenizer = loading.load_tokenizer(loading.folder_of(record, with_weights=False), record["name"])
    if tokenizer.mask_token_id is None:
        raise HerbariumError(
            f"models.{snakemake.wildcards.model}.tokenizer: the tokenizer of '{record['name']}' has no mask token, "
            "which a planted model needs. Leave the key out: the model gets a tokenizer of whole words."
        )
folder = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(folder) as written:
    planted.train(written, sentences, **params.settings, seed=params.seed, tokenizer=tokenizer)
saving.write_record(snakemake.output.record, snakemake.wildcards.model, folder, devices.name(devices.CPU), made)
log.info("%d sentences.", len(sentences))
