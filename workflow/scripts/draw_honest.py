"""Plot hurtful completions by group (rule draw_honest)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.honest.figures import scores

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = scores.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.scores, table, printed(scores.panels(table), scores.EMPTY), made)
