"""Plot the differences of log-odds by person (rule draw_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.discrimination_scores.figures import contrasts

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = contrasts.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.contrasts, table, printed(contrasts.panels(table), contrasts.EMPTY), made)
