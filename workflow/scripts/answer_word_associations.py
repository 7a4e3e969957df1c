"""Answer analogies among all words of a source of vectors (rule answer_word_associations)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.word_associations import analogies, stimuli
from herbarium.metrics.word_associations.space import Space
from herbarium.vectors import debiased, lookup, tables
from herbarium.vectors.tables import ONLY

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
words, vectors = store.read_frame(given.words, tables.WORDS.name)["text"].tolist(), tables.read(given.vectors)
lists = stimuli.from_record(store.read_record(given.design))
wanted_words = {name: questions for name, (questions, _) in lists.analogies.items()}
if given.pairs:
    listed = store.read_frame(given.pairs, tables.WORDS.name)["text"].tolist()
    of_pairs = debiased.halves(listed, tables.read(given.gendered).of(ONLY))


def vocabulary(size):
    """All words of the source and their vectors, some at a time."""
    for block_words, values in analogies.of_length_1(lookup.blocks(params.source, given.trained or None, size)):
        if given.pairs:
            values = debiased.vectors(block_words, values, *of_pairs, params.direction).astype(np.float32)
        yield block_words, values


space = Space(words, vectors.of(ONLY), vectors.n_tokens)
analogy_rows = analogies.among_all(
    wanted_words, space, lambda words: lookup.looked_up(words, params.source), vocabulary
)
store.write_table(snakemake.output[0], analogies.ANALOGIES, analogy_rows, made)
log.info("%d questions among %d words.", len(analogy_rows), analogy_rows["n_words"].max())
