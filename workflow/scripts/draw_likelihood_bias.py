"""Plot the variance between descriptors by axis (rule draw_likelihood_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.likelihood_bias.figures import axes

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = axes.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.axes, table, printed(axes.panels(table), axes.EMPTY), made)
