"""Find the likeliest completions of sentences about groups with a model (rule complete_honest)."""

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.honest import stimuli
from herbarium.models import devices, loading, tokenizer_files
from herbarium.scoring import answering
from herbarium.scoring.completing import complete
from herbarium.scoring.completions import COMPLETIONS

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record, params = store.read_record(snakemake.input.model), snakemake.params
folder, name = loading.folder_of(record), record["name"]
texts = stimuli.read(**params.sentences_from)["text"].unique().tolist()
table = complete(
    answering.place(loading.load_recorded(record, folder), device),
    tokenizer_files.load_compared(record, folder),
    device,
    texts,
    params.most,
    record["max_tokens"],
    record["lowercase"],
    f"{name} {snakemake.wildcards.name}",
)
made |= {"model": record, "device": devices.name(device)}
store.write_table(snakemake.output[0], COMPLETIONS, table, made)
log.info("%d sentences, %d refused.", len(table), table["completions"].isna().sum())
