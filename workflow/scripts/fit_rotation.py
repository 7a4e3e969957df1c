"""Fit the rotation from one model's hidden states to another's (rule fit_rotation)."""

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import devices, loading, tokenizer_files
from herbarium.training import alignment, parallel

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
given = snakemake.input
words = store.read_frame(given.words, parallel.ALIGNMENTS.name)


def side(name, record, texts):
    """A model, its texts and their words."""
    model = store.read_record(record)
    folder, read = loading.folder_of(model), store.read_frame(texts, parallel.PARALLEL.name)["text"]
    return alignment.Side(
        loading.load_recorded(model, folder).to(device),
        tokenizer_files.load_compared(model, folder),
        model["max_tokens"],
        *parallel.with_words(read, words, name, model["lowercase"]),
    )


title = f"{snakemake.wildcards.model} to {snakemake.wildcards.to}"
matrix, facts = alignment.fit(side("from", given.base, given.base_texts), side("to", given.to, given.to_texts), title)
store.write_table(
    snakemake.output[0], alignment.ROTATION, alignment.as_table(matrix), made | {"device": devices.name(device)} | facts
)
log.info("%s: %d pairs of words.", title, facts["n_pairs"])
if facts["held_out_cosine"] is not None:
    before, after = facts["held_out_cosine_before"], facts["held_out_cosine"]
    log.info("%s: mean cosine of the pairs that were held out %.3f, before %.3f.", title, after, before)
