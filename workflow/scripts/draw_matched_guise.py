"""Plot the associations of attributes with the dialect (rule draw_matched_guise)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.matched_guise.figures import associations

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = associations.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.associations, table, printed(associations.panels(table), associations.EMPTY), made)
