"""Write what all other steps need of a list: its templates, targets and attributes (rule design_categorical_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import stimuli

made = begin(snakemake)
language, name = snakemake.wildcards.language, snakemake.wildcards.name
design = stimuli.as_record(language, name, stimuli.read(snakemake.params.folder))
store.write_record(snakemake.output[0], design, made)
