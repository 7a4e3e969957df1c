"""Plot the primary number of every metric in every model, with the table that the figure shows (rule
draw_answers)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.page import answers as drawn
from herbarium.report import answers
from herbarium.report.part import from_record

made = begin(snakemake)
style.order(snakemake.params.order)
parts = [from_record(store.read_record(path)) for path in snakemake.input]
table = answers.table([of for part in parts for of in part.answers])
style.keep(snakemake.output.answers, table, drawn.figure(table), made)
