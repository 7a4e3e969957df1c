"""Plot the variance between identities by category (rule draw_sofa)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.sofa.figures import categories

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = categories.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.categories, table, printed(categories.panels(table), categories.EMPTY), made)
