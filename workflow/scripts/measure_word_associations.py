"""Measure word associations in a source of vectors (rule measure_word_associations)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.word_associations import analogies, items, numbers, stimuli
from herbarium.metrics.word_associations.space import Space
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
words = store.read_frame(given.words, tables.WORDS.name)["text"].tolist()
in_sentences = dict(zip(params.in_sentences, map(tables.read, given.in_sentences), strict=True))
lists, source = stimuli.from_record(store.read_record(given.design)), snakemake.wildcards.source
tested = {name: test for name, test in lists.tests.items() if name in params.tests}
vectors = tables.read(given.vectors)
among_all = store.read_frame(given.among_all, analogies.ANALOGIES.name) if given.among_all else None
measured, projections = numbers.measure(
    source,
    words,
    vectors,
    in_sentences,
    lists._replace(tests=tested),
    params.level,
    params.correction,
    params.seed,
    among_all,
)
store.write_table(output.numbers, TIDY, measured, made)
store.write_table(output.projections, numbers.PROJECTIONS, projections, made)
last = Space(words, vectors.of(vectors.layers[-1]), vectors.n_tokens)
store.write_table(output.of_items, ITEMS, items.of_items(source, last, lists), made)
log.info("%d numbers of %d words.", len(measured), len(words))
