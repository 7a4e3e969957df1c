"""Read the lists of word associations (rule design_word_associations)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.word_associations import stimuli

made = begin(snakemake)
lists = stimuli.read(snakemake.params.entry)
store.write_record(snakemake.output[0], stimuli.as_record(lists), made)
log.info("%d lists.", sum(map(len, lists)))
