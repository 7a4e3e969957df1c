"""Draw the contrasts of sentences of one's own (rule draw_sentence_sets)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.sentence_sets import numbers
from herbarium.metrics.sentence_sets.figures import forest

made = begin(snakemake)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
rows = numbers.with_contrasts(store.read_frames(snakemake.input.numbers, "tidy"), snakemake.params.entries, models)
table = forest.table(rows)
style.keep(snakemake.output.forest, table, forest.figure(table), made)
