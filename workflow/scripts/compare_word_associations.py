"""Compare word associations before and after a change of vectors (rule compare_word_associations)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.word_associations import stimuli
from herbarium.metrics.word_associations.changes import changes
from herbarium.statistics.changes import CHANGES
from herbarium.vectors import tables

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
words = store.read_frame(given.words, tables.WORDS.name)["text"].tolist()
vectors = dict(zip(params.sources, map(tables.read, given.vectors), strict=True))
numbers = store.read_frames(given.numbers, "tidy")
lists = stimuli.from_record(store.read_record(given.design))
change_rows = changes(params.compared, words, vectors, lists, numbers)
store.write_table(snakemake.output[0], CHANGES, change_rows, made)
log.info("%d changes.", len(change_rows))
