"""Measure how well occupations are predicted from biographies (rule measure_biographies)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.biographies import learning, numbers, stimuli
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
source, name = snakemake.wildcards.source, snakemake.wildcards.name
design = store.read_frame(given.design, stimuli.DESIGN.name)
settings = numbers.Settings(**snakemake.params.settings)
if given.vectors:
    vectors = tables.read(given.vectors)
    if snakemake.params.is_of_words:
        texts, words = (store.read_frame(path, tables.WORDS.name)["text"] for path in (given.words, given.vocabulary))
        log.info("%d of %d words have a vector.", np.isfinite(vectors.values).all(axis=(1, 2)).sum(), len(words))
        vectors = stimuli.averaged(texts, words, vectors)
    measured = numbers.measure(source, name, design, vectors, settings)
else:
    predictions = {
        form: [store.read_frame(path, learning.PREDICTIONS.name) for path in given[form]] for form in stimuli.FORMS
    }
    measured = numbers.measure_finetuned(source, name, design, predictions, settings)
store.write_table(output.numbers, TIDY, measured.numbers, made)
store.write_table(output.occupations, numbers.OCCUPATIONS, measured.occupations, made)
log.info("%s, %s: %d numbers.", source, name, len(measured.numbers))
