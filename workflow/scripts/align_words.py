"""Align the words of each text with those of its translation (rule align_words)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training import parallel

made = begin(snakemake)
given, params, place = snakemake.input, snakemake.params, snakemake.wildcards
name = place.parallel
texts = [store.read_frame(file, parallel.PARALLEL.name)["text"].tolist() for file in given.texts]
n_rows = dict(zip((place.source, place.target), map(len, texts), strict=True))
if given.alignments:
    lines = parallel.read_alignments(Path(given.alignments))
    n_rows[given.alignments] = len(lines)
parallel.require_equal(name, n_rows)
rows = parallel.chosen(texts, name, params.max_texts, params.seed)
sides = tuple([side[row] for row in rows] for side in texts)
if given.alignments:
    alignments = parallel.given(rows, sides, lines, params.is_reversed, Path(given.alignments))
else:
    alignments = parallel.learned(rows, sides)
store.write_table(snakemake.output[0], parallel.ALIGNMENTS, alignments, made)
log.info("%s: %d pairs of words in %d texts.", name, len(alignments), len(rows))
