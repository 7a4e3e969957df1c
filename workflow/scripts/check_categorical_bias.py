"""List what is odd about the word lists of Categorical Bias (rule check_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import list_remarks, stimuli

made = begin(snakemake)
designs = map(store.read_record, snakemake.input.designs)
lists = {(design["language"], design["list"]): stimuli.lists_from(design) for design in designs}
remarks = list_remarks.remarks(lists)
store.write_csv(snakemake.output[0], remarks, made)
log.info("%d lists, %d remarks.", len(lists), len(remarks))
