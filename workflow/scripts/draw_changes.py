"""What changes of models changed, and the table that the figure was drawn from (rule draw_changes)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.statistics.changes import CHANGES
from herbarium.study import changes

made = begin(snakemake)
made_from, trained = (set(map(tuple, pairs)) for pairs in (snakemake.params.made_from, snakemake.params.trained))
table = changes.combined(store.read_frames(snakemake.input, CHANGES.name), made_from, trained)
style.keep(snakemake.output.changes, table, changes.figure(table), made)
