"""Plot gender in context layer by layer, and the shares of principal directions (rule draw_gender_in_context)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.gender_in_context import names
from herbarium.metrics.gender_in_context.figures import components, layers

made = begin(snakemake)
style.order(snakemake.params.order)
given, output = snakemake.input, snakemake.output
table = layers.table(store.read_frames(given.numbers, "tidy"))
style.keep(output.layers, table, printed(layers.panels(table), layers.EMPTY), made)
table = components.table(store.read_frames(given.curves, names.CURVES.name))
style.keep(output.components, table, printed(components.panels(table), components.EMPTY), made)
