"""List the words, or the sentences of a test, whose vectors are needed (rule instantiate_word_associations)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.word_associations import stimuli
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
test = snakemake.params.test
lists = stimuli.from_record(store.read_record(snakemake.input[0]))
words = stimuli.sentences(lists.tests[test]) if test else stimuli.words(lists)
store.write_table(snakemake.output[0], WORDS, words, made)
log.info("%d texts.", len(words))
