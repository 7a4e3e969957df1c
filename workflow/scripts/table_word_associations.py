"""Lay out word associations as tables, with published and planted numbers (rule table_word_associations)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.word_associations import calibration, numbers, published, stimuli
from herbarium.statistics.agreement import PUBLISHED
from herbarium.statistics.calibration import CALIBRATION
from herbarium.vectors import tables

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
store.write_csv(output.numbers, tidy[numbers.COLUMNS], made)
store.write_csv(output.projections, store.read_frames(given.projections, numbers.PROJECTIONS.name), made)
words = store.read_frame(given.words, tables.WORDS.name)["text"]
parts = []
for source, path in zip(params.sources, given.vectors, strict=True):
    vectors = tables.read(path)
    parts.append(pd.DataFrame({"source": source, "word": words, "n_tokens": vectors.n_tokens, "note": vectors.notes}))
store.write_csv(output.words, pd.concat(parts, ignore_index=True), made)
figures = resources.read_text_table(given.published, ["table", "row", "column", "source", "value", "doubt"])
beside = published.beside(figures, tidy, params.published_lists, params.pair)
store.write_table(output.published, PUBLISHED, beside, made)
lists = stimuli.from_record(store.read_record(given.design))
for path in output.calibration:  # none without planted sources
    rows = calibration.rows(tidy, params.planted, lists, params.seed)
    store.write_table(path, CALIBRATION, rows, made)
