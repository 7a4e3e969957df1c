"""Plot SemBias and occupations along the gender direction (rule draw_word_associations)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.word_associations.figures import occupations, sembias
from herbarium.metrics.word_associations.numbers import PROJECTIONS

made = begin(snakemake)
given, planted = snakemake.input, snakemake.params.planted
tidy = store.read_frames(given.numbers, "tidy")
table = sembias.table(tidy, planted)
style.keep(snakemake.output.sembias, table, printed(sembias.panels(table), sembias.EMPTY), made)
table = occupations.table(store.read_frames(given.projections, PROJECTIONS.name), tidy, planted)
style.keep(snakemake.output.occupations, table, printed(occupations.panels(table), occupations.EMPTY), made)
