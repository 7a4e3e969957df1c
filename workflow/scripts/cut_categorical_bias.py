"""Split the attributes of a language's lists into a model's sub-tokens (rule cut_categorical_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli
from herbarium.models import loading, tokenizer_files

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards
record = store.read_record(given.model)
tokens = stimuli.cut(
    wildcards.model,
    wildcards.language,
    store.read_frame(given.stimuli, "categorical_bias_stimuli"),
    {design["list"]: stimuli.lists_from(design) for design in map(store.read_record, given.designs)},
    tokenizer_files.load(loading.folder_of(record, with_weights=False), record["name"], choice=record["tokenizer"]),
    record["lowercase"],
)
store.write_table(snakemake.output[0], stimuli.ATTRIBUTE_TOKENS, tokens, made)
