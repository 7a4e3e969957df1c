"""Draw all numbers of a metric that declares itself (rule draw_declared)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.report.declared import numbers

made = begin(snakemake)
style.order(snakemake.params.order)
given, card = snakemake.input, snakemake.params.card
records = list(map(store.read_record, given.models))
table = numbers.table(store.read_frames(given.numbers, "tidy"), records, card["title"])
panels = numbers.panels(table, card["title"], card["unit"], card["null"])
style.keep(snakemake.output.numbers, table, printed(panels, numbers.EMPTY), made)
