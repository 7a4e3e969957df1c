"""Plot preferences by type of intervention (rule draw_interventions)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.interventions.figures import types

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = types.table(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output.types, table, printed(types.panels(table), types.EMPTY), made)
