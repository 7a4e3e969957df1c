"""Remove gender from the vectors of another source (rule debias_vectors)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.vectors import debiased
from herbarium.vectors.tables import ONLY, VECTORS, WORDS, asked, made_of, read

made = begin(snakemake)
given = snakemake.input
words, before = store.read_frame(given.words, WORDS.name), read(given.vectors)
listed = store.read_frame(given.pairs, WORDS.name)["text"].tolist()
of_pairs = debiased.halves(listed, read(given.gendered).of(ONLY))
vectors = debiased.vectors(asked(words), before.of(ONLY), *of_pairs, snakemake.params.direction)
is_there = np.isfinite(vectors).all(axis=1)
values = [row if has_vector else None for row, has_vector in zip(vectors, is_there, strict=True)]
table = made_of(values, before.n_tokens, before.notes.tolist())
store.write_table(snakemake.output[0], VECTORS, table, made | {"layers": [ONLY]})
log.info("%d words, %d without a vector.", len(words), len(words) - is_there.sum())
