"""Lay out log P' of every target and sentence, and split attributes into tokens (rule assemble_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.models import loading, tokenizer_files

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards
sentences = store.read_frame(given.stimuli, "categorical_bias_stimuli")
associations = stimuli.associate(
    wildcards.model, wildcards.language, sentences, store.read_frame(given.scores, "scores")
)
record = store.read_record(given.model)
tokens = stimuli.cut(
    wildcards.model,
    wildcards.language,
    sentences,
    {name: stimuli.read(folder) for name, folder in snakemake.params.lists.items()},
    tokenizer_files.load(loading.folder_of(record, with_weights=False), record["name"]),
    record["lowercase"],
)
store.write_table(snakemake.output.associations, stimuli.ASSOCIATIONS, associations, made)
store.write_table(snakemake.output.tokens, stimuli.ATTRIBUTE_TOKENS, tokens, made)
log.info("%d values of log P', %d of them refused.", len(associations), associations["log_p"].isna().sum())
