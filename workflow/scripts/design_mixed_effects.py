"""Write what all other steps need of the lists of a set of stimuli (rule design_mixed_effects)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli

made = begin(snakemake)
store.write_record(snakemake.output[0], stimuli.as_record(stimuli.read(snakemake.params.folder)), made)
