"""Occupations told from biographies (rule measure_biographies)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.biographies import numbers, stimuli
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
source, name = snakemake.wildcards.source, snakemake.wildcards.name
design, vectors = store.read_frame(given.design, stimuli.DESIGN.name), tables.read(given.vectors)
if snakemake.params.is_of_words:
    texts, words = (store.read_frame(path, tables.WORDS.name)["text"] for path in (given.words, given.vocabulary))
    log.info("%d of %d words have a vector.", np.isfinite(vectors.values).all(axis=(1, 2)).sum(), len(words))
    vectors = stimuli.averaged(texts, words, vectors)
found = numbers.measure(source, name, design, vectors, numbers.Settings(**snakemake.params.settings))
store.write_table(output.numbers, TIDY, found.numbers, made)
store.write_table(output.occupations, numbers.OCCUPATIONS, found.occupations, made)
log.info("%d numbers of %d layers.", len(found.numbers), len(vectors.layers))
