"""Plot regions in context layer by layer (rule draw_regions_in_context)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.regions_in_context.figures import layers

made = begin(snakemake)
style.order(snakemake.params.order)
table = layers.table(store.read_frames(snakemake.input, "tidy"))
style.keep(snakemake.output.layers, table, printed(layers.panels(table), layers.EMPTY), made)
