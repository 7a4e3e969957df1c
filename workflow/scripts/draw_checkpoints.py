"""Plot each metric along training, with the table that the figure shows (rule draw_checkpoints)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.statistics.changes import CHANGES
from herbarium.study import checkpoints

made = begin(snakemake)
table = checkpoints.table(store.read_frames(snakemake.input, CHANGES.name), snakemake.params.trainings)
style.keep(snakemake.output.checkpoints, table, printed(checkpoints.panels(table), checkpoints.EMPTY), made)
