"""Lay out numbers of languages as tables, with planted and published numbers (rule table_languages)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.languages import calibration, numbers, published, spaces
from herbarium.metrics.languages.numbers import MISSING, PAIRS
from herbarium.statistics.agreement import PUBLISHED
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
pairs = store.read_frames(given.pairs, PAIRS.name)
translations = [
    store.read_frame(path, spaces.TRANSLATIONS.name).assign(space=space, alignment=alignment)
    for path, (space, alignment) in zip(given.translations, params.aligned, strict=True)
]
columns = ["space", "alignment", *spaces.TRANSLATIONS.fields.names]
store.write_csv(output.numbers, tidy[numbers.COLUMNS], made)
store.write_csv(output.pairs, pairs, made)
store.write_csv(output.translations, pd.concat([pd.DataFrame(columns=columns), *translations])[columns], made)
store.write_csv(output.missing, store.read_frames(given.missing, MISSING.name), made)
for path in output.calibration:
    store.write_table(path, CALIBRATION, calibration.rows(tidy, pairs, params.planted), made)
for path in output.published:
    figures = resources.read_text_table(given.published, ["table", "row", "column", "value", "doubt"])
    rows = tidy[tidy["unit"].isin(params.of_authors)]
    store.write_table(path, PUBLISHED, published.beside(rows, figures), made)
